// Attention alone, forward and backward, f32. Rows sdpa_T: softmax(Q K^T / sqrt(D)) V of [H, T, D]
// blocks; row local the same with a window; row additive: softmax over j of v . tanh(q_i + k_j),
// then the sum of values. The loss is the sum of the result times a fixed block of numbers; all
// inputs get gradients. Row decode: multi-head self-attention a token at a time, forward only.
#pragma once

#include "workload.h"

namespace bench::sdpa {

inline constexpr std::int64_t kHeads = 8, kWidth = 64;
/// Of the rows dropout and sdpa_bf16, which are sdpa_2048 otherwise.
inline constexpr std::int64_t kBoundSteps = 2048;
/// Of the weights, in row dropout.
inline constexpr double kDropout = 0.1;

/// Queries, keys, values and the block in the loss: four times f32[1, H, T, D], number 0 .. 3.
inline void fill_block(float* to, std::int64_t steps, std::uint64_t number) {
  fill(to, kHeads * steps * kWidth, 1 + number, 1.0f);
}

constexpr double flops(double steps) { return kHeads * 2 * trained_product(steps, kWidth, steps); }

}  // namespace bench::sdpa

namespace bench::local {

/// Keys that a query attends to, half of them on either side, itself apart.
inline constexpr std::int64_t kWindow = 32;
inline constexpr std::int64_t kSteps[] = {1024, 2048, 4096, 8192};

}  // namespace bench::local

namespace bench::decode {

inline constexpr std::int64_t kHeads = 8, kWidth = 256;
/// From an empty cache on.
inline constexpr std::int64_t kSteps[] = {512, 1024, 2048, 4096};

/// Tokens [1, T, E].
inline void fill_tokens(float* to, std::int64_t steps) { fill(to, steps * kWidth, 1, 1.0f); }

}  // namespace bench::decode

namespace bench::additive {

inline constexpr std::int64_t kBatch = 16, kQueries = 128, kKeys = 128, kWidth = 256;

/// Queries [B, Q, h], keys and values [B, K, h], the block in the loss [B, Q, h]: number 0 .. 3.
inline void fill_block(float* to, std::uint64_t number) {
  fill(to, kBatch * kQueries * kWidth, 1 + number, 1.0f);
}
inline void fill_vector(float* to) { fill(to, kWidth, 5, 0.2f); }

/// A tanh counts as one: an addition, a tanh and a multiply-add forward; those again and the
/// derivative's two multiply-adds backward; and the sum of values.
constexpr double flops() {
  return kBatch * (kQueries * kKeys * kWidth * 12.0 + trained_product(kQueries, kKeys, kWidth));
}

}  // namespace bench::additive
