// heed.attention: decoders that attend to a source, step by step or over whole sequences.
#include "decoder_binding.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(BahdanauOptions, word_width, annotation_width, state_width, hidden, readout,
            start_width, score, layers, readout_of_state, dtype)
HEED_FIELDS(LuongOptions, word_width, source_width, state_width, layers, out, input_feeding,
            attention, score, half_width, context_alone, dropout, dtype)
HEED_FIELDS(LocationAwareDecoderOptions, word_width, annotation_width, state_width, hidden, readout,
            filters, kernel, window, normaliser, score, dtype)
HEED_FIELDS(LocalOptions, kind, half_width, gaussian, score, query_width, hidden, dtype)
HEED_FIELDS(LSTMNDecoderOptions, input, hidden, source, fusion, attention, span, dtype)
HEED_GIVES(LSTMNDecoderOutput, output, weights, intra_weights)
HEED_FIELDS(ConvSeq2SeqOptions, width, hidden, layers, kernel, dropout, scale, weight_norm,
            attentions, dtype)

namespace {

void bind_recurrent_decoders(py::module_& m) {
  decoder<BahdanauDecoder>(m, "BahdanauState", "Bahdanau et al. 2014.")
      .init<BahdanauOptions>()
      .keeping("start", "annotations, mask, summary=", &BahdanauDecoder::start)
      .forward(
          "words, annotations, source_mask, lengths",
          [](const BahdanauDecoder& d, const Tensor& words, const Tensor& annotations,
             const Mask& mask, const Lengths& lengths,
             const Terms& terms) { return d(words, annotations, mask, terms, lengths); },
          "output, weights: words [B, T, E], annotations [B, K, dk].");
  decoder<LuongDecoder>(m, "LuongState", "Luong et al. 2015.")
      .init<LuongOptions>()
      .keeping("start", "source, lengths, begin=[]", &LuongDecoder::start)
      .forward(
          "words, source, source_lengths, lengths",
          [](const LuongDecoder& d, const Tensor& words, const Tensor& source,
             const Lengths& source_lengths, const Lengths& lengths,
             const Terms& terms) { return d(words, source, source_lengths, terms, lengths); },
          "output, weights: words [B, T, E], source [B, K, dk].");
  decoder<LocationAwareDecoder>(m, "LocationAwareState", "Chorowski et al. 2015.")
      .init<LocationAwareDecoderOptions>()
      .keeping("start", "annotations, mask", &LocationAwareDecoder::start)
      .forward(
          "words, annotations, source_mask, lengths",
          [](const LocationAwareDecoder& d, const Tensor& words, const Tensor& annotations,
             const Mask& mask, const Lengths& lengths,
             const Terms& terms) { return d(words, annotations, mask, terms, lengths); },
          "output, weights: words [B, T, E], annotations [B, K, dk].");
  record<LSTMNDecoderOutput, StackOutput>(m, "output, weights, intra_weights.");
  decoder<LSTMNDecoder>(m, "LSTMNDecoderState", "Cheng et al. 2016: fusion of two memories.")
      .init<LSTMNDecoderOptions>()
      .keeping("start", "hidden, memory, mask", &LSTMNDecoder::start)
      .forward(
          "words, hidden, memory, mask, lengths",
          [](const LSTMNDecoder& d, const Tensor& x, const Tensor& hidden, const Tensor& memory,
             const Mask& mask, const Lengths& lengths,
             const Terms& terms) { return d(x, hidden, memory, mask, terms, lengths); },
          "words [B, T, I]; hidden and memory [B, S, Hs] of an LSTMN.");
}

void bind_convolutional(py::module_& m) {
  Mechanism<MultiStepAttention>(m, "Every layer looks again (Gehring et al. 2017).")
      .init<Index, Index, bool, DType, bool>("hidden, width, scale=True, dtype, weight_norm")
      .forward("h, g, source", &MultiStepAttention::operator(), "[B, T, hidden], [B, T, E].")
      .def_static("memory", &MultiStepAttention::memory, Free(), py::arg("z"), py::arg("values"),
                  py::arg("lengths") = Lengths());
  Mechanism<ConvEncoder>(m, "Gehring et al. 2017.")
      .init<ConvSeq2SeqOptions>()
      .forward("input, lengths", &ConvEncoder::operator(), "[B, K, E] -> a Memory.");
  decoder<ConvDecoder>(m, "ConvDecoderState", "Gehring et al. 2017.")
      .init<ConvSeq2SeqOptions>()
      .keeping("start", "source", &ConvDecoder::start)
      .forward(
          "words, source, lengths",
          [](const ConvDecoder& d, const Tensor& words, const Memory& source,
             const Lengths& lengths,
             const Terms& terms) { return d(words, source, terms, lengths); },
          "output, weights: words [B, T, E], source the encoder's Memory.");
}

void bind_local(py::module_& m) {
  Mechanism<Local>(m, "Local attention (Luong et al. 2015).")
      .init<LocalOptions>()
      .forward(
          "query, keys, values, lengths, first=0, positions=",
          [](const Local& f, const Tensor& query, const Tensor& keys, const Tensor& values,
             const Lengths& lengths, Index first, const Tensor& positions, const Terms& terms) {
            return f(query, keys, values, lengths,
                     {.first = first, .positions = positions, .terms = terms});
          },
          "[B, Q, dq], [B, K, dk], [B, K, dv].")
      .keeping("prepare", "keys, values, lengths", &Local::prepare,
               "Keys prepared once, for many calls of attend_to().")
      .method(
          "attend_to", "query, memory, first=0, positions=",
          [](const Local& f, const Tensor& query, const Memory& memory, Index first,
             const Tensor& positions, const Terms& terms) {
            return f.attend_to(query, memory,
                               {.first = first, .positions = positions, .terms = terms});
          },
          "[B, Q, dq].");
}

}  // namespace

void bind_decoders(py::module_& m) {
  bind_recurrent_decoders(m);
  bind_convolutional(m);
  bind_local(m);
}

}  // namespace heed::python
