// heed.attention: many heads and their cache, and the options of stacks, which have some of their
// own.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

const Fields& FieldsOf<MultiHeadOptions>::all() {
  using O = MultiHeadOptions;
  static const auto& fields = *new Fields HEED_LIST(
      width, heads, kv_heads, key_width, value_width, head_width, value_head_width, dropout, bias,
      out_bias, rotary, rotary_options, scale, score, normaliser, relative, qk_norm, gate,
      head_scale, sinks, extras, dtype);
  return fields;
}

namespace {

// {"sinks": True}, or lambda layer: {..}
template <class Options, auto place>
Field by_layer(const char* name) {
  const auto set = [name](TransformerOptions& options, const py::handle& given) {
    if (!py::isinstance<py::dict>(given) && !PyCallable_Check(given.ptr())) throw py::cast_error();
    const Held held(py::reinterpret_borrow<py::object>(given));
    options.*place = [name, held](const Options& of_all, Index layer) {
      const py::gil_scoped_acquire lock;
      const py::object said = held();
      const py::dict own = py::isinstance<py::dict>(said) ? said : said(layer);
      return options_of(name, of_all, own, FieldsOf<Options>::all());
    };
  };
  return {name, setting<TransformerOptions>(set), [] { return "object"; }, [] { return "None"; }};
}

}  // namespace

const Fields& FieldsOf<TransformerOptions>::all() {
  using O = TransformerOptions;
  static const auto& fields = *[] {
    auto* const all =
        new Fields HEED_LIST(width, heads, kv_heads, hidden, dropout, pre_norm, both_norms, norm,
                             parallel, activation, bias, rotary, rotary_options, eps, dtype);
    all->push_back(by_layer<MultiHeadOptions, &O::self_heads>("self_heads"));
    all->push_back(by_layer<MultiHeadOptions, &O::memory_heads>("memory_heads"));
    const auto set = [](O& options, const py::handle& given) {
      if (py::isinstance<py::str>(given)) return;  // finish() knows the sizes
      options.self_attention = given.cast<decltype(O::self_attention)>();
    };
    all->push_back(
        {"self_attention", setting<O>(set), [] { return "object"; }, [] { return "None"; }});
    const auto length = [](O&, const py::handle& given) { given.cast<Index>(); };  // for finish()
    all->push_back({"max_length", setting<O>(length), [] { return "int"; }, [] { return "0"; }});
    all->push_back(by_layer<MixtureOfExpertsOptions, &O::experts>("experts"));
    return all;
  }();
  return fields;
}

void FieldsOf<TransformerOptions>::finish(TransformerOptions& o, const py::dict& given) {
  const bool named =
      given.contains("self_attention") && py::isinstance<py::str>(given["self_attention"]);
  const auto length = given.contains("max_length") ? given["max_length"].cast<Index>() : Index(0);
  if (named) {
    o.self_attention =
        self_attention_maker(given["self_attention"].cast<std::string>(), {.width = o.width,
                                                                           .heads = o.heads,
                                                                           .max_length = length,
                                                                           .dropout = o.dropout,
                                                                           .dtype = o.dtype,
                                                                           .rotary = o.rotary});
  } else if (length != 0) {
    throw ValueError("max_length is of a self_attention that is named");
  }
  const bool turned = given.contains("rotary_options") && py::len(given["rotary_options"]) > 0;
  if (o.self_attention && turned) {
    throw ValueError("self_attention: only heads of the kind \"dot\" have rotary_options");
  }
}

namespace {

void bind_heads(py::module_& m) {
  py::class_<KeyValueCache>(m, "KeyValueCache",
                            "Keys and values of the steps so far; `sinks` first and `window` last "
                            "ones where a window is given.")
      .def(py::init([](Index sinks, Index window) {
             return KeyValueCache(KeyValueCacheOptions{.sinks = sinks, .window = window});
           }),
           py::arg("sinks") = 0, py::arg("window") = 0)
      .def("__len__", &KeyValueCache::length)
      .def_property_readonly("seen", &KeyValueCache::seen)
      .def("append", &KeyValueCache::append, Free(), py::arg("keys"), py::arg("values"),
           "[B, H, T, D] and [B, H, T, Dv].")
      .def("keys", &KeyValueCache::keys, Free(), "Those held, until the next append().")
      .def("values", &KeyValueCache::values, Free())
      .def("positions", &KeyValueCache::positions, Free(), "Which of the steps seen are held, i64.")
      .def("reorder", &KeyValueCache::reorder, Free(), py::arg("rows"))
      .def("clear", &KeyValueCache::clear);
  Mechanism<SelfAttention>(m, "What a stack's layer asks of its self-attention.")
      .forward(
          "input, cache",
          [](const SelfAttention& f, const Tensor& x, KeyValueCache* cache, const Terms& terms) {
            return f(x, terms, cache);
          },
          "context, weights: input [B, T, E]; a cache holds the steps before. Terms as of "
          "attend().");
  Mechanism<MultiHead, SelfAttention>(m, "Heads side by side (Vaswani et al. 2017).")
      .init<const MultiHeadOptions&>()
      .forward(
          "query, keys=, values=, cache",
          [](const MultiHead& heads, const Batch& given, const Tensor& keys, const Tensor& values,
             KeyValueCache* cache, const Terms& terms) {
            if (const auto* const packed = std::get_if<Packed>(&given)) {
              only_packed("MultiHead", keys.defined() || values.defined() || cache,
                          "attends to itself, without keys, values and a cache");
              return heads(*packed, terms);
            }
            const Tensor& query = std::get<Tensor>(given);
            const Tensor& k = keys.defined() ? keys : query;
            return heads(query, k, values.defined() ? values : k, terms, cache);
          },
          "context, weights: query [B, Q, E]; without keys self-attention. Terms as of attend(). "
          "Of a Packed [N, E]: each sequence sees itself alone.")
      .keeping("project", "keys, values, mask", &MultiHead::project,
               "Keys and values of all heads, for many calls of attend_to().")
      .method("attend_to", "query, memory", &MultiHead::attend_to, "query [B, Q, E].")
      .HEED_TENSOR(MultiHead, in_proj_weight)
      .HEED_TENSOR(MultiHead, in_proj_bias)
      .HEED_TENSOR(MultiHead, q_proj_weight)
      .HEED_TENSOR(MultiHead, k_proj_weight)
      .HEED_TENSOR(MultiHead, v_proj_weight)
      .HEED_CHILD(MultiHead, out_proj);
}

}  // namespace

void bind_multi_head(py::module_& m) { bind_heads(m); }

}  // namespace heed::python
