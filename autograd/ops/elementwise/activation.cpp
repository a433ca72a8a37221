#include "activation.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/activation.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../shape/widened.h"
#include "compare.h"
#include "elementwise.h"

namespace heed {

using kernels::Activation;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// `slope` is the derivative in plain operators, for the pass that is recorded.
template <class Slope>
Tensor activate(Op op, Activation kind, const Tensor& x, double a, double b, Slope slope) {
  check_defined(name(op), x, "x");
  if (detail::hold_bf16(x)) return activate(op, kind, detail::wide(x), a, b, slope);
  Array out = kernels::activation(kind, x.array(), a, b);
  say("a", a, "b", b, "tanh", kind == Activation::gelu_tanh);
  return record(op, std::move(out), {x}, [x = Saved(x), kind, a, b, slope](const Tensor& g) {
    if (recording()) return g * slope(x());
    return Tensor(kernels::activation_grad(kind, g.array(), x.array(), a, b));
  });
}

Tensor number(const Tensor& x, double value) { return tensor(value, x.dtype()); }

// The next number of x's dtype, from `from` towards `to`.
double next_number(const Tensor& x, double from, double to) {
  if (x.dtype() == DType::f64) return std::nextafter(from, to);
  return std::nextafter(static_cast<float>(from), static_cast<float>(to));
}

// clamp(), which at a bound itself gives no gradient.
Tensor hard_clamp(const Tensor& x, double a, double b) {
  Array out = kernels::activation(Activation::clamp, x.array(), a, b);
  say("min", a, "max", b);
  return record(Op::clamp, std::move(out), {x}, [x = Saved(x), a, b](const Tensor& g) {
    if (recording()) return where(logical_and(x() > a, x() < b), g, 0);
    const double least = next_number(x(), a, kInfinity), most = next_number(x(), b, -kInfinity);
    return Tensor(kernels::activation_grad(Activation::clamp, g.array(), x.array(), least, most));
  });
}

}  // namespace

Tensor log_sigmoid(const Tensor& x) {
  return activate(Op::log_sigmoid, Activation::log_sigmoid, x, 0, 0,
                  [](const Tensor& t) { return sigmoid(-t); });
}

Tensor leaky_relu(const Tensor& x, double slope) {
  return activate(Op::leaky_relu, Activation::leaky_relu, x, slope, 0, [slope](const Tensor& t) {
    return where(t > 0, number(t, 1), number(t, slope));
  });
}

Tensor elu(const Tensor& x, double alpha) {
  return activate(Op::elu, Activation::elu, x, alpha, 0, [alpha](const Tensor& t) {
    const Tensor right = t > 0;
    return where(right, 1, alpha * exp(where(right, 0, t)));  // exp of the right side may overflow
  });
}

Tensor gelu(const Tensor& x, Gelu form) {
  if (form == Gelu::exact) {
    return activate(Op::gelu, Activation::gelu, x, 0, 0, [](const Tensor& t) {
      const Tensor cdf = 0.5 * (1 + erf(t / std::numbers::sqrt2));
      const double scale = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
      return cdf + t * (scale * exp(-0.5 * square(t)));
    });
  }
  return activate(Op::gelu, Activation::gelu_tanh, x, 0, 0, [](const Tensor& all) {
    // Tanh is 1 there, and the cube may overflow; what is infinite has no slope.
    const Tensor far = logical_and(abs(all) > 10, isfinite(all));
    const Tensor t = where(far, 0, all);
    const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    const Tensor y = tanh(scale * (t + 0.044715 * (t * square(t))));
    const Tensor inner = scale * (1 + 3 * 0.044715 * square(t));
    const Tensor near = 0.5 * (1 + y + t * ((1 - square(y)) * inner));
    return where(far, where(all > 0, number(all, 1), 0), near);
  });
}

Tensor silu(const Tensor& x) {
  return activate(Op::silu, Activation::silu, x, 0, 0, [](const Tensor& t) {
    const Tensor s = sigmoid(t);
    return s * (1 + t * (1 - s));
  });
}

Tensor softplus(const Tensor& x, double beta, double threshold) {
  if (!std::isfinite(beta) || beta == 0) {
    throw ValueError(fmt::format("softplus: beta must be finite and not 0: it is {}", beta));
  }
  return activate(Op::softplus, Activation::softplus, x, beta, threshold,
                  [beta, threshold](const Tensor& t) {
                    const Tensor scaled = beta * t;
                    return where(scaled > threshold, 1, sigmoid(scaled));
                  });
}

Tensor relu6(const Tensor& x) {
  check_defined("relu6", x, "x");
  if (detail::hold_bf16(x)) return relu6(detail::wide(x));
  check_floating("relu6", x.dtype());
  return hard_clamp(x, 0, 6);
}

Tensor hardtanh(const Tensor& x, double min, double max) {
  check_defined("hardtanh", x, "x");
  if (detail::hold_bf16(x)) return hardtanh(detail::wide(x), min, max);
  check_floating("hardtanh", x.dtype());
  if (!(min <= max)) throw ValueError(fmt::format("hardtanh: min {} is above max {}", min, max));
  return hard_clamp(x, min, max);
}

Tensor softsign(const Tensor& x) {
  check_defined("softsign", x, "x");
  if (detail::hold_bf16(x)) return softsign(detail::wide(x));
  check_floating("softsign", x.dtype());
  // gx = g / (1 + |x|)^2; of a quotient's two gradients too little would be left far from 0.
  const Tensor y = 1 + abs(x.detach());
  return record(
      Op::div, kernels::binary(kernels::Binary::div, x.array(), y.array()), {x, y},
      [x = Saved(x)](const Tensor& g) {
        const Tensor below = 1 + abs(x());
        return g / below / below;
      },
      [](const Tensor&) { return Tensor(); });  // y is a constant
}

Tensor mish(const Tensor& x) {
  check_defined("mish", x, "x");
  if (detail::hold_bf16(x)) return mish(detail::wide(x));
  check_floating("mish", x.dtype());
  return x * tanh(softplus(x));
}

Tensor selu(const Tensor& x) {
  check_defined("selu", x, "x");
  if (detail::hold_bf16(x)) return selu(detail::wide(x));
  check_floating("selu", x.dtype());
  constexpr double kAlpha = 1.6732632423543772, kScale = 1.0507009873554805;
  return kScale * elu(x, kAlpha);
}

Tensor hardsigmoid(const Tensor& x) {
  check_defined("hardsigmoid", x, "x");
  if (detail::hold_bf16(x)) return hardsigmoid(detail::wide(x));
  check_floating("hardsigmoid", x.dtype());
  return hard_clamp(x + 3, 0, 6) / 6;
}

Tensor hardswish(const Tensor& x) {
  check_defined("hardswish", x, "x");
  if (detail::hold_bf16(x)) return hardswish(detail::wide(x));
  check_floating("hardswish", x.dtype());
  return x * hardsigmoid(x);
}

}  // namespace heed
