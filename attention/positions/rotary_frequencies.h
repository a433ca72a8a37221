// How fast rotary positions turn each pair of features, and how that is slowed for contexts longer
// than those of the training. Of D turned features pair i < D / 2 turns by w_i = base^(-2i / D)
// radians a step, once in 2 pi / w_i steps. With s = factor, L = original_length:
//
//   linear       w_i / s (Chen et al. 2023, "Extending context window ... via positional
//                interpolation")
//   ntk          base s^(D / (D - 2)) for base: the first pair stays, the last slows by s (bloc97
//                2023, "NTK-aware scaled RoPE")
//   dynamic_ntk  the same with s n / L - (s - 1) for s, where n >= L are the steps so far: each key
//                in a cache stays as the steps of its own time turned it
//   yarn         k w_i + (1 - k) w_i / s, k falling from 1 to 0 in a line from pair c(beta_fast) to
//                pair c(beta_slow), c(r) = D ln(L / (2 pi r)) / (2 ln base) being the one that
//                turns r times in L; cos and sin grow by 0.1 ln s + 1 (Peng et al. 2023, "YaRN")
//   llama3       the same, k rising from 0 to 1 with the turns in L, w_i L / (2 pi), from
//                low_freq_factor to high_freq_factor (Llama 3.1)
//
// yarn is the authors' program, which published models follow. The paper's equation has k over the
// turns, as llama3 has: that with low_freq_factor 1, high_freq_factor 32 and attention_factor
// 0.1 ln s + 1 is it.
#pragma once

#include <cstdint>

#include "../../autograd/tensor.h"

namespace heed::attention {

enum class RotaryScalingKind : std::uint8_t { none, linear, ntk, dynamic_ntk, yarn, llama3 };

struct RotaryScaling {
  RotaryScalingKind kind = RotaryScalingKind::none;
  double factor = 1;            ///< s, at least 1
  Index original_length = 0;    ///< L, the steps of the training; for dynamic_ntk, yarn and llama3
  double beta_fast = 32;        ///< yarn: pairs of more turns in L stay
  double beta_slow = 1;         ///< yarn: pairs of fewer turns in L are slowed by s
  bool whole_pairs = true;      ///< yarn: c(beta_fast) is rounded down, c(beta_slow) up
  double low_freq_factor = 1;   ///< llama3: pairs of fewer turns in L are slowed by s
  double high_freq_factor = 4;  ///< llama3: pairs of more turns in L stay
  double attention_factor = 0;  ///< of cos and sin; 0: yarn's 0.1 ln s + 1, 1 for all others
};

/// Radians a step of each pair, f64 [width / 2]. `steps` are those so far, which dynamic_ntk alone
/// asks for. Throws ValueError for an odd or negative width, and for what is not finite or makes no
/// sense in base, scaling and steps.
Tensor rotary_frequencies(Index width, double base = 10000, const RotaryScaling& scaling = {},
                          double steps = 0);

/// What cos and sin are multiplied by. Throws ValueError unless it is finite and not negative.
double rotary_attention_factor(const RotaryScaling& scaling);

}  // namespace heed::attention
