// Words that users of PyTorch and NumPy bring and that mean something of ours. Those that heed has no
// function for are in refused_words.h.
#pragma once

#include <concepts>
#include <cstdio>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

#include "../core/parallel.h"
#include "anomaly.h"
#include "backward.h"
#include "composed_words.h"
#include "grad_mode.h"
#include "gradcheck.h"
#include "ops/conv/conv.h"
#include "ops/conv/conv3d.h"
#include "ops/conv/pool.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/clamp.h"
#include "ops/elementwise/dropout.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/power.h"
#include "ops/elementwise/rounding.h"
#include "ops/index/index.h"
#include "ops/index/sort.h"
#include "ops/linalg/inverse.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/matmul.h"
#include "ops/losses/binary_cross_entropy.h"
#include "ops/reduce/reduce.h"
#include "ops/reduce/statistics.h"
#include "ops/shape/arrange.h"
#include "ops/shape/join.h"
#include "ops/shape/pad.h"
#include "ops/shape/shape.h"
#include "refused_words.h"

namespace heed {

// NOLINTBEGIN(readability-identifier-naming)
using no_grad = NoGrad;
using NoGradGuard = NoGrad;
using enable_grad = EnableGrad;
using inference_mode = InferenceMode;
using AutoGradMode = GradMode;
using detect_anomaly = DetectAnomaly;
using AnomalyMode = DetectAnomaly;
inline constexpr DType kFloat = DType::f32, kFloat32 = DType::f32, kDouble = DType::f64,
                       kFloat64 = DType::f64, kLong = DType::i64, kInt64 = DType::i64,
                       kBool = DType::boolean, kBFloat16 = DType::bf16;
// NOLINTEND(readability-identifier-naming)

inline Tensor add(const Tensor& x, const Tensor& y) { return x + y; }
inline Tensor add(const Tensor& x, Scalar y) { return x + y; }
inline Tensor sub(const Tensor& x, const Tensor& y) { return x - y; }
inline Tensor sub(const Tensor& x, Scalar y) { return x - y; }
inline Tensor mul(const Tensor& x, const Tensor& y) { return x * y; }
inline Tensor mul(const Tensor& x, Scalar y) { return x * y; }
inline Tensor div(const Tensor& x, const Tensor& y) { return x / y; }
inline Tensor div(const Tensor& x, Scalar y) { return x / y; }
inline Tensor neg(const Tensor& x) { return -x; }
inline Tensor eq(const Tensor& x, const Tensor& y) { return x == y; }
inline Tensor ne(const Tensor& x, const Tensor& y) { return x != y; }
inline Tensor lt(const Tensor& x, const Tensor& y) { return x < y; }
inline Tensor le(const Tensor& x, const Tensor& y) { return x <= y; }
inline Tensor gt(const Tensor& x, const Tensor& y) { return x > y; }
inline Tensor ge(const Tensor& x, const Tensor& y) { return x >= y; }
inline Tensor eq(const Tensor& x, Scalar y) { return x == y; }
inline Tensor ne(const Tensor& x, Scalar y) { return x != y; }
inline Tensor lt(const Tensor& x, Scalar y) { return x < y; }
inline Tensor le(const Tensor& x, Scalar y) { return x <= y; }
inline Tensor gt(const Tensor& x, Scalar y) { return x > y; }
inline Tensor ge(const Tensor& x, Scalar y) { return x >= y; }
inline Tensor operator+(const Tensor& x) { return x; }
inline Tensor bce_with_logits(const Tensor& logits, const Tensor& targets) {
  return binary_cross_entropy_with_logits(logits, targets);
}
/// x + alpha y, x - alpha y
inline Tensor add(const Tensor& x, const Tensor& y, Scalar alpha) { return x + alpha * y; }
inline Tensor sub(const Tensor& x, const Tensor& y, Scalar alpha) { return x - alpha * y; }
/// What is behind the point, with x's sign.
inline Tensor frac(const Tensor& x) { return x - trunc(x); }
inline Tensor swish(const Tensor& x) { return silu(x); }
inline Tensor logsigmoid(const Tensor& x) { return log_sigmoid(x); }
/// log(x / (1 - x))
inline Tensor logit(const Tensor& x) { return log(x) - log1p(-x); }
/// Numbers alone, those that are NaN left out.
inline Tensor nansum(const Tensor& x) { return sum(where(isnan(x), 0, x)); }
/// The least and the greatest.
inline std::pair<Tensor, Tensor> aminmax(const Tensor& x) { return {min(x), max(x)}; }
inline Tensor ravel(const Tensor& x) { return flatten(x); }
inline Tensor vdot(const Tensor& x, const Tensor& y) { return dot(x, y); }
inline Tensor ger(const Tensor& x, const Tensor& y) { return outer(x, y); }
/// The norm of x - y.
inline Tensor dist(const Tensor& x, const Tensor& y, double p = 2) { return norm(x - y, p); }
inline Tensor clamp_min(const Tensor& x, double min) { return clamp(x, min); }
inline Tensor clamp_max(const Tensor& x, double max) { return clamp(x, {}, max); }
/// Of all elements, one behind the other.
inline Tensor take(const Tensor& x, const Tensor& index) {
  return reshape(index_select(flatten(x), 0, flatten(index)), index.shape());
}
/// Rows below each other, and side by side; of rank 1 and more.
inline Tensor vstack(std::vector<Tensor> xs) {
  for (Tensor& x : xs) x = x.rank() == 1 ? unsqueeze(x, 0) : x;
  return cat(xs, 0);
}
inline Tensor hstack(const std::vector<Tensor>& xs) {
  return cat(xs, !xs.empty() && xs[0].rank() == 1 ? 0 : 1);
}
/// Vectors as columns, matrices side by side.
inline Tensor column_stack(std::vector<Tensor> xs) {
  for (Tensor& x : xs) x = x.rank() == 1 ? unsqueeze(x, 1) : x;
  return cat(xs, 1);
}
inline Tensor concatenate(const std::vector<Tensor>& xs, Index axis = 0) { return cat(xs, axis); }
/// Of all elements, one behind the other.
inline Tensor repeat_interleave(const Tensor& x, Index repeats) {
  return repeat_interleave(flatten(x), repeats, 0);
}
/// x[i + 1] - x[i] along the axis.
inline Tensor diff(const Tensor& x, Index axis = -1) {
  const Index count = x.size(axis) > 0 ? x.size(axis) - 1 : 0;
  return narrow(x, axis, x.size(axis) - count, count) - narrow(x, axis, 0, count);
}
inline Tensor swapaxes(const Tensor& x, Index a, Index b) { return transpose(x, a, b); }
inline Tensor normal(double mean, double deviation, const Shape& shape) {
  return mean + deviation * randn(shape);
}
inline Tensor randn(const Shape& shape, Generator& generator) {
  return randn(shape, DType::f32, generator);
}
inline Tensor rand(const Shape& shape, Generator& generator) {
  return rand(shape, DType::f32, generator);
}
/// `values` in row-major order, of their own dtype.
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values, const Shape& shape) {
  return reshape(tensor(values), shape);
}
/// Rows of one length. Throws ShapeError.
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<std::vector<T>>& rows) {
  std::vector<Tensor> out;
  for (const std::vector<T>& row : rows) out.push_back(tensor(row));
  return stack(out);
}
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<std::vector<T>>& rows,
                                               DType dtype) {
  return to(tensor(rows), dtype);
}
inline Tensor as_tensor(const Tensor& x) { return x; }
inline Tensor as_tensor(std::initializer_list<Nested> values) { return tensor(values); }
template <class T>
requires std::is_arithmetic_v<T> Tensor as_tensor(const std::vector<T>& values) {
  return tensor(values);
}
inline Tensor randint(Index low, Index high, const Shape& shape, DType dtype) {
  return to(randint(low, high, shape), dtype);
}
inline Tensor randint(Index high, const Shape& shape, DType dtype) {
  return to(randint(high, shape), dtype);
}
/// x's shape and dtype.
inline Tensor randint_like(const Tensor& x, Index low, Index high) {
  return to(randint(low, high, x.shape()), x.dtype());
}
inline Tensor randint_like(const Tensor& x, Index high) { return randint_like(x, 0, high); }
inline Tensor scalar_tensor(Scalar value) { return full({}, value); }
inline Tensor dropout(const Tensor& x) { return dropout(x, 0.5); }
/// base^first .. base^last, as linspace() of the exponents.
inline Tensor logspace(double first, double last, Index count, double base = 10) {
  return to(pow(base, linspace(first, last, count, DType::f64)), DType::f32);
}
inline Tensor addcmul(const Tensor& input, const Tensor& x, const Tensor& y, Scalar value = 1) {
  return input + value * (x * y);
}
inline Tensor addcdiv(const Tensor& input, const Tensor& x, const Tensor& y, Scalar value = 1) {
  return input + value * (x / y);
}
/// input + a b, of batches
inline Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b) {
  return input + bmm(a, b);
}
/// input + a b
inline Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b) {
  return input + mm(a, b);
}
/// Around x, `value`.
inline Tensor pad(const Tensor& x, const std::vector<Index>& pads, Scalar value) {
  return pad(x, pads, PadMode::constant, value);
}
/// Without a bias; and by steps alike along all axes.
inline Tensor conv1d(const Tensor& x, const Tensor& weight, const Conv1dOptions& options) {
  return conv1d(x, weight, Tensor(), options);
}
inline Tensor conv2d(const Tensor& x, const Tensor& weight, const Conv2dOptions& options) {
  return conv2d(x, weight, Tensor(), options);
}
inline Tensor conv3d(const Tensor& x, const Tensor& weight, const Conv3dOptions& options) {
  return conv3d(x, weight, Tensor(), options);
}
template <std::integral T>
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, T stride,
              Index padding = 0, Index dilation = 1, Index groups = 1) {
  return conv1d(x, weight, bias, {stride, padding, dilation, groups});
}
template <std::integral T>
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, T stride,
              Index padding = 0, Index dilation = 1, Index groups = 1) {
  return conv2d(x, weight, bias, {Index{stride}, padding, dilation, groups});
}
/// The square's side, and by how much it moves.
inline Tensor max_pool2d(const Tensor& x, Index kernel, Index stride, Index padding = 0) {
  return max_pool2d(x, {.kernel = kernel, .stride = PerAxis(stride), .padding = padding});
}
inline Tensor avg_pool2d(const Tensor& x, Index kernel, Index stride, Index padding = 0) {
  return avg_pool2d(x, {.kernel = kernel, .stride = PerAxis(stride), .padding = padding});
}
inline int get_num_threads() { return num_threads(); }
inline bool is_grad_enabled() { return recording(); }
inline std::string to_string(DType dtype) { return name(dtype); }
inline std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }
inline void print(const Tensor& x) { std::puts(to_string(x).c_str()); }
/// Of a function of one tensor.
template <class F>
requires std::is_invocable_r_v<Tensor, F, const Tensor&> GradcheckReport
gradcheck(const F& function, const Tensor& input, const GradcheckOptions& options = {}) {
  return gradcheck(std::function<Tensor(const std::vector<Tensor>&)>(
                       [&](const std::vector<Tensor>& x) { return function(x[0]); }),
                   {input}, options);
}
/// The gradient of one output by one input; of lists in braces it is backward.h's.
template <std::same_as<Tensor> T>
Tensor grad(const T& output, const T& input, const BackwardOptions& options = {}) {
  return grad(std::vector<Tensor>{output}, std::vector<Tensor>{input}, {}, options)[0];
}

/// `output.backward(gradient, options)`; of lists in braces it is backward.h's.
template <std::same_as<Tensor> T>
void backward(const T& output, const Tensor& gradient = Tensor(),
              const BackwardOptions& options = {}) {
  output.backward(gradient, options);
}
inline Tensor detach(const Tensor& x) { return x.detach(); }

/// autograd::grad is grad, functional::jacobian jacobian; linalg::norm is norm.
namespace autograd = ::heed;
namespace functional = ::heed;
namespace linalg {
using heed::inverse;
using heed::matmul;
using heed::multi_dot;
using heed::norm;
}  // namespace linalg

}  // namespace heed
