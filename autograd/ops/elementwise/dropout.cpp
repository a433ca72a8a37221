#include "dropout.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../shape/widened.h"
#include "elementwise.h"

namespace heed {
namespace {

Tensor keep(const Tensor& x, const Tensor& kept, double scale) {
  const Tensor zero = tensor(0, x.dtype());
  return where(kept, x, zero) * scale;
}

}  // namespace

Tensor dropout(const Tensor& x, double p, Generator& generator) {
  check_defined("dropout", x, "x");
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("dropout: p {} is not in [0, 1]", p));
  if (detail::hold_bf16(x)) return dropout(detail::wide(x), p, generator);
  check_floating("dropout", x.dtype());
  if (p == 0) return x;
  const Tensor kept = generator.bernoulli(x.shape(), 1 - p);
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  Array out;
  {
    const NoGrad scope;
    out = keep(x, kept, scale).array();
  }
  return record(Op::dropout, out, {x},
                [kept, scale](const Tensor& g) { return keep(g, kept, scale); });
}

Tensor dropout(const Tensor& x, double p, bool training, Generator& generator) {
  if (training) return dropout(x, p, generator);
  check_defined("dropout", x, "x");
  return detail::hold_bf16(x) ? detail::wide(x) : x;
}

Tensor dropout_channels(const Tensor& x, double p, Generator& generator) {
  check_defined("dropout_channels", x, "x");
  if (x.rank() < 2) {
    throw ShapeError(fmt::format("dropout_channels: takes [B, C, ..], not {}", describe(x)));
  }
  Shape channels = Shape::filled(x.rank(), 1);
  channels[0] = x.shape()[0];
  channels[1] = x.shape()[1];
  return x * dropout(ones(channels, widened(x.dtype())), p, generator);
}

}  // namespace heed
