// Attention within buckets of places, of which there may be several ways to make them ("rounds").
#pragma once

#include <vector>

#include "../../terms.h"

namespace heed::attention {

/// q, k [N, T, D], v [N, T, Dv] -> context [N, T, Dv], weights [N, T, T] where wanted: softmax of
/// q . k / sqrt(D) over the places that are in the query's bucket in any round, i64 [N, T] each;
/// those in bucket -1 see nothing and are not seen. A place sees itself where there is nothing
/// else. In every round places are sorted by bucket, so that tiles of others are skipped; weights
/// cost a block.
Attended attend_within(const Tensor& q, const Tensor& k, const Tensor& v,
                       const std::vector<Tensor>& rounds, bool causal, bool need_weights);

/// The buckets, with -1 where `real` (bool, broadcasts; undefined: all) is false.
Tensor real_buckets(const Tensor& buckets, const Tensor& real);

}  // namespace heed::attention
