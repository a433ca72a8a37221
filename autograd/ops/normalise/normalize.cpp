#include "normalize.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "../elementwise/power.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "standardize.h"

namespace heed {
namespace {

// (sum |x|^p)^(1/p), or `eps` without a gradient where that is larger.
Tensor length(const Tensor& x, double p, Index axis, double eps) {
  const Tensor zero = tensor(0, x.dtype()), one = tensor(1, x.dtype());
  const Tensor bound = tensor(eps, x.dtype());
  const auto at_least = [&](const Tensor& norm) { return where(norm <= bound, bound, norm); };
  if (p == 1) return at_least(sum(abs(x), {axis}, true));
  if (std::isinf(p)) return at_least(amax(abs(x), {axis}, true));
  // A root has no slope at 0, where the bound, whose own power may be 0, is taken in any case.
  const auto root_of = [&](const Tensor& sums, const auto& root) {
    const Tensor some = sums != zero;  // also where it is NaN
    return at_least(where(some, root(where(some, sums, one)), zero));
  };
  if (p == 2) {
    return root_of(sum(square(x), {axis}, true), [](const Tensor& s) { return sqrt(s); });
  }
  const Tensor size = abs(x);
  const Tensor some = size != zero;
  const Tensor powers = where(some, pow(where(some, size, one), p), zero);
  return root_of(sum(powers, {axis}, true), [p](const Tensor& s) { return pow(s, 1 / p); });
}

Tensor unit(const Tensor& x, double p, Index axis, double eps) {
  return x.numel() == 0 ? clone(x) : x / length(x, p, axis, eps);
}

}  // namespace

Tensor normalize(const Tensor& x, double p, Index axis, double eps) {
  check_defined("normalize", x, "x");
  check_floating("normalize", x.dtype());
  check_eps("normalize", eps);
  if (!(p >= 1)) throw ValueError(fmt::format("normalize: p {} is not at least 1", p));
  return unit(x, p, normalize_axis("normalize", axis, x.rank()), eps);
}

Tensor cosine_similarity(const Tensor& x, const Tensor& y, Index axis, double eps) {
  check_defined("cosine_similarity", x, "x", y, "y");
  check_floating("cosine_similarity", x.dtype());
  check_eps("cosine_similarity", eps);
  if (x.dtype() != y.dtype()) {
    throw DTypeError(fmt::format("cosine_similarity: dtypes differ: x is {}, y is {}", describe(x),
                                 describe(y)));
  }
  const Shape shape = broadcast_shapes("cosine_similarity", x.shape(), y.shape());
  axis = normalize_axis("cosine_similarity", axis, shape.rank());
  return sum(unit(expand(x, shape), 2, axis, eps) * unit(expand(y, shape), 2, axis, eps), {axis});
}

}  // namespace heed
