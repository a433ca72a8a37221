// A call of self-attention that is not made of scores between all pairs: what it is given, checked,
// with 0 in the rows of masked keys and in place of what is not a number; and NaN put in afterwards
// for those who may see it.
#pragma once

#include "../../detail/nan_guard.h"
#include "../../terms.h"

namespace heed::attention {

/// Which ways a mechanism can look.
enum class Looks : std::uint8_t { back, both, both_or_back };

/// Whether terms are of a mask alone, with or without weights.
bool mask_alone(const Terms& terms);

class LinearCall {
 public:
  /// x [B, T, width], behind `first` steps; terms of a mask, causal or of keys, and weights. A mask
  /// by a tensor is one of scores [B, 1, T, T] and has one row for all queries. Throws ShapeError,
  /// DTypeError, ValueError for other terms and masks; all name `op`.
  LinearCall(const char* op, Looks looks, const Tensor& x, Index width, DType dtype,
             const Terms& terms, Index first = 0);

  const Tensor& x() const { return finite_.x; }
  bool causal() const { return causal_; }
  /// bool [B, T]: which keys there are; undefined: all.
  const Tensor& real() const { return real_; }
  /// The same to stand beside [B, H, T, any], bool [B, 1, T, 1].
  Tensor real_of_heads() const;
  bool need_weights() const { return need_weights_; }

  /// bool [B, T, 1]: which rows are not finite; undefined: none.
  Tensor bad_rows() const;

  /// context [B, T, E] and weights [B, H or 1, T, T] with NaN where a row sees what is none.
  void spread(Attended& out) const;
  /// What every later step would see [B, ..], with NaN in the rows of a batch that have one.
  Tensor spread_state(const Tensor& state) const;

 private:
  bool causal_, need_weights_;
  Tensor real_;
  FinitePart finite_;
};

}  // namespace heed::attention
