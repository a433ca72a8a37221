#include "rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../autograd/check_defined.h"
#include "../../autograd/factories.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/elementwise/power.h"
#include "../../autograd/ops/elementwise/rounding.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/traced.h"

namespace heed::attention {
namespace {

struct Turns {
  Tensor cosine, sine;  // [.., T, D / 2]
};

// As many as the last place needs.
double steps_of(const Array& places) {
  const double* t = places.data<double>();
  double steps = 0;
  for (Index i = 0; i < places.numel(); ++i) {
    if (std::isfinite(t[i])) steps = std::max(steps, t[i] + 1);
  }
  return steps;
}

// `places` f64 [.., T], contiguous.
Turns turns(const Array& places, Index width, const RotaryOptions& options, DType dtype) {
  const double* t = places.data<double>();
  const Array frequencies =
      rotary_frequencies(width, options.base, options.scaling, steps_of(places)).array();
  const double factor = rotary_attention_factor(options.scaling);
  const double* w = frequencies.data<double>();
  const Index pairs = frequencies.numel();
  Shape shape = places.shape();
  shape.push_back(pairs);
  Array cosine = Array::empty(shape, DType::f64);
  Array sine = Array::empty(shape, DType::f64);
  double* c = cosine.mutable_data<double>();
  double* s = sine.mutable_data<double>();
  for (Index i = 0; i < places.numel(); ++i) {
    for (Index pair = 0; pair < pairs; ++pair) {
      const double angle = t[i] * w[pair];
      c[i * pairs + pair] = std::cos(angle) * factor;
      s[i * pairs + pair] = std::sin(angle) * factor;
    }
  }
  return {to(cosine, dtype), to(sine, dtype)};
}

// Those of dynamic_ntk, which follow from how many steps there are.
Tensor traced_frequencies(const Tensor& followed, Index width, const RotaryOptions& options) {
  const double s = options.scaling.factor, D = static_cast<double>(width);
  const auto L = static_cast<double>(options.scaling.original_length);
  const Tensor grown = s * maximum(amax(followed) + 1, L) / L - (s - 1);
  const Tensor exponents = arange(width / 2, DType::f64) * (-2 / D);
  return pow(options.base * pow(grown, D / (D - 2)), exponents);
}

// The same by operators that can be followed: `followed` are the places in f64. Angles are brought
// within a turn before they are x's dtype: in f32 a large one would have no digits left, and
// runtimes know few functions of doubles.
Turns traced_turns(const Tensor& followed, const Array& places, Index width,
                   const RotaryOptions& options, DType dtype) {
  Tensor frequencies = rotary_frequencies(width, options.base, options.scaling, steps_of(places));
  if (options.scaling.kind == RotaryScalingKind::dynamic_ntk && width > 2)
    frequencies = traced_frequencies(followed, width, options);
  const double factor = rotary_attention_factor(options.scaling);
  Tensor angles = unsqueeze(followed, -1) * frequencies;
  if (dtype != DType::f64) {
    constexpr double kTurn = 2 * std::numbers::pi;
    angles = to(angles - round(angles / kTurn) * kTurn, dtype);
  }
  return {cos(angles) * factor, sin(angles) * factor};
}

Tensor turned_pairs(const Tensor& x, const Turns& by) {
  Shape shape = x.shape();
  shape[x.rank() - 1] /= 2;
  shape.push_back(2);
  const Tensor split = reshape(x, shape);  // [.., T, D / 2, 2]
  const Tensor a = select(split, -1, 0);
  const Tensor b = select(split, -1, 1);
  return reshape(stack({a * by.cosine - b * by.sine, a * by.sine + b * by.cosine}, -1), x.shape());
}

Tensor turned_halves(const Tensor& x, const Turns& by) {
  const Index half = x.size(-1) / 2;
  const Tensor a = narrow(x, -1, 0, half);
  const Tensor b = narrow(x, -1, half, half);
  return concat({a * by.cosine - b * by.sine, a * by.sine + b * by.cosine}, -1);
}

// How many features are turned.
Index checked_width(const Tensor& x, const RotaryOptions& options) {
  check_defined("rotary", x, "x");
  check_floating("rotary", x.dtype());
  const Index width = options.width;
  if (x.rank() < 2 || (width == 0 && x.size(-1) % 2 != 0)) {
    throw ShapeError(
        fmt::format("rotary: x must be [.., T, D] with an even D, not {}", describe(x)));
  }
  if (width < 0 || width % 2 != 0) {
    throw ValueError(fmt::format("rotary: width {} must be even and not negative", width));
  }
  if (width > x.size(-1)) {
    throw ShapeError(fmt::format("rotary: width {} is more than the {} features of x, {}", width,
                                 x.size(-1), describe(x)));
  }
  if (options.layout == RotaryLayout::pairs && x.rank() == kMaxRank) {
    throw ShapeError(
        fmt::format("rotary: pairs take at most {} axes, not {}", kMaxRank - 1, describe(x)));
  }
  return width == 0 ? x.size(-1) : width;
}

// [first, first + steps), f64.
Array places_from(Index first, Index steps) {
  static_cast<void>(Checked("rotary", first) + steps);
  Array out = Array::empty(Shape{steps}, DType::f64);
  double* places = out.mutable_data<double>();
  for (Index t = 0; t < steps; ++t) places[t] = static_cast<double>(first + t);
  return out;
}

// f64, of a shape that broadcasts to x's [.., T].
Array places_of(const Tensor& positions, const Tensor& x) {
  check_defined("rotary", positions, "positions");
  if (positions.dtype() == DType::boolean) {
    throw DTypeError(
        fmt::format("rotary: positions must be i64 or floating, not {}", describe(positions)));
  }
  if (recording() && positions.requires_grad()) {
    throw GradError("rotary: positions get no gradient; detach() them");
  }
  const Shape steps = x.shape().without(x.rank() - 1);
  const bool of_all_heads = positions.rank() == 2 && x.rank() == 4;
  const Array places = of_all_heads ? positions.array().unsqueeze(1) : positions.array();
  bool fits = places.rank() <= steps.rank();
  for (Index axis = 1; fits && axis <= places.rank(); ++axis) {
    const Index size = places.shape().at(-axis);
    fits = size == 1 || size == steps.at(-axis);
  }
  if (!fits) {
    throw ShapeError(fmt::format("rotary: positions {} do not broadcast to the {} steps of x, {}",
                                 describe(positions), to_string(steps), describe(x)));
  }
  return places.to(DType::f64).contiguous();
}

Tensor turned(const Tensor& x, const Turns& by, Index width, const RotaryOptions& options) {
  const auto turn = options.layout == RotaryLayout::pairs ? turned_pairs : turned_halves;
  const Index rest = x.size(-1) - width;
  if (rest == 0) return turn(x, by);
  return concat({turn(narrow(x, -1, 0, width), by), narrow(x, -1, width, rest)}, -1);
}

}  // namespace

Tensor rotary(const Tensor& x, Index first, double base) {
  return rotary(x, RotaryOptions{.base = base}, first);
}

Tensor rotary(const Tensor& x, const RotaryOptions& options, Index first) {
  const Index width = checked_width(x, options);
  const Array places = places_from(first, x.size(-2));
  if (traced()) {
    return turned(x, traced_turns(places, places, width, options, x.dtype()), width, options);
  }
  return turned(x, turns(places, width, options, x.dtype()), width, options);
}

Tensor rotary(const Tensor& x, const Tensor& positions, const RotaryOptions& options) {
  const Index width = checked_width(x, options);
  const Array places = places_of(positions, x);
  if (traced()) {
    const bool of_all_heads = positions.rank() == 2 && x.rank() == 4;
    const Tensor followed = to(of_all_heads ? unsqueeze(positions, 1) : positions, DType::f64);
    return turned(x, traced_turns(followed, places, width, options, x.dtype()), width, options);
  }
  return turned(x, turns(places, width, options, x.dtype()), width, options);
}

}  // namespace heed::attention
