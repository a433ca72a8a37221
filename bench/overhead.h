// Small work, in which operators cost more than numbers; f32, forward and backward. Row chain: y =
// x, then y = y + step a thousand times, sum(y). Row tiny: sum(tanh(tanh(x W1) W2)), a hundred
// times over. All inputs get gradients.
#pragma once

#include "workload.h"

namespace bench::chain {

inline constexpr std::int64_t kAdds = 1000, kSize = 8;

inline void fill_start(float* to) { fill(to, kSize, 1, 1.0f); }
inline void fill_step(float* to) { fill(to, kSize, 2, 0.1f); }

/// Two blocks read and one written by each addition, and again to sum up the gradient of step.
constexpr double bytes() { return 6.0 * kAdds * kSize * sizeof(float); }

}  // namespace bench::chain

namespace bench::tiny {

inline constexpr std::int64_t kTimes = 100, kInput = 16, kInner = 32, kOutput = 4;

inline void fill_input(float* to) { fill(to, kInput, 1, 1.0f); }
inline void fill_first(float* to) { fill(to, kInput * kInner, 2, 0.3f); }
inline void fill_second(float* to) { fill(to, kInner * kOutput, 3, 0.3f); }

constexpr double flops() {
  return kTimes * (trained_product(1, kInput, kInner) + trained_product(1, kInner, kOutput));
}

}  // namespace bench::tiny
