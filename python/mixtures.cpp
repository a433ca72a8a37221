// heed.attention: what stands beside or around the layers of a Transformer: experts, depths,
// several tokens at once, segments, values of the first layer.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_GIVES(MixtureOutput, output, balance, chosen, gates, load)
HEED_FIELDS(MixtureOfDepthsOptions, block, capacity, hidden, layer)
HEED_GIVES(MixtureOfDepthsOutput, output, chosen, prediction_loss, router_loss)
HEED_FIELDS(MultiTokenOptions, depth, transformer)
HEED_GIVES(MultiTokenOutput, foretold, routed)
HEED_FIELDS(TransformerXLOptions, layers, width, heads, hidden, memory, dropout, dtype)
HEED_FIELDS(ValueResidualOptions, width, heads, head_width, layers, single, rotary, rotary_options,
            dropout, dtype)

namespace {

void bind_depths(py::module_& m) {
  record<MixtureOutput, Routed>(m, "output, balance, chosen, gates, load of MixtureOfExperts.");
  Mechanism<MixtureOfExperts>(m,
                              "Each token to the experts that a router prefers (Shazeer et al. "
                              "2017, Jiang et al. 2024).")
      .init<MixtureOfExpertsOptions>()
      .forward("input, real=", &MixtureOfExperts::operator(), "[.., E], real bool [..].");
  record<MixtureOfDepthsOutput>(m, "output, chosen, prediction_loss, router_loss.")
      .def_readonly("routed", &MixtureOfDepthsOutput::routed, "By the block's experts.");
  using State = MixtureOfDepths::State;
  py::class_<State>(m, "MixtureOfDepthsState", "The chosen so far.")
      .def(py::init<>())
      .def("reorder", &State::reorder, Free(), py::arg("rows"));
  Mechanism<MixtureOfDepths>(m, "Some tokens pass a block by (Raposo et al. 2024).")
      .init<MixtureOfDepthsOptions>()
      .forward("input, lengths, both_ways", &MixtureOfDepths::operator(), "[B, T, E].")
      .method("by_prediction", "input, state", &MixtureOfDepths::by_prediction,
              "The next tokens [B, T, E], those chosen that the predictor names.");
}

void bind_stacks(py::module_& m) {
  record<MultiTokenOutput>(m, "foretold, of each depth; routed, of those with experts.")
      .def("balance", &MultiTokenOutput::balance, Free(),
           "The sum of their balance losses; None without experts.");
  Mechanism<MultiTokenPrediction>(m, "Also the tokens after the next (DeepSeek-V3 2024).")
      .init<MultiTokenOptions>()
      .forward("states, embedded, lengths", &MultiTokenPrediction::operator(),
               "Both [B, T, E] -> the states of each depth, [B, T - k, E].")
      .method("loss", "foretold, ids, head, lengths", &MultiTokenPrediction::loss,
              "The mean of the cross entropies; head(states [n, E]) gives logits.");
  using State = TransformerXL::State;
  py::class_<State>(m, "TransformerXLState", "What each layer read of the segments before.")
      .def(py::init<>())
      .def_readonly("memory", &State::memory)
      .def("reorder", &State::reorder, Free(), py::arg("rows"));
  Mechanism<TransformerXLHeads, SelfAttention>(m, "Dai et al. 2019: distances, and a memory.")
      .init<TransformerXLOptions>()
      .forward(
          "input, memory=, cache",
          [](const TransformerXLHeads& f, const Tensor& x, const Tensor& memory,
             KeyValueCache* cache, const Terms& terms) {
            return memory.defined() ? f(x, memory, terms) : f(x, terms, cache);
          },
          "context, weights: input [B, T, E], memory [B, M, E].");
  Mechanism<TransformerXL>(m, "A text in segments (Dai et al. 2019).")
      .init<TransformerXLOptions>()
      .forward("input, state", &TransformerXL::operator(),
               "output, weights of the next segment [B, T, E].");
  Mechanism<ValueResidualHeads, SelfAttention>(m,
                                               "The heads of a layer (Zhou et al. 2024): "
                                               "from_below= takes what a lower one has for_above.")
      .init<const ValueResidualOptions&, Index>("layer");
  function(m, "value_residual", "", &value_residual,
           "The first layer's values for all of a stack (Zhou et al. 2024): what its "
           "self_attention= takes.");
}

}  // namespace

void bind_mixtures(py::module_& m) {
  bind_depths(m);
  bind_stacks(m);
}

}  // namespace heed::python
