#include "bilinear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../autograd/ops/linalg/linalg.h"
#include "../core/error.h"
#include "../core/generator.h"

namespace heed::nn {
namespace {

Tensor begin(const Shape& shape, Index in1, Index in2, Index out, DType dtype) {
  if (std::min({in1, in2, out}) <= 0) {
    throw ValueError(
        fmt::format("Bilinear: widths must be positive: in {} and {}, out {}", in1, in2, out));
  }
  const double bound = 1 / std::sqrt(static_cast<double>(in1));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

}  // namespace

Bilinear::Bilinear(Index in1, Index in2, Index out, bool with_bias, DType dtype)
    : weight(parameter("weight", begin({out, in1, in2}, in1, in2, out, dtype))),
      bias(parameter("bias", with_bias ? begin({out}, in1, in2, out, dtype) : Tensor())) {}

Tensor Bilinear::operator()(const Tensor& x1, const Tensor& x2) const {
  const Scope scope(*this);
  return forwarded(bilinear(x1, x2, weight, bias));
}

}  // namespace heed::nn
