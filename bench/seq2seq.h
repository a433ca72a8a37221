// The training step of Bahdanau et al.'s translation model (2014): a bidirectional GRU reads the
// source; a GRU cell writes the target, at each step looking over the source with additive
// attention; maxout readout; f32, Adam with PyTorch's defaults. Teacher forcing, so that the
// readout and the projection to the vocabulary are one product over all steps each.
//
//   s_0 = tanh(start(backward state at the first word)), k_j = keys(h_j)
//   a_i = softmax over j of v . tanh(query(s_{i-1}) + k_j), c_i = sum_j a_ij h_j
//   s_i = cell([E y_{i-1}; c_i], s_{i-1}), p_i = vocabulary(maxout(readout([s_{i-1}; E y_{i-1};
//   c_i])))
#pragma once

#include "workload.h"

namespace bench::seq2seq {

inline constexpr std::int64_t kBatch = 64, kSource = 20, kTarget = 20;  // B, T, steps
inline constexpr std::int64_t kVocabulary = 8000, kEmbed = 256, kHidden = 256;
inline constexpr std::int64_t kState = 2 * kHidden;  // both directions
inline constexpr std::int64_t kDecoderInput = kEmbed + kState,
                              kReadoutInput = kHidden + kDecoderInput;
inline constexpr std::int64_t kReadout = 768;  // units of the maxout
inline constexpr double kLearningRate = 1e-3;

inline Weights weights() {
  Weights out = {{"source.weight", kVocabulary, kEmbed, 0.1f},
                 {"target.weight", kVocabulary, kEmbed, 0.1f},
                 {"v", kHidden, 0, 0.1f}};
  add_recurrent(out, "encoder.", "_l0", kEmbed, kHidden, 3 * kHidden);
  add_recurrent(out, "encoder.", "_l0_reverse", kEmbed, kHidden, 3 * kHidden);
  add_linear(out, "start", kHidden, kHidden);
  add_linear(out, "keys", kState, kHidden);
  add_linear(out, "query", kHidden, kHidden);
  add_recurrent(out, "cell.", "", kDecoderInput, kHidden, 3 * kHidden);
  add_linear(out, "readout", kReadoutInput, 2 * kReadout);
  add_linear(out, "vocabulary", kReadout, kVocabulary);
  return out;
}

/// Word ids: source i64[B, T], what the decoder is fed i64[B, steps], what it should say i64[B *
/// steps].
inline void fill_source(std::int64_t* to) { fill(to, kBatch * kSource, 1001, 0, kVocabulary); }
inline void fill_fed(std::int64_t* to) { fill(to, kBatch * kTarget, 1002, 0, kVocabulary); }
inline void fill_wanted(std::int64_t* to) { fill(to, kBatch * kTarget, 1003, 0, kVocabulary); }

/// Floating-point operations of the matrix products in one step.
constexpr double flops() {
  constexpr double read = kBatch * kSource, written = kBatch * kTarget;
  return 2 * trained_product(read, kEmbed + kHidden, 3 * kHidden) +
         trained_product(read, kState, kHidden) + trained_product(written, kHidden, kHidden) +
         trained_product(written, kDecoderInput + kHidden, 3 * kHidden) +
         trained_product(written, kSource, kHidden + kState) +
         trained_product(written, kReadoutInput, 2 * kReadout) +
         trained_product(written, kReadout, kVocabulary);
}

}  // namespace bench::seq2seq
