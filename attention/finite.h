// Why masking weights is not enough: 0 times NaN is NaN, forward where a masked value is NaN,
// backward where a masked key or a query without keys is. So plain attention runs on finite parts,
// and what the others would have made NaN is put in afterwards, by a rule that passes no gradient.
#pragma once

#include "mask.h"

namespace heed::attention {

/// x with 0 in place of NaN and infinity, and a bool of x's shape that says where; undefined when
/// there are none, and x is then itself.
struct FinitePart {
  Tensor x;
  Tensor bad;
};
FinitePart finite_part(const Tensor& x);

/// What was not finite: of queries [.., Q, dq], of keys [.., K, dk], of values [.., K, dv]; each
/// may be undefined.
struct NotFinite {
  Tensor queries, keys, values;
  bool any() const { return queries.defined() || keys.defined() || values.defined(); }
};

/// `context` [.., Q, dv] with NaN in the rows of queries that are not finite, or may attend to a
/// key that is not, and in the features of values that are not. `scores` is [.., Q, K]; `weights`,
/// [.., Q, K] or [.., Q, K, dv], may be null or undefined. A block of queries by keys is made only
/// where something not finite may be attended to.
Tensor spread_not_finite(const Tensor& context, NotFinite what, const Mask& mask,
                         const Shape& scores, Tensor* weights);

}  // namespace heed::attention
