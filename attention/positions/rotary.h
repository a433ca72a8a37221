// Rotary positions (Su et al. 2021, "RoFormer", section 3.2.2): each pair of features is turned by
// an angle that grows with the place t, so that the product of a query and a key depends on how
// far apart they stand:
//
//   [a', b'] = [a cos(t w_i) - b sin(t w_i),  a sin(t w_i) + b cos(t w_i)],  w_i = base^(-2i / D)
//
// Pair i is (x_{2i}, x_{2i+1}), or (x_i, x_{i+D/2}) where `halves`. A model's weights know one of
// the two. rotary_frequencies.h has the w_i of longer contexts.
#pragma once

#include <cstdint>

#include "../../autograd/tensor.h"
#include "rotary_frequencies.h"

namespace heed::attention {

enum class RotaryLayout : std::uint8_t {
  pairs,   ///< x_{2i}, x_{2i+1}: RoFormer, GPT-J, Meta's LLaMA
  halves,  ///< x_i, x_{i+D/2}: GPT-NeoX, and LLaMA as transformers stores it
};

struct RotaryOptions {
  double base = 10000;
  RotaryLayout layout = RotaryLayout::pairs;
  Index width = 0;  ///< D, even: the first features are turned, the rest stay; 0: all are turned
  RotaryScaling scaling = {};
};

/// x [.., T, D], whose first step stands at place `first`. f32, f64. Throws ShapeError for an odd
/// D, fewer axes than two, eight axes of pairs, and places beyond 64 bits, ValueError for a base
/// that is not positive and finite.
Tensor rotary(const Tensor& x, Index first = 0, double base = 10000);

/// The same with options. Throws also ShapeError for a width beyond x's, ValueError for an odd or
/// negative one and as rotary_frequencies().
Tensor rotary(const Tensor& x, const RotaryOptions& options, Index first = 0);

/// The same with the place of each step, i64 or floating, which get no gradient. They broadcast to
/// x's shape without its last axis: [T] for all, [B, T] for x [B, T, D]. Beside x [B, H, T, D],
/// [B, T] holds for all heads. Throws also ShapeError for places that do not broadcast, DTypeError
/// for others, GradError while recording for some that require a gradient.
Tensor rotary(const Tensor& x, const Tensor& positions, const RotaryOptions& options = {});

}  // namespace heed::attention
