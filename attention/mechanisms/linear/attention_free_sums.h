// The sums of the attention free Transformer with positions (attention_free_full.h), feature by
// feature, without a weight for each feature and pair of places:
//
//   y_t = sum_s exp(k_s + w_ts) v_s / sum_s exp(k_s + w_ts) = exp(w_t) (e o v) / exp(w_t) e,
//   e = exp(k)
//
// k, v [S, N], of N features side by side, all examples' own; w [Q, S] -> context [Q, N, 1] and
// log_sums [Q, N], as merge() takes them. So that exp(k) never overflows, sums are of exp(k_s - m),
// m the largest k of those that all queries see, and of exp(w_ts - max_s w_ts): of causal ones m is
// never that of a later step, and no bit of a result knows of one.
#pragma once

#include <functional>

#include "../../terms.h"

namespace heed::attention {

/// Whether no sum can come out as 0 by rounding: the largest w is near enough to the least.
bool sums_hold(const Tensor& w);

/// Over all s, in two products of matrices: O(Q S N).
Attended sums_over_all(const Tensor& k, const Tensor& v, const Tensor& w);

/// Over s <= t, w [T, T]: the later half of the steps sees all of the earlier one, and so on in
/// each half, down to `block` steps, which are attended to in tiles. O(T^2 N).
Attended causal_sums(const Tensor& k, const Tensor& v, const Tensor& w, Index block);

/// w of `queries` places from `query` on by `keys` places from `key` on.
using PlaceBiases = std::function<Tensor(Index query, Index queries, Index key, Index keys)>;

/// Over s <= t, where w_ts is 0 unless t - s < window: for each block of steps, the keys that are
/// near in tiles, and the sum of all others, which goes on from block to block. O(T (window +
/// block) N); no w is asked for of what is far.
Attended local_sums(const Tensor& k, const Tensor& v, const PlaceBiases& w, Index window,
                    Index block);

}  // namespace heed::attention
