#include "performer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"

namespace heed::attention {
namespace {

// Blocks of orthogonal rows, each row as long as a normal one.
Tensor orthogonal_rows(Index count, Index width, DType dtype, Generator& generator) {
  const NoGrad off;
  std::vector<Tensor> blocks;
  for (Index done = 0; done < count; done += width) {
    const Tensor block = zeros(Shape{width, width}, dtype);
    nn::orthogonal_(block, 1, generator);
    blocks.push_back(narrow(block, 0, 0, std::min(width, count - done)));
  }
  const Tensor normal = randn(Shape{count, width}, dtype, generator);
  return concat(blocks, 0) * sqrt(sum(square(normal), {1}, true));
}

Index checked(Index features) {
  if (features > 0) return features;
  throw ValueError(fmt::format("performer: features {} must be positive", features));
}

}  // namespace

Performer::Performer(const LinearOptions& options, const PerformerOptions& features)
    : FastWeightsAttention({.name = "performer", .looks = Looks::both_or_back, .normalised = true},
                           options),
      q_proj(projection("q_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      out_proj(projection("out_proj", H() * V(), E())),
      rows(buffer("rows", zeros(Shape{checked(features.features), K()}, dtype()))),
      features_(features.kind) {
  redraw();
}

void Performer::redraw(Generator& generator) {
  rows.copy_from(orthogonal_rows(rows.size(0), rows.size(1), rows.dtype(), generator));
}

Tensor Performer::phi(const Tensor& given, bool any_scale) const {
  const Tensor x = given * std::pow(static_cast<double>(K()), -0.25);
  Tensor e = matmul(x, transpose(rows, 0, 1));  // w_i . x
  if (features_ == PerformerFeatures::hyperbolic) e = concat({e, -e}, -1);
  if (any_scale) return exp(e - amax(e, {-1}, true).detach());
  const double m = static_cast<double>(e.size(-1));
  return exp(e - 0.5 * sum(square(x), {-1}, true)) * (1 / std::sqrt(m));
}

FastWeightsAttention::Steps Performer::steps(const Tensor& x, PastSteps&) const {
  return {{.q = phi(split_heads(q_proj(x)), true),
           .k = phi(split_heads(k_proj(x)), false),
           .v = split_heads(v_proj(x))}};
}

Tensor Performer::output(const Tensor& y, const Tensor&, const Tensor&) const {
  return out_proj(join_heads(y));
}

}  // namespace heed::attention
