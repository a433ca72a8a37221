// heed.attention: Transformer layers and stacks.
#include "attention_options.h"

namespace heed::python {
using namespace heed::attention;

namespace {

const char* const kStack = "Layers one on the other (Vaswani et al. 2017).";

void bind_outputs(py::module_& m) {
  record<Routed>(m, "balance, chosen, gates, load: how tokens went to experts.");
  py::class_<TransformerLayerOutput, Attended>(m, "TransformerLayerOutput",
                                               "context, weights = layer(..)")
      .def_readonly("routed", &TransformerLayerOutput::routed, "By the layer's experts.");
  py::class_<TransformerOutput, StackOutput>(m, "TransformerOutput", "output, weights = stack(..)")
      .def_readonly("routed", &TransformerOutput::routed, "Of each layer that has experts.")
      .def("balance", &TransformerOutput::balance, Free(),
           "The sum of these layers' balance losses; None without experts.");
}

void bind_encoder(py::module_& m) {
  Mechanism<TransformerEncoderLayer>(m, "One layer (Vaswani et al. 2017).")
      .made("layer=0",
            [](const TransformerOptions& options, Index layer) {
              return std::make_shared<TransformerEncoderLayer>(options, layer);
            })
      .forward(
          "input, cache",
          [](const TransformerEncoderLayer& layer, const Tensor& x, KeyValueCache* cache,
             const Terms& terms) { return layer(x, terms, cache); },
          "context, weights: input [B, T, E].")
      .HEED_CHILD(TransformerEncoderLayer, self_attn)
      .HEED_PERHAPS(TransformerEncoderLayer, linear1)
      .HEED_PERHAPS(TransformerEncoderLayer, linear2)
      .HEED_CHILD(TransformerEncoderLayer, norm1)
      .HEED_CHILD(TransformerEncoderLayer, norm2)
      .HEED_PERHAPS(TransformerEncoderLayer, linear_gate)
      .HEED_PERHAPS(TransformerEncoderLayer, mixture);
  using State = TransformerEncoder::State;
  py::class_<State>(m, "TransformerEncoderState")
      .def(py::init<>())
      .def_property_readonly("length", &State::length)
      .def("reorder", &State::reorder, Free(), py::arg("rows"));
  Mechanism<TransformerEncoder>(m, kStack)
      .made("layers, final_norm",
            [](Index layers, bool final_norm, const TransformerOptions& options) {
              return std::make_shared<TransformerEncoder>(layers, options, final_norm);
            })
      .forward(
          "input",
          [](const TransformerEncoder& stack, const Batch& given, const Terms& terms) {
            return std::visit([&](const auto& x) { return stack(x, terms); }, given);
          },
          "output, weights: input [B, T, E]. Of a Packed [N, E]: each sequence sees itself alone.")
      .method(
          "by_layer", "input, terms",
          [](const TransformerEncoder& stack, const Tensor& x,
             const std::vector<HeldTerms>& terms) {
            return stack.by_layer(x, std::vector<Terms>(terms.begin(), terms.end()));
          },
          "The same with Terms of each layer's own.")
      .method("start", "", [](const TransformerEncoder&) { return State(); })
      .method("step", "input, state", &TransformerEncoder::step,
              "The next steps of a causal stack, with the keys and values of those before.")
      .HEED_CHILDREN(TransformerEncoder, layers)
      .HEED_PERHAPS(TransformerEncoder, norm);
}

void bind_decoder(py::module_& m) {
  Mechanism<TransformerDecoderLayer>(m, "One layer (Vaswani et al. 2017).")
      .init<const TransformerOptions&>()
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
  Mechanism<TransformerDecoder>(m, kStack)
      .made("layers, final_norm",
            [](Index layers, bool final_norm, const TransformerOptions& options) {
              return std::make_shared<TransformerDecoder>(layers, options, final_norm);
            })
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
      .def(
          "forward",
          [](const TransformerDecoder& stack, const Packed& x, const Packed& memory,
             const py::dict& target, const py::dict& source) {
            const HeldTerms own = terms_of(target), other = terms_of(source);
            const py::gil_scoped_release free;
            return stack(x, memory, own, other);
          },
          py::arg("input"), py::arg("memory"), py::arg("target") = py::dict(),
          py::arg("source") = py::dict(),
          "[N, E] -> [N, E]: each target sees itself and its own source alone.")
      .def("start", &TransformerDecoder::start, py::keep_alive<0, 1>(), Free(), py::arg("memory"),
           py::arg("mask") = Mask())
      .def(
          "read",
          [](const TransformerDecoder& stack, const Tensor& more, State& state) {
            stack.read(more, state);
          },
          Free(), py::arg("more"), py::arg("state"), "More of the memory has come in, [B, n, E].")
      .def(
          "step",
          [](const TransformerDecoder& stack, const Tensor& word, State& state,
             const py::dict& target, const py::dict& source) {
            const HeldTerms own = terms_of(target), other = terms_of(source);
            const py::gil_scoped_release free;
            return stack.step(word, state, other, own);
          },
          py::arg("word"), py::arg("state"), py::arg("target") = py::dict(),
          py::arg("source") = py::dict(),
          "word [B, E]; the keys and values before it are in the state.")
      .def(
          "run",
          [](const TransformerDecoder& stack, const Tensor& words, State& state,
             const Lengths& lengths, const py::dict& target, const py::dict& source) {
            const HeldTerms own = terms_of(target), other = terms_of(source);
            const py::gil_scoped_release free;
            return stack.run(words, state, other, lengths, own);
          },
          py::arg("words"), py::arg("state"), py::arg("lengths") = Lengths(),
          py::arg("target") = py::dict(), py::arg("source") = py::dict(),
          "The next steps, words [B, T, E].")
      .HEED_CHILDREN(TransformerDecoder, layers)
      .HEED_PERHAPS(TransformerDecoder, norm);
  Mechanism<Transformer>(m, "Encoder and decoder (Vaswani et al. 2017).")
      .init<Index, Index, const TransformerOptions&>("encoder_layers, decoder_layers")
      .forward(
          "source, target, source_mask, target_mask",
          [](const Transformer& f, const Tensor& source, const Tensor& target,
             const Mask& source_mask,
             const Mask& target_mask) { return f(source, target, source_mask, target_mask); },
          "[B, S, E], [B, T, E] -> [B, T, E].")
      .HEED_CHILD(Transformer, encoder)
      .HEED_CHILD(Transformer, decoder);
}

}  // namespace

void bind_transformer(py::module_& m) {
  bind_outputs(m);
  bind_encoder(m);
  bind_decoder(m);
}

}  // namespace heed::python
