// heed.attention: masks, attend(), memories, what a call gives.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(masks::LongformerOptions, window, globals, dilation, causal)
HEED_FIELDS(masks::BigBirdOptions, block, window, globals, randoms, causal)
HEED_FIELDS(WaitKOptions, wait, catch_up, first)

HeldTerms terms_of(const py::dict& given) {
  using O = HeldTerms;
  static const auto& fields = *[] {
    auto* const all =
        new Fields HEED_LIST(mask, bias, offset_bias, sinks, map, dropout, need_weights,
                             need_statistics, from_below, need_log_sums, tiles_only);
    const auto held = [all](const char* name, auto set) {
      all->push_back({name, setting<O>(set)});
    };
    held("normaliser", [](O& t, const py::handle& v) {
      t.held_normaliser = v.cast<std::shared_ptr<Normaliser>>();
      t.normaliser = t.held_normaliser.get();
    });
    held("position_bias", [](O& t, const py::handle& v) {
      t.held_position_bias = v.cast<std::shared_ptr<OffsetBias>>();
      t.position_bias = t.held_position_bias.get();
    });
    held("relative", [](O& t, const py::handle& v) {
      t.held_relative = v.cast<std::shared_ptr<RelativePositions>>();
      t.relative = t.held_relative.get();
    });
    held("generator", [](O& t, const py::handle& v) {
      t.generator = v.cast<Generator*>();
      t.held_generator = Held(py::reinterpret_borrow<py::object>(v));
    });
    const auto whole = [](O& t, const py::handle& v) { t = v.cast<O>(); };
    all->insert(all->begin(), {"terms", setting<O>(whole)});
    return all;
  }();
  if (given.contains("terms") && given.size() > 1) {
    throw py::type_error("attention(): terms= stands alone: Terms take all others themselves");
  }
  return options_of("attention", HeldTerms(), given, fields);
}

