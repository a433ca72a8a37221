// Why masking weights is not enough: 0 times NaN is NaN, forward where a masked value is NaN,
// backward where a masked key or a query without keys is. So plain attention runs on finite parts,
// and what the others would have made NaN is put in afterwards, by a rule that passes no gradient.
// Decoders go on from the finite part too, and remember that they should not have.
#pragma once

#include "../masks/mask.h"

namespace heed::attention {

/// The mask's tensor but for its window, blocks, segments and rule, bool, broadcasting to the
/// scores: mostly one row for all queries. Undefined where there is nothing else.
Tensor by_keys(const Mask& mask, const Shape& scores, const char* op = "mask");

/// x with 0 in place of NaN and infinity, and a bool of x's shape that says where; undefined when
/// there are none, and x is then itself.
struct FinitePart {
  Tensor x;
  Tensor bad;
};
FinitePart finite_part(const Tensor& x);

/// A copy of `y` with NaN where `bad` is true, which passes no gradient there.
Tensor with_bad(const Tensor& y, const Tensor& bad);

/// Copies of `y` [.., n, d] with NaN in the rows where `bad` [.., n, any] holds a true.
Tensor with_bad_rows(const Tensor& y, const Tensor& bad);

/// project(x), row by row, in which rows that are not finite do not meet the weights: these would
/// have NaN for a gradient even where nobody attends to such a row. What comes out of them is NaN
/// all the same. Without `masked` nobody is hidden, and it is project(x).
template <class Project>
Tensor guarded(const Tensor& x, bool masked, const Project& project) {
  if (!masked) return project(x);
  const FinitePart finite = finite_part(x);
  const Tensor y = project(finite.x);
  return finite.bad.defined() ? with_bad_rows(y, finite.bad) : y;
}

/// a * b, both [.., n, d], in which a row that is not finite does not meet that of the other.
Tensor product_of_rows(const Tensor& a, const Tensor& b);

/// A part of a layer that takes rows one by one, as guarded() has it.
template <class Part>
class ByRows {
 public:
  ByRows(bool masked, const Part& part) : masked_(masked), part_(part) {}
  Tensor operator()(const Tensor& x) const { return guarded(x, masked_, part_); }

 private:
  bool masked_;
  const Part& part_;
};

/// What was not finite: of queries [.., Q, dq], of keys [.., K, dk], of values [.., K, dv]; each
/// may be undefined.
struct NotFinite {
  Tensor queries, keys, values;
  bool any() const { return queries.defined() || keys.defined() || values.defined(); }
};

/// For decoders, in which a query goes on from the one before: whether that one got NaN.
struct Onward {
  bool
      uses_previous_weights;  ///< by the last weights, which are 0 where a query may attend to nothing
  bool state;                 ///< by a state, which such a query leaves as it was
  Tensor spoiled;             ///< bool [.., 1, 1]; undefined: it did not
  bool any() const { return uses_previous_weights || state; }
};

/// `context` [.., Q, dv] with NaN in the rows of queries that are not finite, or may attend to a
/// key that is not, and in the features of values that are not; of decoders also in the rows that
/// go on from such a row. `scores` is [.., Q, K]; `weights`,
/// [.., Q, K] or [.., Q, K, dv], may be null or undefined. A block of queries by keys is made only
/// where something not finite may be attended to.
Tensor spread_not_finite(const Tensor& context, NotFinite what, const Mask& mask,
                         const Shape& scores, Tensor* weights, Onward* onward = nullptr);

/// The parts of a call that plain attention runs on, and afterwards NaN where it belongs. Without a
/// mask nobody is hidden: everything is then left as it is.
class NanGuard {
 public:
  /// Of keys and values nothing is looked through yet.
  NanGuard(const Tensor& query, const Tensor& keys, const Tensor& values, const Mask& mask);
  void look_through();

  const Tensor& query() const { return query_.x; }
  const Tensor& keys() const { return keys_.x; }
  const Tensor& values() const { return values_.x; }

  /// The sums of scores, [.., Q], with NaN where a score is not finite.
  Tensor spread_sums(const Tensor& sums, const Shape& scores) const;
  /// spread_not_finite() of what was found.
  Tensor spread(const Tensor& context, const Shape& scores, Tensor* weights,
                Onward* onward = nullptr) const;

 private:
  const Mask& mask_;
  FinitePart query_, keys_, values_;
  bool looked_;
};

}  // namespace heed::attention
