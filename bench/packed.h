// Row packed: a stack of encoder layers (Vaswani et al. 2017, post-norm, ReLU, no dropout), forward
// and backward, f32, over sequences of many lengths: one behind the other on our side, a padded
// batch with a mask of the padding on libtorch's. The loss is the mean square of the distance of
// all tokens to a fixed block.
#pragma once

#include "transformer.h"

namespace bench::packed {

inline constexpr std::int64_t kSequences = 64, kShortest = 16, kLongest = 512;
inline constexpr std::int64_t kLayers = 2, kWidth = 256, kHeads = 4, kInner = 1024;

/// Of each sequence, in [16, 512].
inline std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> out(kSequences);
  fill(out.data(), kSequences, 1003, kShortest, kLongest + 1);
  return out;
}
/// The same number of sequences, all of the longest length.
inline std::vector<std::int64_t> full_lengths() {
  return std::vector<std::int64_t>(kSequences, kLongest);
}
inline std::int64_t tokens(const std::vector<std::int64_t>& lengths) {
  std::int64_t sum = 0;
  for (const std::int64_t length : lengths) sum += length;
  return sum;
}

/// Of the tokens of packed_full.
inline double share() {
  return static_cast<double>(tokens(lengths())) / static_cast<double>(tokens(full_lengths()));
}

inline Weights weights() {
  Weights out;
  for (std::int64_t i = 0; i < kLayers; ++i) {
    transformer::add_encoder_layer(out, "layers." + std::to_string(i), kWidth, kInner);
  }
  return out;
}

/// f32[tokens, width] each.
inline void fill_input(float* to, std::int64_t tokens) { fill(to, tokens * kWidth, 1001, 1.0f); }
inline void fill_wanted(float* to, std::int64_t tokens) { fill(to, tokens * kWidth, 1002, 1.0f); }

/// Of the products of the tokens alone.
inline double flops() {
  double sum = 0;
  for (const std::int64_t length : lengths()) {
    const auto rows = static_cast<double>(length);
    sum += transformer::attention_flops(1, rows, kWidth) +
           transformer::inner_flops(rows, kWidth, kInner);
  }
  return kLayers * sum;
}

}  // namespace bench::packed
