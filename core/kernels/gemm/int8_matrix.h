// The weights of linear() and embedding() in 8 bits, for what has been trained: a scale a row, the
// row's largest number over 127. Rows of x are rounded in the same way as they come; the product is
// one of integers, exact, and so has the same bits on every processor:
//
//   y[i][j] = s_i t_j sum_k p[i][k] q[j][k] + bias[j],   x[i][k] ~ s_i p[i][k],  w[j][k] ~ t_j q[j][k]
//
// Of more than 131,072 numbers a row, each such stretch is summed so, and those sums as floats. An
// element's error is about 2^-8 of |x_i|_max |w_j|_max sqrt(K), where both are 2^-126 or more, the
// least normal number, and their product 2^-112: below, scales lose digits and end as zero. A row of
// x that is not finite gives NaN. (Dettmers et al. 2022, "LLM.int8()", without its outliers.)
#pragma once

#include "../../array.h"

namespace heed::kernels {
class Int8Matrix {
 public:
  /// Of w f32 [out, in]. Throws DTypeError, ShapeError, ValueError for what is not finite.
  explicit Int8Matrix(const Array& w);

  Index in() const { return in_; }
  Index out() const { return out_; }
  /// Of the numbers held.
  std::size_t bytes() const;

  /// x f32 [.., in] w^T + bias; bias f32 [out] or undefined. Throws DTypeError, ShapeError.
  Array multiply(const Array& x, const Array& bias) const;
  /// The rows of w that ids i64 [..] name, as f32 [.., in]. Throws DTypeError, IndexError.
  Array rows(const Array& ids) const;

 private:
  Index in_, out_;
  Array panels_;            // see int8_simd.h; four int8s in the place of a float
  Array scales_, offsets_;  // f32 [out]; 128 sums of q a stretch, int32s in the places of floats
};

}  // namespace heed::kernels
