#include "statistics.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../../core/kernels/reduce/reduce.h"
#include "../../../core/kernels/reduce/variance.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../elementwise/power.h"
#include "../shape/shape.h"
#include "reduce.h"

namespace heed {
namespace {

// How many elements make one of the result; 0 where the result is empty. Throws ShapeError where
// it is not, but they are none.
Index count_of(const char* op, const Tensor& x, const std::vector<Index>& axes) {
  check_floating(op, x.dtype());
  const Shape kept =
      kernels::reduced_shape(x.shape(), kernels::normalize_axes(op, axes, x.rank()), true);
  if (kept.numel() == 0) return 0;
  if (x.numel() == 0)
    throw ShapeError(fmt::format("{}: no elements to reduce in {}", op, describe(x)));
  return x.numel() / kept.numel();
}

Tensor var_named(const char* op, const Tensor& x, const Axes& axes, bool keepdim,
                 Index correction) {
  check_defined(op, x, "x");
  const Index count = count_of(op, x, axes);
  if (correction < 0 || (count > 0 && correction >= count)) {
    throw ValueError(fmt::format("{}: correction {} is not in [0, {}), the elements of a mean", op,
                                 correction, count));
  }
  const double over = static_cast<double>(count - correction);
  const std::vector<Index> places = kernels::normalize_axes(op, axes, x.rank());
  const Shape kept = kernels::reduced_shape(x.shape(), places, true);
  const Tensor from = x.detach();
  const bool plain = traced() || count == 0 || places.empty() || !is_computed(x.dtype());
  Tensor out = plain ? sum(square(from - mean(from, axes, true)), axes, keepdim) / over
                     : Tensor(kernels::variance(x.array(), places, over, keepdim));
  if (traced()) return out;
  // gx = 2 g (x - mean) / (n - correction)
  return record(Op::var, out.array(), {x}, [x = Saved(x), axes, kept, over](const Tensor& g) {
    return reshape(g * (2 / over), kept) * (x() - mean(x(), axes, true));
  });
}

// f(x), and `at_zero` without a gradient where x is 0: there f's may be infinite.
template <class F>
Tensor apart_from_zero(const Tensor& x, double at_zero, const F& f) {
  const Tensor zero = x.detach() == tensor(0, x.dtype());
  return masked_fill(f(masked_fill(x, zero, 1)), zero, at_zero);
}

Tensor root(const Tensor& x) {
  return apart_from_zero(x, 0, [](const Tensor& above) { return sqrt(above); });
}

// x^p for x >= 0
Tensor power(const Tensor& x, double p) {
  return apart_from_zero(x, p < 0 ? INFINITY : 0,
                         [p](const Tensor& above) { return pow(above, p); });
}

}  // namespace

Tensor var(const Tensor& x, const Axes& axes, bool keepdim, Index correction) {
  return var_named("var", x, axes, keepdim, correction);
}

Tensor stddev(const Tensor& x, const Axes& axes, bool keepdim, Index correction) {
  return root(var_named("stddev", x, axes, keepdim, correction));
}

Tensor norm(const Tensor& x, double p, const Axes& axes, bool keepdim) {
  check_defined("norm", x, "x");
  check_floating("norm", x.dtype());
  kernels::normalize_axes("norm", axes, x.rank());
  if (std::isnan(p)) throw ValueError("norm: p is nan");
  if (p < 0 || std::isinf(p)) count_of("norm", x, axes);
  if (p == 2) return root(sum(square(x), axes, keepdim));
  if (p == 0) return sum(to(x != tensor(0, x.dtype()), x.dtype()), axes, keepdim);
  const Tensor size = abs(x);
  if (p == 1) return sum(size, axes, keepdim);
  if (std::isinf(p)) return p > 0 ? amax(size, axes, keepdim) : amin(size, axes, keepdim);
  return power(sum(power(size, p), axes, keepdim), 1 / p);
}

}  // namespace heed
