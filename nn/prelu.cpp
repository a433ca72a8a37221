#include "prelu.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"

namespace heed::nn {
namespace {

Tensor slopes(Index count, double begin, DType dtype) {
  if (count <= 0) throw ValueError(fmt::format("PReLU: count {} must be positive", count));
  if (!std::isfinite(begin)) throw ValueError(fmt::format("PReLU: begin {} is not finite", begin));
  return full(Shape{count}, begin, dtype);
}

}  // namespace

PReLU::PReLU(Index count, double begin, DType dtype)
    : weight(parameter("weight", slopes(count, begin, dtype))) {}

}  // namespace heed::nn
