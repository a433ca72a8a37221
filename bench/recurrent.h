// One layer over a sequence, forward and backward, f32: rows gru and lstm. The loss is the sum of
// all states times a fixed block of numbers; weights and input get gradients.
#pragma once

#include "workload.h"

namespace bench::recurrent {

inline constexpr std::int64_t kBatch = 32, kSteps = 64, kInput = 256, kHidden = 256;
inline constexpr std::int64_t kGruGates = 3, kLstmGates = 4;

inline Weights weights(std::int64_t gates) {
  Weights out;
  add_recurrent(out, "", "_l0", kInput, kHidden, gates * kHidden);
  return out;
}

/// f32[B, T, input] and f32[B, T, hidden].
inline void fill_input(float* to) { fill(to, kBatch * kSteps * kInput, 1001, 1.0f); }
inline void fill_block(float* to) { fill(to, kBatch * kSteps * kHidden, 1002, 1.0f); }

constexpr double flops(double gates) {
  return trained_product(kBatch * kSteps, kInput + kHidden, gates * kHidden);
}

}  // namespace bench::recurrent