namespace {

void bind_masks(py::module_& m) {
  py::class_<Mask>(m, "Mask",
                   "Which places may be attended to: true means may attend, everywhere. Masks join "
                   "by &, | and ~; "
                   "None stands for no mask, a bool tensor for itself.")
      .def(py::init<>())
      .def(py::init<Tensor>(), py::arg("allowed"))
      .def_static("causal", &Mask::causal)
      .def_static("window", &Mask::window, py::arg("left"), py::arg("right"))
      .def_static("block", &Mask::block, py::arg("size"))
      .def_static("segments", py::overload_cast<const std::vector<Index>&>(&Mask::segments),
                  py::arg("offsets"))
      .def_static(
          "segments",
          py::overload_cast<const std::vector<Index>&, const std::vector<Index>&>(&Mask::segments),
          py::arg("queries"), py::arg("keys"))
      .def_static(
          "rule", &mask_by_rule, py::arg("function"),
          "Of function(q, k, *captured) or (q, k, batch, head, *captured): places, the last "
          "query standing at the last key. It is called once, with numbers that note what "
          "is done with them: + - * // % abs maximum minimum, comparisons, &, | and ~. What "
          "is captured, at most 3 i64 or bool tensors, is read by place: x(q), x(q, k); "
          "with one argument fewer its first axis is the batch.")
      .def("select_rows", &Mask::select_rows, Free(), py::arg("rows"), py::arg("rank") = -1)
      .def_static("lengths", &Mask::lengths, py::arg("lengths"), py::arg("steps"))
      .def_static("key_padding", &Mask::key_padding, py::arg("real"),
                  "bool [B, K]: true is a real key.")
      .def("all", &Mask::all)
      .def(
          "tensor", [](const Mask& mask, const Shape& scores) { return mask.tensor(scores); },
          Free(), py::arg("scores"),
          "bool, broadcasting to scores of that shape; None where everything is allowed.")
      .def(
          "__and__", [](const Mask& a, const Mask& b) { return a & b; },
          py::arg("other").none(false))
      .def(
          "__or__", [](const Mask& a, const Mask& b) { return a | b; },
          py::arg("other").none(false))
      .def("__invert__", [](const Mask& a) { return !a; });
  m.def("prefix_lm", py::overload_cast<Index>(&masks::prefix_lm), py::arg("prefix"));
  m.def("prefix_lm", py::overload_cast<const Tensor&>(&masks::prefix_lm), py::arg("prefix"));
  m.def("documents", &masks::documents, py::arg("ids"));
  m.def("global_tokens", &masks::global_tokens, py::arg("count"));
  m.def("dilated", &masks::dilated, py::arg("window"), py::arg("dilation"));
  m.def("strided", &masks::strided, py::arg("stride"));
  m.def("window_with_sinks", &masks::window_with_sinks, py::arg("window"), py::arg("sinks"));
  m.def("neighbourhood", &masks::neighbourhood, py::arg("width"), py::arg("radius"));
  m.def("block_sparse", &masks::block_sparse, py::arg("layout"), py::arg("size"));
  function(m, "longformer", "", &masks::longformer, "Beltagy et al. 2020.");
  function(
      m, "bigbird", "steps, generator",
      [](Index steps, Generator& generator, const masks::BigBirdOptions& options) {
        return masks::bigbird(steps, options, generator);
      },
      "Zaheer et al. 2020.");
  function(m, "wait_k", "", &masks::wait_k, "Of queries over a source (Ma et al. 2019).");
  function(
      m, "wait_k_reads", "written",
      [](Index written, const WaitKOptions& options) { return wait_k_reads(options, written); },
      "How many words are read before the next one is written.");
}

void bind_results(py::module_& m) {
  py::class_<HeldTerms>(
      m, "Terms", "What a call adds to a query and a memory; calls take the same names themselves.")
      .def(py::init([](const py::kwargs& given) { return terms_of(given); }));
  py::class_<AttentionStatistics>(m, "AttentionStatistics",
                                  "A look at weights that were not made, with need_statistics.")
      .def("rows", &AttentionStatistics::rows, Free(), py::arg("queries"), "[.., R, K].")
      .def("received", &AttentionStatistics::received, Free(), "[.., K].")
      .def("entropies", &AttentionStatistics::entropies, Free(), "[.., Q].");
  py::class_<Attended> attended(
      m, "Attended", "context, weights = attend(..): the weights are None unless need_weights.");
  attended.def_readonly("context", &Attended::context)
      .def_readonly("weights", &Attended::weights)
      .def_readonly("log_sums", &Attended::log_sums)
      .def_readonly("statistics", &Attended::statistics)
      .def_readonly("for_above", &Attended::for_above);
  define_parts(attended, [](const py::object& self) {
    const auto& a = self.cast<const Attended&>();
    return py::make_tuple(a.context, a.weights);
  });
  py::class_<StackOutput> stack(
      m, "StackOutput", "output, weights = decoder(..): weights of each look, if asked for.");
  stack.def_readonly("output", &StackOutput::output).def_readonly("weights", &StackOutput::weights);
  define_parts(stack, [](const py::object& self) {
    const auto& s = self.cast<const StackOutput&>();
    return py::make_tuple(s.output, s.weights);
  });
  py::class_<Past>(m, "Past", "What a query leaves to the next one of its sequence.")
      .def(py::init<>())
      .def("reorder", &Past::reorder, Free(), py::arg("rows"));
}

void bind_memory(py::module_& m) {
  using Keep = py::keep_alive<0, 1>;
  py::class_<Memory>(m, "Memory", "Keys prepared once, values, a mask: asked any number of times.")
      .def(py::init(
               [](const Tensor& keys, const Tensor& values, const Mask& mask, const Score* score) {
                 return score ? Memory(*score, keys, values, mask) : Memory(keys, values, mask);
               }),
           py::keep_alive<1, 5>(), Free(), py::arg("keys"), py::arg("values"),
           py::arg("mask") = Mask(), py::arg("score") = py::none())
      .def_property_readonly("keys", &Memory::keys)
      .def_property_readonly("values", &Memory::values)
      .def(
          "attend",
          [](const Memory& memory, const Tensor& query, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return memory.attend(query, given);
          },
          py::arg("query"))
      .def(
          "step",
          [](const Memory& memory, const Tensor& query, Past* past, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return past ? memory.step(query, *past, given) : memory.step(query, given);
          },
          py::arg("query"), py::arg("past") = py::none())
      .def("rows", &Memory::rows, Keep(), Free(), py::arg("index"))
      .def("places", &Memory::places, Keep(), Free(), py::arg("index"), py::arg("mask") = Mask(),
           "Of each row the places index[b], i64 [B, ..].")
      .def("weighted", &Memory::weighted, Keep(), Free(), py::arg("factor"),
           "The values times a factor [.., K, 1].")
      .def("masked", &Memory::masked, Keep(), Free(), py::arg("mask"));
  m.def(
      "attend",
      [](const Tensor& query, const Memory& memory, const py::kwargs& terms) {
        const HeldTerms given = terms_of(terms);
        const py::gil_scoped_release free;
        return attend(query, memory, given);
      },
      py::arg("query"), py::arg("memory"));
  m.def(
      "attend",
      [](const Tensor& query, const Tensor& keys, const Tensor& values, const Score* score,
         const py::kwargs& terms) {
        const HeldTerms given = terms_of(terms);
        const py::gil_scoped_release free;
        return score ? attend(*score, query, keys, values, given)
                     : attend(query, keys, values, given);
      },
      py::arg("query"), py::arg("keys"), py::arg("values"), py::arg("score") = py::none(),
      "weights = normalise(score(query, keys) + bias, mask), context = weights values. Without a "
      "score the scaled dot "
      "product; terms by name: mask, bias, offset_bias, position_bias, relative, sinks, map, "
      "normaliser, dropout, "
      "need_weights, need_statistics, need_log_sums, tiles_only.");
  m.def("merge", &merge, Free(), py::arg("parts"),
        "What attentions over parts of the keys, made with need_log_sums, are together.");
}

void bind_positions(py::module_& m) {
  m.def("soft_cap", py::overload_cast<double>(&maps::soft_cap), py::arg("cap"));
  m.def("slopes", &maps::slopes, py::arg("slopes"));
  m.def("by_distance", &maps::by_distance, py::arg("table"), py::arg("distances"));
  function(
      m, "rotary", "input, first=0, positions=",
      [](const Tensor& x, Index first, const Tensor& positions, const RotaryOptions& options) {
        return positions.defined() ? rotary(x, positions, options) : rotary(x, options, first);
      },
      "Input [.., T, D] turned by its places (Su et al. 2021), which may be given.");
  function(
      m, "rotary_frequencies", "width, base=10000.0, steps=0.0",
      [](Index width, double base, double steps, const RotaryScaling& scaling) {
        return rotary_frequencies(width, base, scaling, steps);
      },
      "Radians a step of each pair, f64 [width / 2]; kind, factor .. of longer contexts.");
  function(m, "rotary_attention_factor", "", &rotary_attention_factor,
           "What cosine and sine are multiplied by.");
  Mechanism<LearnedPositions>(m, "A trained vector a place (Gehring et al. 2017).")
      .init<Index, Index, DType>("max_steps, width, dtype")
      .forward("input, first=0", &LearnedPositions::operator(), "[.., T, E].");
  function(m, "gaussian_bias", "centres, keys, sigma", &gaussian_bias,
           "[.., Q] -> [.., Q, keys] (Luong et al. 2015, eq. 10).");
  function(m, "sandwich", "heads, steps, width=128, dtype", &maps::sandwich, "Chi et al. 2023.");
  m.def("sinusoidal_positions", &nn::sinusoidal_positions, Free(), py::arg("steps"),
        py::arg("width"), py::arg("first") = 0, py::arg("dtype") = DType::f32);
}

}  // namespace

void bind_attention(py::module_& m) {
  bind_score_maps(m);
  bind_masks(m);
  bind_scores(m);
  bind_results(m);
  bind_memory(m);
  bind_positions(m);
}

}  // namespace heed::python
