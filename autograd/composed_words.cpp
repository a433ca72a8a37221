#include "composed_words.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "../core/error.h"
#include "../core/quoted.h"
#include "check_defined.h"
#include "ops/conv/interpolate.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/rounding.h"
#include "ops/shape/join.h"

namespace heed {
namespace {

Tensor whole(const Tensor& x, const std::string& rounding) {
  if (rounding == "floor") return floor(x);
  if (rounding == "trunc") return trunc(x);
  throw ValueError(
      fmt::format("div: rounding {} is neither \"floor\" nor \"trunc\"", in_quotes(rounding)));
}

// x, or y where x is NaN.
Tensor or_else(const Tensor& x, const Tensor& y) { return where(isnan(x), y, x); }

// f(x); beyond 1e8, where its square may leave the range, log(2 x), which has all digits there.
template <class F>
Tensor or_log_of_twice(const Tensor& x, const F& f) {
  const Tensor large = x > 1e8;
  return where(large, log(masked_fill(x, ~large, 1)) + std::numbers::ln2,
               f(masked_fill(x, large, 1)));
}

}  // namespace

Tensor div(const Tensor& x, const Tensor& y, const std::string& rounding) {
  check_defined("div", x, "x", y, "y");
  check_floating("div", x.dtype());
  return whole(x / y, rounding);
}
Tensor div(const Tensor& x, Scalar y, const std::string& rounding) {
  check_defined("div", x, "x");
  check_floating("div", x.dtype());
  return whole(x / y, rounding);
}

Tensor round(const Tensor& x, Index decimals) {
  const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return decimals < 0 ? round(x / scale) * scale : round(x * scale) / scale;
}

// log(x + sqrt(x^2 + 1)) of |x|, without loss near 0.
Tensor asinh(const Tensor& x) {
  check_defined("asinh", x, "x");
  const Tensor below = x < 0.0;
  const Tensor y = or_log_of_twice(where(below, -x, x), [](const Tensor& t) {
    return log1p(t + square(t) / (1 + sqrt(square(t) + 1)));
  });
  return where(below, -y, y);
}
Tensor acosh(const Tensor& x) {
  check_defined("acosh", x, "x");
  return or_log_of_twice(x, [](const Tensor& t) { return log1p(t - 1 + sqrt((t - 1) * (t + 1))); });
}
Tensor atanh(const Tensor& x) {
  check_defined("atanh", x, "x");
  return (log1p(x) - log1p(-x)) * 0.5;
}

Tensor fmax(const Tensor& x, const Tensor& y) {
  check_defined("fmax", x, "x", y, "y");
  return maximum(or_else(x, y), or_else(y, x));
}
Tensor fmin(const Tensor& x, const Tensor& y) {
  check_defined("fmin", x, "x", y, "y");
  return minimum(or_else(x, y), or_else(y, x));
}

Tensor celu(const Tensor& x, double alpha) {
  if (alpha == 0) throw ValueError("celu: alpha must not be 0");
  return relu(x) + alpha * expm1(clamp(x, {}, 0.0) / alpha);
}

Tensor movedim(const Tensor& x, Index from, Index to) {
  check_defined("movedim", x, "x");
  from = normalize_axis("movedim", from, x.rank());
  to = normalize_axis("movedim", to, x.rank());
  std::vector<Index> axes;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (axis != from) axes.push_back(axis);
  }
  axes.insert(axes.begin() + to, from);
  return permute(x, axes);
}

Tensor atleast_1d(const Tensor& x) { return x.rank() == 0 ? unsqueeze(x, 0) : x; }
Tensor atleast_2d(const Tensor& x) { return x.rank() < 2 ? unsqueeze(atleast_1d(x), 0) : x; }
Tensor atleast_3d(const Tensor& x) { return x.rank() < 3 ? unsqueeze(atleast_2d(x), 2) : x; }
Tensor dstack(const std::vector<Tensor>& xs) {
  std::vector<Tensor> deep;
  for (const Tensor& x : xs) deep.push_back(atleast_3d(x));
  return concat(deep, 2);
}

std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& xs) {
  Shape shape;
  for (const Tensor& x : xs) shape = broadcast_shapes("broadcast_tensors", shape, x.shape());
  std::vector<Tensor> out;
  for (const Tensor& x : xs) out.push_back(expand(x, shape));
  return out;
}

std::vector<Tensor> tensor_split(const Tensor& x, Index count, Index axis) {
  check_defined("tensor_split", x, "x");
  if (count < 1) throw ValueError(fmt::format("tensor_split: {} pieces", count));
  const Index size = x.size(axis);
  std::vector<Index> lengths(static_cast<std::size_t>(count), size / count);
  for (Index i = 0; i < size % count; ++i) ++lengths[static_cast<std::size_t>(i)];
  return split(x, lengths, axis);
}

Tensor interpolate(const Tensor& x, std::initializer_list<Index> size) {
  check_defined("interpolate", x, "x");
  const Index* const sizes = size.begin();
  if (size.size() != 1 && size.size() != 2) return interpolate(x, InterpolateOptions{});
  if (static_cast<Index>(size.size()) != x.rank() - 2) {
    throw ShapeError(fmt::format("interpolate: {} sizes for {}", size.size(), describe(x)));
  }
  return interpolate(x,
                     {.size = size.size() == 1 ? PerAxis(sizes[0]) : PerAxis(sizes[0], sizes[1])});
}

Tensor where(const Tensor& condition, Scalar x, Scalar y) {
  check_defined("where", condition, "condition");
  const bool point = x.dtype() == DType::f32 || y.dtype() == DType::f32;
  const bool bools = x.dtype() == DType::boolean && y.dtype() == DType::boolean;
  const DType dtype = point ? DType::f32 : bools ? DType::boolean : DType::i64;
  return where(condition, full({}, x, dtype), full({}, y, dtype));
}

Tensor multi_dot(const std::vector<Tensor>& xs) {
  if (xs.empty()) throw ShapeError("multi_dot: there is no matrix");
  Tensor out = xs[0];
  for (std::size_t i = 1; i < xs.size(); ++i) out = matmul(out, xs[i]);
  return out;
}

Tensor nanmean(const Tensor& x) {
  check_defined("nanmean", x, "x");
  const Tensor none = isnan(x);
  return sum(masked_fill(x, none, 0)) / sum(to(~none, x.dtype()));
}

Tensor cov(const Tensor& x) {
  check_defined("cov", x, "x");
  if (x.rank() < 1 || x.rank() > 2) {
    throw ShapeError(fmt::format("cov: {} has neither rank 1 nor 2", describe(x)));
  }
  const Index count = x.size(-1);
  if (count < 2) throw ValueError(fmt::format("cov: {} has {} observations", describe(x), count));
  const Tensor from = atleast_2d(x - mean(x, -1, true));
  const Tensor out = matmul(from, transpose(from, 0, 1)) / static_cast<double>(count - 1);
  return x.rank() == 1 ? reshape(out, Shape{}) : out;
}

}  // namespace heed
