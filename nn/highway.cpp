#include "highway.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/ops/elementwise/elementwise.h"
#include "../core/error.h"
#include "init.h"

namespace heed::nn {
namespace {

Index checked(Index width, double gate_bias) {
  if (width <= 0) throw ValueError(fmt::format("Highway: width {} must be positive", width));
  if (!std::isfinite(gate_bias)) {
    throw ValueError(fmt::format("Highway: gate_bias {} is not finite", gate_bias));
  }
  return width;
}

}  // namespace

Highway::Highway(Index width, double gate_bias, std::function<Tensor(const Tensor&)> activation,
                 DType dtype)
    : transform(child<Linear>("transform", checked(width, gate_bias), width, true, dtype)),
      gate(child<Linear>("gate", width, width, true, dtype)),
      activation_(activation ? std::move(activation) : relu) {
  constant_(gate.bias, gate_bias);
}

Tensor Highway::operator()(const Tensor& x) const {
  const Scope scope(*this);
  const Tensor t = sigmoid(gate(x));
  return forwarded(x + t * (activation_(transform(x)) - x));
}

}  // namespace heed::nn
