#include "elementwise.h"

#include <fmt/format.h>

#include <numbers>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/elementwise/libm.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../shape/shape.h"
#include "in_i64.h"

namespace heed {

using kernels::Binary;
using kernels::Libm;
using kernels::Unary;

namespace {

Array apply(Unary op, const Tensor& x) {
  check_defined(name(op), x, "x");
  return kernels::unary(op, x.array());
}
Array apply(Libm op, const Tensor& x) {
  check_defined(name(op), x, "x");
  return kernels::libm(op, x.array().widened());
}
Array apply(Binary op, const Tensor& x, const Tensor& y) {
  check_defined(name(op), x, "x", y, "y");
  return kernels::binary(op, x.array(), y.array());
}

// The derivative of an operator of one input in one pass, from the incoming gradient and what was
// kept: over that gradient where nobody else holds it.
Tensor fused(Binary rule, const Tensor& g, const Array& kept) {
  if (!g.impl()->unique() || !g.array().unique() || !g.array().is_contiguous()) {
    return kernels::binary(rule, g.array(), kept);
  }
  kernels::binary_into(rule, g.impl()->array, kept);
  return Tensor(g.array());
}

// A tensor and a number beside it, in one dtype. A tensor that is undefined is for the operator to
// refuse.
struct Widened {
  Widened(const Tensor& tensor, Scalar number) : x(tensor) {
    if (!x.defined() || is_floating(x.dtype())) {
      y = Array::full(Shape{}, number.value(), x.defined() ? widened(x.dtype()) : DType::f32);
      return;
    }
    const DType dtype = number.dtype() == DType::boolean ? x.dtype() : number.dtype();
    if (dtype != x.dtype()) x = to(x, dtype);
    y = full(Shape{}, number, dtype);
  }
  Tensor x, y;
};

// A number as a tensor that fits beside x. One that is undefined is for the operator to refuse.
Tensor like(const Tensor& x, Scalar value) {
  return full(Shape{}, value, x.defined() ? widened(x.dtype()) : DType::f32);
}

// g but where x loses to y, half of it where they are equal. NaN never loses.
Tensor share(const Tensor& g, kernels::Compare loses, const Tensor& x, const Tensor& y) {
  const Tensor lost = kernels::compare(loses, x.array(), y.array());
  return where(lost, 0, where(x == y, 0.5 * g, g));
}

}  // namespace

Tensor operator+(const Tensor& x, const Tensor& y) {
  const auto rule = [](const Tensor& g) { return g; };
  return record(Op::add, apply(Binary::add, x, y), {x, y}, rule, rule);
}

Tensor operator-(const Tensor& x, const Tensor& y) {
  return record(
      Op::sub, apply(Binary::sub, x, y), {x, y}, [](const Tensor& g) { return g; },
      [](const Tensor& g) { return -g; });
}

Tensor operator*(const Tensor& x, const Tensor& y) {
  return record(
      Op::mul, apply(Binary::mul, x, y), {x, y},
      [y = Saved(y)](const Tensor& g) { return g * y(); },
      [x = Saved(x)](const Tensor& g) { return g * x(); });
}

// gy = -g x / y^2, where y^2 alone may overflow
Tensor operator/(const Tensor& x, const Tensor& y) {
  if (x.defined() && y.defined() && x.dtype() == y.dtype() && !is_floating(x.dtype())) {
    return to(x, DType::f32) / to(y, DType::f32);
  }
  return record(
      Op::div, apply(Binary::div, x, y), {x, y},
      [y = Saved(y)](const Tensor& g) { return g / y(); },
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return -(g * (x() / y() / y())); });
}

Tensor operator-(const Tensor& x) {
  return record(Op::neg, apply(Unary::neg, x), {x}, [](const Tensor& g) { return -g; });
}

