#include "positional_encoding.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/elementwise/rounding.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"
#include "../core/traced.h"

namespace heed::nn {

namespace {

// The same by operators that can be followed. Angles are brought within a turn before they are of
// the dtype: in f32 a large one would have no digits left, and runtimes know few functions of
// doubles.
Tensor followed_positions(Index steps, Index width, Index first, DType dtype) {
  std::vector<double> rates;
  Array is_even = Array::empty(Shape{width}, DType::boolean);
  for (Index i = 0; i < width; ++i) {
    const double pair = static_cast<double>(i - i % 2) / static_cast<double>(width);
    rates.push_back(std::pow(1e4, -pair));
    is_even.mutable_data<bool>()[i] = i % 2 == 0;
  }
  const Tensor places = arange(first, first + steps, 1, DType::f64);
  Tensor angles = unsqueeze(places, -1) * Tensor(Array::from(rates));
  if (dtype != DType::f64) {
    constexpr double kTurn = 2 * std::numbers::pi;
    angles = to(angles - round(angles / kTurn) * kTurn, dtype);
  }
  return where(Tensor(is_even), sin(angles), cos(angles));
}

}  // namespace

Tensor sinusoidal_positions(Index steps, Index width, Index first, DType dtype) {
  if (steps < 0 || width <= 0 || first < 0) {
    throw ValueError(fmt::format(
        "sinusoidal_positions: steps {}, width {}, first {}: width must be positive, none negative",
        steps, width, first));
  }
  check_floating("sinusoidal_positions", dtype);
  if (traced()) return followed_positions(steps, width, first, dtype);
  Array out = Array::empty(Shape{steps, width}, DType::f64);
  double* to = out.mutable_data<double>();
  for (Index t = 0; t < steps; ++t) {
    for (Index i = 0; i < width; ++i) {
      const double pair = static_cast<double>(i - i % 2) / static_cast<double>(width);
      const double angle =
          (static_cast<double>(first) + static_cast<double>(t)) / std::pow(1e4, pair);
      *to++ = i % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return out.to(dtype);
}

namespace {

Index checked(Index width, double p, Index max_steps) {
  if (width <= 0 || max_steps <= 0) {
    throw ValueError(fmt::format("PositionalEncoding: width {} and max_steps {} must be positive",
                                 width, max_steps));
  }
  if (!(p >= 0 && p <= 1)) {
    throw ValueError(fmt::format("PositionalEncoding: p {} is not in [0, 1]", p));
  }
  return max_steps;
}

}  // namespace

PositionalEncoding::PositionalEncoding(Index width, double p, Index max_steps, DType dtype)
    : pe(buffer("pe", sinusoidal_positions(checked(width, p, max_steps), width, 0, dtype))),
      dropout(child<Dropout>("dropout", p)) {}

Tensor PositionalEncoding::operator()(const Tensor& x, Index first) const {
  const Scope scope(*this);
  if (x.rank() < 2 || x.size(-1) != pe.size(1)) {
    throw ShapeError(
        fmt::format("PositionalEncoding: x must be [.., T, {}], not {}", pe.size(1), describe(x)));
  }
  const Index steps = x.size(-2);
  if (first < 0 || first > pe.size(0) || steps > pe.size(0) - first) {
    throw IndexError(fmt::format("PositionalEncoding: steps {} from {} are not within [0, {})",
                                 steps, first, pe.size(0)));
  }
  return forwarded(dropout(x + narrow(pe, 0, first, steps)));
}

}  // namespace heed::nn
