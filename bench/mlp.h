// A network of 784 to 128 to 10 on 128 pictures, one training step with Adam: a dozen short
// parallel regions. Part of the row crowded.
#pragma once

#include "workload.h"

namespace bench::mlp {

inline constexpr std::int64_t kBatch = 128, kInput = 784, kInner = 128, kOutput = 10;
inline constexpr double kLearningRate = 1e-3;

inline void fill_pictures(float* to) { fill(to, kBatch * kInput, 101, 1.0f); }
inline void fill_labels(std::int64_t* to) { fill(to, kBatch, 102, 0, kOutput); }

inline Weights weights() {
  Weights out;
  add_linear(out, "hidden", kInput, kInner);
  add_linear(out, "out", kInner, kOutput);
  return out;
}

}  // namespace bench::mlp
