// heed.attention: many heads, Transformer layers and stacks, their caches, pooling.
#include "attention.h"

namespace heed::python {
namespace {

using namespace heed::attention;

const Fields<RotaryOptions>& rotary_fields() {
  static const auto& fields = *new Fields<RotaryOptions>{field("base", &RotaryOptions::base),
                                                         field("layout", &RotaryOptions::layout),
                                                         field("width", &RotaryOptions::width)};
  return fields;
}

// rotary_options={"base": 500000, "layout": "halves"}
template <class Options>
Field<Options> rotary_field() {
  return {"rotary_options", [](Options& options, const py::handle& given) {
            options.rotary_options = options_of("rotary_options", RotaryOptions(),
                                                given.cast<py::dict>(), rotary_fields());
          }};
}

const Fields<MultiHeadOptions>& head_fields() {
  using O = MultiHeadOptions;
  static const auto& fields = *new Fields<O>{field("width", &O::width),
                                             field("heads", &O::heads),
                                             field("kv_heads", &O::kv_heads),
                                             field("key_width", &O::key_width),
                                             field("value_width", &O::value_width),
                                             field("head_width", &O::head_width),
                                             field("value_head_width", &O::value_head_width),
                                             field("dropout", &O::dropout),
                                             field("bias", &O::bias),
                                             field("out_bias", &O::out_bias),
                                             field("rotary", &O::rotary),
                                             rotary_field<O>(),
                                             field("scale", &O::scale),
                                             field("score", &O::score),
                                             field("normaliser", &O::normaliser),
                                             field("relative", &O::relative),
                                             field("qk_norm", &O::qk_norm),
                                             field("gate", &O::gate),
                                             field("head_scale", &O::head_scale),
                                             field("sinks", &O::sinks),
                                             field("dtype", &O::dtype)};
  return fields;
}

const Fields<TransformerOptions>& fields() {
  using O = TransformerOptions;
  static const auto& all = *new Fields<O>{field("width", &O::width),
                                          field("heads", &O::heads),
                                          field("kv_heads", &O::kv_heads),
                                          field("hidden", &O::hidden),
                                          field("dropout", &O::dropout),
                                          field("pre_norm", &O::pre_norm),
                                          field("both_norms", &O::both_norms),
                                          field("norm", &O::norm),
                                          field("parallel", &O::parallel),
                                          field("activation", &O::activation),
                                          field("bias", &O::bias),
                                          field("rotary", &O::rotary),
                                          rotary_field<O>(),
                                          field("eps", &O::eps),
                                          field("dtype", &O::dtype)};
  return all;
}

TransformerOptions options(const char* who, const py::kwargs& given) {
  return options_of(who, TransformerOptions(), given, fields());
}

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
      .def("reorder", &KeyValueCache::reorder, Free(), py::arg("rows"))
      .def("clear", &KeyValueCache::clear);
  ModuleClass<SelfAttention>(m, "SelfAttention");
  const std::string what =
      "Heads side by side (Vaswani et al. 2017). Options: " + names_of(head_fields());
  ModuleClass<MultiHead, SelfAttention>(m, "MultiHead", what.c_str())
      .def(py::init([](Index width, Index heads, const py::kwargs& given) {
             return std::make_shared<MultiHead>(
                 options_of("MultiHead", MultiHeadOptions{.width = width, .heads = heads}, given,
                            head_fields()));
           }),
           py::arg("width"), py::arg("heads"))
      .def(
          "forward",
          [](const MultiHead& heads, const Tensor& query, const Tensor& keys, const Tensor& values,
             KeyValueCache* cache, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            const Tensor& k = keys.defined() ? keys : query;
            return heads(query, k, values.defined() ? values : k, given, cache);
          },
          py::arg("query"), py::arg("keys") = Tensor(), py::arg("values") = Tensor(),
          py::arg("cache") = py::none(),
          "context, weights: query [B, Q, E]; without keys self-attention. Terms as of attend().")
      .HEED_TENSOR(MultiHead, in_proj_weight)
      .HEED_TENSOR(MultiHead, in_proj_bias)
      .HEED_TENSOR(MultiHead, q_proj_weight)
      .HEED_TENSOR(MultiHead, k_proj_weight)
      .HEED_TENSOR(MultiHead, v_proj_weight)
      .HEED_CHILD(MultiHead, out_proj);
}

void bind_encoder(py::module_& m) {
  const std::string what = " (Vaswani et al. 2017). Options: " + names_of(fields());
  ModuleClass<TransformerEncoderLayer> layer(m, "TransformerEncoderLayer",
                                             ("One layer" + what).c_str());
  layer
      .def(py::init([](const py::kwargs& given) {
        return std::make_shared<TransformerEncoderLayer>(options("TransformerEncoderLayer", given));
      }))
      .def(
          "forward",
          [](const TransformerEncoderLayer& layer, const Tensor& x, KeyValueCache* cache,
             const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return layer(x, given, cache);
          },
          py::arg("input"), py::arg("cache") = py::none())
      .HEED_CHILD(TransformerEncoderLayer, self_attn)
      .HEED_CHILD(TransformerEncoderLayer, linear1)
      .HEED_CHILD(TransformerEncoderLayer, linear2)
      .HEED_CHILD(TransformerEncoderLayer, norm1)
      .HEED_CHILD(TransformerEncoderLayer, norm2)
      .HEED_PERHAPS(TransformerEncoderLayer, linear_gate);
  using State = TransformerEncoder::State;
  py::class_<State>(m, "TransformerEncoderState")
      .def(py::init<>())
      .def_property_readonly("length", &State::length);
  ModuleClass<TransformerEncoder>(m, "TransformerEncoder",
                                  ("Layers one on the other" + what).c_str())
      .def(py::init([](Index layers, bool final_norm, const py::kwargs& given) {
             return std::make_shared<TransformerEncoder>(
                 layers, options("TransformerEncoder", given), final_norm);
           }),
           py::arg("layers"), py::arg("final_norm") = false)
      .def(
          "forward",
          [](const TransformerEncoder& stack, const Tensor& x, const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return stack(x, given);
          },
          py::arg("input"), "output, weights: x [B, T, E].")
      .def("start", [](const TransformerEncoder&) { return State(); })
      .def(
          "step",
          [](const TransformerEncoder& stack, const Tensor& x, State& state,
             const py::kwargs& terms) {
            const HeldTerms given = terms_of(terms);
            const py::gil_scoped_release free;
            return stack.step(x, state, given);
          },
          py::arg("input"), py::arg("state"),
          "One step of a causal stack, with the keys and values of those before.")
      .HEED_CHILDREN(TransformerEncoder, layers)
      .HEED_PERHAPS(TransformerEncoder, norm);
}

void bind_decoder(py::module_& m) {
  const std::string what = " (Vaswani et al. 2017). Options: " + names_of(fields());
  ModuleClass<TransformerDecoderLayer>(m, "TransformerDecoderLayer", ("One layer" + what).c_str())
      .def(py::init([](const py::kwargs& given) {
        return std::make_shared<TransformerDecoderLayer>(options("TransformerDecoderLayer", given));
      }))
      .def(
          "forward",
          [](const TransformerDecoderLayer& layer, const Tensor& x, const Tensor& memory,
             const py::dict& target, const py::dict& source) {
            const HeldTerms own = terms_of(target), other = terms_of(source);
            const py::gil_scoped_release free;
            return layer(x, memory, own, other);
          },
          py::arg("input"), py::arg("memory"), py::arg("target") = py::dict(),
          py::arg("source") = py::dict(),
          "target and source: the terms of either attention, {\"mask\": Mask.causal()}.");
  using State = TransformerDecoder::State;
  py::class_<State>(m, "TransformerDecoderState")
      .def("reorder", &State::reorder, Free(), py::arg("rows"), py::arg("sources") = true);
  ModuleClass<TransformerDecoder>(m, "TransformerDecoder",
                                  ("Layers one on the other" + what).c_str())
      .def(py::init([](Index layers, bool final_norm, const py::kwargs& given) {
             return std::make_shared<TransformerDecoder>(
                 layers, options("TransformerDecoder", given), final_norm);
           }),
           py::arg("layers"), py::arg("final_norm") = false)
      .def(
          "forward",
          [](const TransformerDecoder& stack, const Tensor& x, const Tensor& memory,
             const py::dict& target, const py::dict& source) {
            const HeldTerms own = terms_of(target), other = terms_of(source);
            const py::gil_scoped_release free;
            return stack(x, memory, own, other);
          },
          py::arg("input"), py::arg("memory"), py::arg("target") = py::dict(),
          py::arg("source") = py::dict())
      .def("start", &TransformerDecoder::start, py::keep_alive<0, 1>(), Free(), py::arg("memory"),
           py::arg("mask") = Mask())
      .def(
          "step",
          [](const TransformerDecoder& stack, const Tensor& word, State& state) {
            return stack.step(word, state);
          },
          Free(), py::arg("word"), py::arg("state"),
          "word [B, E]; the keys and values before it are in the state.")
      .HEED_CHILDREN(TransformerDecoder, layers)
      .HEED_PERHAPS(TransformerDecoder, norm);
  ModuleClass<Transformer>(m, "Transformer", ("Encoder and decoder" + what).c_str())
      .def(py::init([](Index encoder, Index decoder, const py::kwargs& given) {
             return std::make_shared<Transformer>(encoder, decoder, options("Transformer", given));
           }),
           py::arg("encoder_layers"), py::arg("decoder_layers"))
      .def(
          "forward",
          [](const Transformer& f, const Tensor& source, const Tensor& target,
             const Mask& source_mask,
             const Mask& target_mask) { return f(source, target, source_mask, target_mask); },
          Free(), py::arg("source"), py::arg("target"), py::arg("source_mask") = Mask(),
          py::arg("target_mask") = Mask())
      .HEED_CHILD(Transformer, encoder)
      .HEED_CHILD(Transformer, decoder);
}

template <class T>
void bind_pooling(py::module_& m, const char* name, const char* what) {
  ModuleClass<T>(m, name, what)
      .def(py::init<Index, Index, DType>(), py::arg("width"), py::arg("hidden") = 0, py::kw_only(),
           py::arg("dtype") = DType::f32)
      .def(
          "forward",
          [](const T& f, const Tensor& x, const Mask& mask, bool need_weights) {
            return f(x, mask, need_weights);
          },
          Free(), py::arg("values"), py::arg("mask") = Mask(), py::arg("need_weights") = false);
}

}  // namespace

void bind_transformer(py::module_& m) {
  bind_heads(m);
  bind_encoder(m);
  bind_decoder(m);
  bind_pooling<AttentionPooling>(m, "AttentionPooling",
                                 "A learned query: [B, T, E] -> [B, E] (Yang et al. 2016).");
  bind_pooling<SourceToToken>(m, "SourceToToken", "A weight a feature (Shen et al. 2018).");
  bind_pooling<TokenToToken>(m, "TokenToToken",
                             "Each step attends to all, a weight a feature (Shen et al. 2018).");
}

}  // namespace heed::python
