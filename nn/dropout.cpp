#include "dropout.h"

#include <fmt/format.h>

#include "../autograd/ops/elementwise/dropout.h"
#include "../core/error.h"

namespace heed::nn {

Dropout::Dropout(double p, Generator* generator) : p_(p), generator_(generator) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("Dropout: p {} is not in [0, 1]", p));
}

Tensor Dropout::operator()(const Tensor& x) const {
  const Scope scope(*this);
  if (!training()) return forwarded(x);
  return forwarded(dropout(x, p_, generator_ ? *generator_ : default_generator()));
}

Dropout2d::Dropout2d(double p, Generator* generator) : p_(p), generator_(generator) {
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("Dropout2d: p {} is not in [0, 1]", p));
}

Tensor Dropout2d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  if (!training()) return forwarded(x);
  return forwarded(dropout_channels(x, p_, generator_ ? *generator_ : default_generator()));
}

}  // namespace heed::nn
