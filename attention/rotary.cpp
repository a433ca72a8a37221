#include "rotary.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/ops/elementwise.h"
#include "../autograd/ops/shape.h"
#include "../core/error.h"

namespace heed::attention {
namespace {

struct Turns {
  Tensor cosine, sine;  // [T, D / 2]
};

Turns turns(Index steps, Index pairs, Index first, double base, DType dtype) {
  Array cosine = Array::empty(Shape{steps, pairs}, DType::f64);
  Array sine = Array::empty(Shape{steps, pairs}, DType::f64);
  double* c = cosine.mutable_data<double>();
  double* s = sine.mutable_data<double>();
  for (Index pair = 0; pair < pairs; ++pair) {
    const double speed = std::pow(base, -static_cast<double>(pair) / static_cast<double>(pairs));
    for (Index t = 0; t < steps; ++t) {
      const double angle = static_cast<double>(first + t) * speed;
      c[t * pairs + pair] = std::cos(angle);
      s[t * pairs + pair] = std::sin(angle);
    }
  }
  return {to(cosine, dtype), to(sine, dtype)};
}

}  // namespace

Tensor rotary(const Tensor& x, Index first, double base) {
  check_floating("rotary", x.dtype());
  if (x.rank() < 2 || x.size(-1) % 2 != 0) {
    throw ShapeError(
        fmt::format("rotary: x must be [.., T, D] with an even D, not {}", describe(x)));
  }
  if (!(base > 0)) throw ValueError(fmt::format("rotary: base {} must be positive", base));
  const Index pairs = x.size(-1) / 2;
  const auto [cosine, sine] = turns(x.size(-2), pairs, first, base, x.dtype());
  Shape shape = x.shape();
  shape[x.rank() - 1] = pairs;
  shape.push_back(2);
  const Tensor split = reshape(x, shape);  // [.., T, D / 2, 2]
  const Tensor even = select(split, -1, 0);
  const Tensor odd = select(split, -1, 1);
  return reshape(stack({even * cosine - odd * sine, even * sine + odd * cosine}, -1), x.shape());
}

}  // namespace heed::attention
