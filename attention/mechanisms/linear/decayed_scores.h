// Scores of keys that decay: what fast_weights.h calls A.
//
//   A_ts = sum_d q_td k_sd exp(seen_td - g_sd)   for s <= t, or s < t;  0 for the others
//
// q, k [.., C, K]; g [.., C, 1] or [.., C, K] sums of log decays, which fall; `seen` where queries
// stand in them; both undefined without decay -> [.., C, C]. Each exponent that is taken is not
// positive.
#pragma once

#include <cstdint>

#include "../../../autograd/tensor.h"

namespace heed::attention {

enum class Sight : std::uint8_t { with_itself, before };

using ScoresOf = Tensor (*)(const Tensor& q, const Tensor& k, const Tensor& seen, const Tensor& g,
                            Sight sight);

/// As it is written: of a vector of decays [.., C, C, K] numbers are made.
Tensor scores_by_definition(const Tensor& q, const Tensor& k, const Tensor& seen, const Tensor& g,
                            Sight sight);

/// Of a vector of decays by products of halves: the later half of the queries sees the earlier half
/// of the keys through the last of these, exp(seen_t - g_m) exp(g_m - g_s), and so on within both;
/// C is then a power of 2.
Tensor scores_by_halves(const Tensor& q, const Tensor& k, const Tensor& seen, const Tensor& g,
                        Sight sight);

}  // namespace heed::attention
