// The row lstmn: a layer of the LSTM-network of Cheng et al. 2016 over a sequence, forward and
// backward, f32. The loss is the sum of all states times a fixed block of numbers; weights and
// input get gradients.
//
//   a_i = v^T tanh(W_h h_i + W_x x_t + W_t htilde_{t-1}), i < t;  s = softmax(a)
//   [htilde; ctilde] = sum_i s_i [h_i; c_i];  h_t, c_t = LSTM cell of x_t from htilde, ctilde
#pragma once

#include "workload.h"

namespace bench::lstmn {

inline constexpr std::int64_t kBatch = 32, kSteps = 64, kInput = 256, kHidden = 256;

inline Weights weights() {
  Weights out;
  add_recurrent(out, "layers.0.gates.", "", kInput, kHidden, 4 * kHidden);
  out.push_back({"layers.0.hidden_attention.weight", kHidden, kHidden, 0.06f});
  out.push_back({"layers.0.input_attention.weight", kHidden, kInput, 0.06f});
  out.push_back({"layers.0.summary_attention.weight", kHidden, kHidden, 0.06f});
  out.push_back({"layers.0.score_vector", kHidden, 0, 0.3f});
  return out;
}

inline void fill_input(float* to) { fill(to, kBatch * kSteps * kInput, 1001, 1.0f); }
inline void fill_block(float* to) { fill(to, kBatch * kSteps * kHidden, 1002, 1.0f); }

/// Of the matrix products; the scores' tanh are not counted.
constexpr double flops() {
  constexpr double pairs = kBatch * kSteps * (kSteps - 1) / 2.0;
  return trained_product(kBatch * kSteps, kInput + kHidden, 4 * kHidden) +
         trained_product(kBatch * kSteps, kInput + 2 * kHidden, kHidden) +
         trained_product(pairs, 1, 3 * kHidden);
}

}  // namespace bench::lstmn
