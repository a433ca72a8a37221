// Words of PyTorch and NumPy that are a line of other functions, which say what dtypes they take and
// what they throw.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ops/elementwise/clamp.h"
#include "ops/elementwise/compare.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/power.h"
#include "ops/index/index.h"
#include "ops/index/mask_index.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/matmul.h"
#include "ops/normalise/softmax.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/statistics.h"
#include "ops/shape/arrange.h"
#include "ops/shape/shape.h"
#include "tensor.h"

namespace heed {

inline Tensor multiply(const Tensor& x, const Tensor& y) { return x * y; }
inline Tensor multiply(const Tensor& x, Scalar y) { return x * y; }
inline Tensor subtract(const Tensor& x, const Tensor& y) { return x - y; }
inline Tensor subtract(const Tensor& x, Scalar y) { return x - y; }
inline Tensor divide(const Tensor& x, const Tensor& y) { return x / y; }
inline Tensor divide(const Tensor& x, Scalar y) { return x / y; }
inline Tensor true_divide(const Tensor& x, const Tensor& y) { return x / y; }
inline Tensor true_divide(const Tensor& x, Scalar y) { return x / y; }
/// y - x
inline Tensor rsub(const Tensor& x, const Tensor& y) { return y - x; }
inline Tensor rsub(const Tensor& x, Scalar y) { return y - x; }
/// x / y, made whole: "floor" or "trunc"; f32 and f64. Throws ValueError for another word,
/// DTypeError.
Tensor div(const Tensor& x, const Tensor& y, const std::string& rounding);
Tensor div(const Tensor& x, Scalar y, const std::string& rounding);
/// To so many places behind the point, or for decimals < 0 before it.
Tensor round(const Tensor& x, Index decimals);
inline Tensor greater(const Tensor& x, const Tensor& y) { return x > y; }
inline Tensor greater(const Tensor& x, Scalar y) { return x > y; }
inline Tensor greater_equal(const Tensor& x, const Tensor& y) { return x >= y; }
inline Tensor greater_equal(const Tensor& x, Scalar y) { return x >= y; }
inline Tensor less(const Tensor& x, const Tensor& y) { return x < y; }
inline Tensor less(const Tensor& x, Scalar y) { return x < y; }
inline Tensor less_equal(const Tensor& x, const Tensor& y) { return x <= y; }
inline Tensor less_equal(const Tensor& x, Scalar y) { return x <= y; }
inline Tensor not_equal(const Tensor& x, const Tensor& y) { return x != y; }
inline Tensor not_equal(const Tensor& x, Scalar y) { return x != y; }

/// 2^x
inline Tensor exp2(const Tensor& x) { return pow(2, x); }
/// Inverses of sinh, cosh and tanh: of x as far as its square is finite; of x >= 1; of |x| < 1.
Tensor asinh(const Tensor& x);
Tensor acosh(const Tensor& x);
Tensor atanh(const Tensor& x);
/// The larger and the smaller, of a number and NaN the number.
Tensor fmax(const Tensor& x, const Tensor& y);
Tensor fmin(const Tensor& x, const Tensor& y);
/// x, below 0 alpha (exp(x / alpha) - 1) (Barron 2017).
Tensor celu(const Tensor& x, double alpha = 1);
/// x where x > limit, else `value`.
inline Tensor threshold(const Tensor& x, double limit, double value) {
  return masked_fill(x, x <= limit, value);
}
/// x, in [-lambda, lambda] 0; and what is outside of it brought nearer to 0 by lambda.
inline Tensor hardshrink(const Tensor& x, double lambda = 0.5) {
  return masked_fill(x, abs(x) <= lambda, 0);
}
inline Tensor softshrink(const Tensor& x, double lambda = 0.5) {
  return x - clamp(x, -lambda, lambda);
}
inline Tensor tanhshrink(const Tensor& x) { return x - tanh(x); }

inline Index numel(const Tensor& x) { return x.numel(); }
/// The axis `from` as axis `to`, the others in their order.
Tensor movedim(const Tensor& x, Index from, Index to);
inline Tensor moveaxis(const Tensor& x, Index from, Index to) { return movedim(x, from, to); }
inline Tensor swapdims(const Tensor& x, Index a, Index b) { return transpose(x, a, b); }
inline Tensor fliplr(const Tensor& x) { return flip(x, 1); }
inline Tensor flipud(const Tensor& x) { return flip(x, 0); }
/// With leading axes of 1 until there are as many; of atleast_3d a vector [n] is [1, n, 1], a matrix
/// [m, n] is [m, n, 1].
Tensor atleast_1d(const Tensor& x);
Tensor atleast_2d(const Tensor& x);
Tensor atleast_3d(const Tensor& x);
/// Side by side along the third axis, after atleast_3d().
Tensor dstack(const std::vector<Tensor>& xs);
/// All of the shape that they broadcast to.
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& xs);
/// `count` pieces, the first ones longer by one where the axis does not part evenly. Throws
/// ValueError for a count below 1.
std::vector<Tensor> tensor_split(const Tensor& x, Index count, Index axis = 0);
/// To these sizes of the axes behind batch and channels, of the nearest place. Throws ShapeError
/// unless there is one for each, and what interpolate() of options throws.
Tensor interpolate(const Tensor& x, std::initializer_list<Index> size);
/// Of two numbers: f32 where one has a point, else i64, or bool of two bools.
Tensor where(const Tensor& condition, Scalar x, Scalar y);
inline Tensor argwhere(const Tensor& x) { return nonzero(x); }
inline Tensor take_along_dim(const Tensor& x, const Tensor& index, Index axis) {
  return take_along(x, index, axis);
}

/// input + a x, of a matrix and a vector; input + the sum of a b over a batch.
inline Tensor addmv(const Tensor& input, const Tensor& a, const Tensor& x) {
  return input + mv(a, x);
}
inline Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b) {
  return input + sum(bmm(a, b), 0);
}
/// The product of matrices, from left to right. Throws ShapeError for none.
Tensor multi_dot(const std::vector<Tensor>& xs);

/// In another dtype, from the first step on. Templates, so that `{}` is none.
template <std::same_as<DType> T>
Tensor sum(const Tensor& x, T dtype) {
  return sum(to(x, dtype));
}
template <std::same_as<DType> T>
Tensor mean(const Tensor& x, T dtype) {
  return mean(to(x, dtype));
}
/// The spread and the mean.
inline std::pair<Tensor, Tensor> std_mean(const Tensor& x, const Axes& axes = {}) {
  return {stddev(x, axes), mean(x, axes)};
}
inline std::pair<Tensor, Tensor> var_mean(const Tensor& x, const Axes& axes = {}) {
  return {var(x, axes), mean(x, axes)};
}
/// Of the numbers alone, those that are NaN left out.
Tensor nanmean(const Tensor& x);
/// Of the rows of [m, n], n observations each: [m, m]; of one row its variance. Throws ShapeError for
/// other ranks, ValueError below two observations.
Tensor cov(const Tensor& x);

}  // namespace heed
