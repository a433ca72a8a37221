#include "weight_norm.h"

#include <fmt/format.h>

#include "../autograd/check_defined.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../core/error.h"

namespace heed::nn {

Tensor weight_lengths(const Tensor& v) {
  std::vector<Index> others;
  for (Index axis = 1; axis < v.rank(); ++axis) others.push_back(axis);
  return sqrt(sum(square(v), others, true));
}

namespace {

Tensor first_g(const Tensor& weight, bool normalised) {
  return normalised ? weight_lengths(weight.detach()) : Tensor();
}

}  // namespace

Tensor weight_norm(const Tensor& v, const Tensor& g) {
  check_defined("weight_norm", v, "v", g, "g");
  Shape fits = Shape::filled(v.rank(), 1);
  if (v.rank() > 0) fits[0] = v.size(0);
  if (v.rank() < 2 || !(g.shape() == fits)) {
    throw ShapeError(
        fmt::format("weight_norm: v must be [out, ..] and g [out, 1, ..], not {} and {}",
                    describe(v), describe(g)));
  }
  return v * (g / weight_lengths(v));
}

WeightNormLinear::WeightNormLinear(Index in, Index out, bool normalised, bool with_bias,
                                   DType dtype)
    : Linear(in, out, with_bias, dtype),
      weight_g(parameter("weight_g", first_g(weight, normalised))),
      weight_v(parameter("weight_v", normalised ? weight : Tensor())) {
  if (normalised) weight = Tensor();
}

Tensor WeightNormLinear::operator()(const Tensor& x) const {
  const Scope scope(*this);
  if (weight.defined()) return Linear::operator()(x);
  return forwarded(linear(x, weight_norm(weight_v, weight_g), bias));
}

WeightNormConv1d::WeightNormConv1d(Index in, Index out, Index kernel, bool normalised,
                                   const Conv1dOptions& options, bool with_bias, DType dtype)
    : Conv1d(in, out, kernel, options, with_bias, dtype),
      weight_g(parameter("weight_g", first_g(weight, normalised))),
      weight_v(parameter("weight_v", normalised ? weight : Tensor())) {
  if (normalised) weight = Tensor();
}

Tensor WeightNormConv1d::operator()(const Tensor& x) const {
  const Scope scope(*this);
  if (weight.defined()) return Conv1d::operator()(x);
  return forwarded(conv1d(x, weight_norm(weight_v, weight_g), bias, options()));
}

}  // namespace heed::nn