Tensor operator+(const Tensor& x, Scalar y) {
  const Widened wide(x, y);
  return wide.x + wide.y;
}
Tensor operator-(const Tensor& x, Scalar y) {
  const Widened wide(x, y);
  return wide.x - wide.y;
}
Tensor operator*(const Tensor& x, Scalar y) {
  const Widened wide(x, y);
  return wide.x * wide.y;
}
Tensor operator/(const Tensor& x, Scalar y) {
  const Widened wide(x, y);
  return wide.x / wide.y;
}
Tensor operator+(Scalar x, const Tensor& y) {
  const Widened wide(y, x);
  return wide.y + wide.x;
}
Tensor operator-(Scalar x, const Tensor& y) {
  const Widened wide(y, x);
  return wide.y - wide.x;
}
Tensor operator*(Scalar x, const Tensor& y) {
  const Widened wide(y, x);
  return wide.y * wide.x;
}
Tensor operator/(Scalar x, const Tensor& y) {
  const Widened wide(y, x);
  return wide.y / wide.x;
}

Tensor abs(const Tensor& x) {
  return record(Op::abs, apply(Unary::abs, x), {x}, [x = Saved(x)](const Tensor& g) {
    if (!recording()) return fused(Binary::abs_grad, g, x.array());
    return g * where(isnan(x()), 0, sign(x().detach()));
  });
}

Tensor sign(const Tensor& x) {
  return record(Op::sign, apply(Unary::sign, x), {x},
                [](const Tensor& g) { return zeros(g.shape(), g.dtype()); });
}

Tensor exp(const Tensor& x) {
  const Array y = apply(Unary::exp, x);
  return record(Op::exp, y, {x}, [y = SavedOutput(y)](const Tensor& g) { return g * y(); });
}

// gx = g (y + 1)
Tensor expm1(const Tensor& x) {
  const Array y = apply(Unary::expm1, x);
  return record(Op::expm1, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return fused(Binary::expm1_grad, g, y.array());
    return g * (y() + 1);
  });
}

Tensor log(const Tensor& x) {
  return record(Op::log, apply(Unary::log, x), {x},
                [x = Saved(x)](const Tensor& g) { return g / x(); });
}

Tensor log1p(const Tensor& x) {
  return record(Op::log1p, apply(Unary::log1p, x), {x}, [x = Saved(x)](const Tensor& g) {
    if (!recording()) return fused(Binary::log1p_grad, g, x.array());
    return g / (x() + 1);
  });
}

// gx = g / (x log(2))
Tensor log2(const Tensor& x) {
  return record(Op::log2, apply(Libm::log2, x), {x},
                [x = Saved(x)](const Tensor& g) { return g / (x() * std::numbers::ln2); });
}

Tensor log10(const Tensor& x) {
  return record(Op::log10, apply(Libm::log10, x), {x},
                [x = Saved(x)](const Tensor& g) { return g / (x() * std::numbers::ln10); });
}

// gx = g / (2 y)
Tensor sqrt(const Tensor& x) {
  const Array y = apply(Unary::sqrt, x);
  return record(Op::sqrt, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return fused(Binary::sqrt_grad, g, y.array());
    return g / (2 * y());
  });
}

// gx = -g y^3 / 2
Tensor rsqrt(const Tensor& x) {
  const Array y = apply(Unary::rsqrt, x);
  return record(Op::rsqrt, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return fused(Binary::rsqrt_grad, g, y.array());
    const Tensor out = y();
    return (-0.5 * g) * (square(out) * out);
  });
}

Tensor sin(const Tensor& x) {
  return record(Op::sin, apply(Unary::sin, x), {x},
                [x = Saved(x)](const Tensor& g) { return g * cos(x()); });
}

Tensor cos(const Tensor& x) {
  return record(Op::cos, apply(Unary::cos, x), {x},
                [x = Saved(x)](const Tensor& g) { return -(g * sin(x())); });
}

// gx = g 2 / sqrt(pi) exp(-x^2)
Tensor erf(const Tensor& x) {
  return record(Op::erf, apply(Unary::erf, x), {x}, [x = Saved(x)](const Tensor& g) {
    if (!recording()) return fused(Binary::erf_grad, g, x.array());
    return g * (2 * std::numbers::inv_sqrtpi * exp(-square(x())));
  });
}

