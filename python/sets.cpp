// heed.attention: sets, latents, slots, stored patterns, functions known at some points.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(HopfieldOptions, state_width, stored_width, head_width, heads, output, updates,
            tolerance, beta, dtype)
HEED_FIELDS(NeuralProcessOptions, input, output, width, heads, attentive, latent, dtype)
HEED_GIVES(NeuralProcessOutput, mean, deviation, kl, weights)
HEED_FIELDS(PerceiverReadOptions, width, input_width, heads, hidden, residual, dtype)
HEED_FIELDS(PerceiverOptions, input_width, latents, width, heads, blocks, layers, shared, hidden,
            query_width, dtype)
HEED_FIELDS(SetOptions, width, heads, layer_norm, dtype)
HEED_FIELDS(SetTransformerOptions, blocks, points, encoder, seeds, decoder)
HEED_FIELDS(SlotAttentionOptions, input, width, hidden, times, eps, dtype)

namespace {

void bind_hopfield(py::module_& m) {
  function(m, "hopfield_energy", "states, patterns, beta, allowed=", &hopfield_energy,
           "E of states [.., Q, D] among patterns [.., K, D] -> [.., Q] (Ramsauer et al. 2021).");
  function(m, "hopfield_update", "states, patterns, beta", &hopfield_update,
           "One update of states [.., Q, D], which is attention; terms as of attend().");
  Mechanism<Hopfield>(m, "Modern Hopfield networks (Ramsauer et al. 2021).")
      .init<HopfieldOptions>()
      .forward("states, stored, mask, need_weights", &Hopfield::operator(),
               "[B, Q, state_width], [B, K, stored_width] -> [B, Q, output].");
  Mechanism<HopfieldPooling>(m, "Learned states read a set (Ramsauer et al. 2021).")
      .init<HopfieldOptions, Index>("count=1")
      .forward("stored, mask, need_weights", &HopfieldPooling::operator(),
               "[B, K, stored_width] -> [B, count, output].");
  Mechanism<HopfieldLayer>(m, "Learned patterns are read (Ramsauer et al. 2021).")
      .init<HopfieldOptions, Index>("count")
      .forward("states, need_weights", &HopfieldLayer::operator(), "[B, Q, state_width].");
}

void bind_transformers(py::module_& m) {
  Mechanism<SetBlock>(m, "MAB (Lee et al. 2019).")
      .init<SetOptions>()
      .forward("x, y", &SetBlock::operator(), "[B, Q, E], [B, K, E]; terms as of attend().");
  Mechanism<InducedSetBlock>(m, "ISAB (Lee et al. 2019).")
      .init<SetOptions, Index>("points")
      .forward("input, mask, need_weights", &InducedSetBlock::operator(), "[B, T, E].");
  Mechanism<SetPooling>(m, "PMA (Lee et al. 2019).")
      .init<SetOptions, Index>("seeds=1")
      .forward("input, mask, need_weights", &SetPooling::operator(), "[B, T, E] -> [B, k, E].");
  Mechanism<SetTransformer>(m, "Lee et al. 2019; blocks={\"width\": 8, \"heads\": 2}.")
      .init<SetTransformerOptions>()
      .forward("input, mask, need_weights", &SetTransformer::operator(),
               "[B, T, E] -> [B, k, E], weights [B, H, k, T].");
  Mechanism<PerceiverRead>(m, "Latents, or queries, read (Jaegle et al. 2021).")
      .init<PerceiverReadOptions>()
      .forward("z, input", &PerceiverRead::operator(), "[B, N, width], [B, T, input_width].");
  Mechanism<Perceiver>(m, "The Perceiver and Perceiver IO (Jaegle et al. 2021, 2022).")
      .init<PerceiverOptions>()
      .forward(
          "input, queries=, mask, need_weights",
          [](const Perceiver& f, const Tensor& x, const Tensor& queries, const Mask& mask,
             bool need_weights) {
            return queries.defined() ? f(queries, x, mask, need_weights) : f(x, mask, need_weights);
          },
          "The latents [B, N, width] after [B, T, input_width], or answers to queries "
          "[B, O, query_width].");
}

void bind_slots(py::module_& m) {
  Mechanism<SlotShares, Normaliser>(m, "Softmax over queries, shared among keys.")
      .init<double>("eps=1e-8");
  Mechanism<SlotAttention>(m, "Slots compete for the inputs (Locatello et al. 2020).")
      .init<SlotAttentionOptions>()
      .forward(
          "input, count=0, slots=, mask, need_weights, generator",
          [](const SlotAttention& f, const Tensor& x, Index count, const Tensor& slots,
             const Mask& mask, bool need_weights, Generator& generator) {
            return slots.defined() ? f(slots, x, mask, need_weights)
                                   : f(count, x, mask, need_weights, generator);
          },
          "[B, T, input] -> slots [B, N, D], weights [B, N, T]: count of them that are drawn, or "
          "from slots of one's own.");
}

void bind_processes(py::module_& m) {
  record<NeuralProcessOutput>(m, "mean, deviation [B, M, dy], kl [B], weights [B, H, M, N].");
  Mechanism<NeuralProcess>(m, "Attentive neural processes (Kim et al. 2019).")
      .init<NeuralProcessOptions>()
      .forward("x, y, targets, answers=, lengths, need_weights, generator",
               &NeuralProcess::operator(),
               "x [B, N, dx], y [B, N, dy], targets [B, M, dx]; in training their answers.");
  function(m, "neural_process_loss", "foretold, answers", &neural_process_loss,
           "The negative evidence lower bound, [].");
}

}  // namespace

void bind_sets(py::module_& m) {
  bind_hopfield(m);
  bind_transformers(m);
  bind_slots(m);
  bind_processes(m);
}

}  // namespace heed::python
