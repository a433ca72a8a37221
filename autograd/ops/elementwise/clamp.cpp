#include "clamp.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/activation.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../shape/shape.h"
#include "../shape/widened.h"
#include "elementwise.h"
#include "in_i64.h"

namespace heed {

using kernels::Activation;

namespace {

[[noreturn]] void throw_no_bounds() {
  throw ValueError("clamp: it takes min, max or both; both are left out");
}

void check_bound(const char* which, const Tensor& x, const Tensor& bound) {
  if (bound.defined() && bound.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("clamp: dtypes differ: x is {}, {} is {}", describe(x), which,
                                 describe(bound)));
  }
}

// What all three derivatives look at.
struct Kept {
  Saved x, min, max;

  Tensor inside() const {
    if (!min.defined()) return x() <= max();
    if (!max.defined()) return x() >= min();
    return logical_and(x() >= min(), x() <= max());
  }
  Tensor below() const {
    const Tensor low = x() < min();
    return max.defined() ? logical_and(low, min() < max()) : low;
  }
  Tensor above() const {
    const Tensor high = x() > max();
    return min.defined() ? logical_or(high, max() < min()) : high;
  }
};

// Of i64; a bound that is no whole number there makes the whole f32.
Tensor clamp_whole(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  const auto fits = [](std::optional<double> bound) {
    return !bound || (in_i64(*bound) && *bound == std::trunc(*bound));
  };
  if (!fits(min) || !fits(max)) return clamp(to(x, DType::f32), min, max);
  Tensor out = x;
  if (min) out = maximum(out, static_cast<Index>(*min));
  if (max) out = minimum(out, static_cast<Index>(*max));
  return out;
}

}  // namespace

Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  check_defined("clamp", x, "x");
  if (!min && !max) throw_no_bounds();
  if (x.dtype() == DType::i64) return clamp_whole(x, min, max);
  if (detail::hold_bf16(x)) return clamp(detail::wide(x), min, max);
  const double a = min.value_or(-std::numeric_limits<double>::infinity());
  const double b = max.value_or(std::numeric_limits<double>::infinity());
  Array out = kernels::activation(Activation::clamp, x.array(), a, b);
  say("min", a, "max", b);
  return record(Op::clamp, std::move(out), {x}, [x = Saved(x), a, b](const Tensor& g) {
    if (!recording()) {
      return Tensor(kernels::activation_grad(Activation::clamp, g.array(), x.array(), a, b));
    }
    return where(logical_and(x() >= a, x() <= b), g, 0);
  });
}

Tensor clamp(const Tensor& x, const Tensor& min, const Tensor& max) {
  check_defined("clamp", x, "x");
  if (!min.defined() && !max.defined()) throw_no_bounds();
  if (detail::hold_bf16(x, min, max)) {
    return clamp(detail::wide(x), detail::wide(min), detail::wide(max));
  }
  if (x.dtype() != DType::i64) check_floating("clamp", x.dtype());
  check_bound("min", x, min);
  check_bound("max", x, max);
  Shape shape = x.shape();
  if (min.defined()) shape = broadcast_shapes("clamp", shape, min.shape());
  if (max.defined()) broadcast_shapes("clamp", shape, max.shape());
  if (x.dtype() == DType::i64) {
    const Tensor above = min.defined() ? maximum(x, min) : x;
    return max.defined() ? minimum(above, max) : above;
  }
  Array out = x.array();
  if (min.defined()) out = kernels::binary(kernels::Binary::maximum, out, min.array());
  if (max.defined()) out = kernels::binary(kernels::Binary::minimum, out, max.array());
  const Kept kept{Saved(x), Saved(min), Saved(max)};
  return record(
      Op::clamp, std::move(out), {x, min, max},
      [kept](const Tensor& g) { return where(kept.inside(), g, 0); },
      [kept](const Tensor& g) { return where(kept.below(), g, 0); },
      [kept](const Tensor& g) { return where(kept.above(), g, 0); });
}

}  // namespace heed