Tensor square(const Tensor& x) {
  return record(Op::square, apply(Unary::square, x), {x}, [x = Saved(x)](const Tensor& g) {
    if (!recording()) return fused(Binary::square_grad, g, x.array());
    return g * (2 * x());
  });
}

// gx = -g y^2
Tensor reciprocal(const Tensor& x) {
  const Array y = apply(Unary::reciprocal, x);
  return record(Op::reciprocal, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return fused(Binary::reciprocal_grad, g, y.array());
    return -(g * square(y()));
  });
}

// gx = g (1 - y^2)
Tensor tanh(const Tensor& x) {
  const Array y = apply(Unary::tanh, x);
  return record(Op::tanh, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return fused(Binary::tanh_grad, g, y.array());
    return g * (1 - square(y()));
  });
}

// gx = g y (1 - y)
Tensor sigmoid(const Tensor& x) {
  const Array y = apply(Unary::sigmoid, x);
  return record(Op::sigmoid, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return fused(Binary::sigmoid_grad, g, y.array());
    const Tensor out = y();
    return g * (out * (1 - out));
  });
}

// gx = g but where y <= 0
Tensor relu(const Tensor& x) {
  const Array y = apply(Unary::relu, x);
  return record(Op::relu, y, {x}, [y = SavedOutput(y)](const Tensor& g) {
    if (!recording()) return fused(Binary::relu_grad, g, y.array());
    return where(y() <= 0, 0, g);
  });
}

Tensor maximum(const Tensor& x, const Tensor& y) {
  using kernels::Compare;
  return record(
      Op::maximum, apply(Binary::maximum, x, y), {x, y},
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return share(g, Compare::lt, x(), y()); },
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return share(g, Compare::lt, y(), x()); });
}

Tensor minimum(const Tensor& x, const Tensor& y) {
  using kernels::Compare;
  return record(
      Op::minimum, apply(Binary::minimum, x, y), {x, y},
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return share(g, Compare::gt, x(), y()); },
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return share(g, Compare::gt, y(), x()); });
}

Tensor maximum(const Tensor& x, Scalar y) {
  const Widened wide(x, y);
  return maximum(wide.x, wide.y);
}
Tensor minimum(const Tensor& x, Scalar y) {
  const Widened wide(x, y);
  return minimum(wide.x, wide.y);
}

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  check_defined("where", condition, "condition", x, "x", y, "y");
  Array out = kernels::where(condition.array(), x.array(), y.array());
  say("condition", condition.array());
  return record(
      Op::where, std::move(out), {x, y},
      [condition = Saved(condition)](const Tensor& g) {
        return where(condition(), g, tensor(0, g.dtype()));
      },
      [condition = Saved(condition)](const Tensor& g) {
        return where(condition(), tensor(0, g.dtype()), g);
      });
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value) {
  check_defined("masked_fill", x, "x", mask, "mask");
  check_mask("masked_fill", mask);
  broadcast_shapes("masked_fill", x.shape(), mask.shape());
  if (x.dtype() == DType::i64) check_in_i64("masked_fill", value);
  return where(mask, like(x, value), x);
}

Tensor where(const Tensor& condition, const Tensor& x, Scalar y) {
  const Widened wide(x, y);
  return where(condition, wide.x, wide.y);
}
Tensor where(const Tensor& condition, Scalar x, const Tensor& y) {
  const Widened wide(y, x);
  return where(condition, wide.y, wide.x);
}

Tensor lerp(const Tensor& x, const Tensor& y, const Tensor& weight) {
  check_defined("lerp", x, "x", y, "y", weight, "weight");
  check_floating("lerp", x.dtype());
  if (x.dtype() != y.dtype() || x.dtype() != weight.dtype()) {
    throw DTypeError(fmt::format("lerp: dtypes differ: x is {}, y is {}, weight is {}", describe(x),
                                 describe(y), describe(weight)));
  }
  broadcast_shapes("lerp", broadcast_shapes("lerp", x.shape(), y.shape()), weight.shape());
  return (1 - weight) * x + weight * y;
}

Tensor lerp(const Tensor& x, const Tensor& y, double weight) { return lerp(x, y, like(x, weight)); }

}  // namespace heed
