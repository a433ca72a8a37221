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
#include "../../../core/traced.h"
#include "../../../nn/init.h"
#include "running_largest.h"

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

// w_i . x
Tensor Performer::products(const Tensor& x) const {
  const Tensor e = matmul(x, transpose(rows, 0, 1));
  return features_ == PerformerFeatures::hyperbolic ? concat({e, -e}, -1) : e;
}

// Of keys that are long, what is subtracted from each one's exponents e [B, H, T, m], constants
// [B, H, T or 1, 1]: the largest so far, or of all. It goes with the division, and the sums' decays
// with it.
Tensor Performer::shift(const Tensor& e, PastSteps& past, Tensor* log_decay) const {
  const Index B = e.size(0), T = e.size(2);
  Tensor own = maximum(amax(e.detach(), {-1}, true), kNoneYet);  // a square may be infinite
  if (past.real().defined()) own = where(reshape(past.real(), {B, 1, T, 1}), own, kNoneYet);
  const auto far = [&](const Tensor& m) { return where(m < -long_keys(), m, 0); };
  if (!past.causal()) return far(amax(own, {2}, true));
  Tensor before = past.take();
  if (!before.defined() && past.first() > 0) before = zeros(Shape{B, H(), 1, 1}, e.dtype());
  const auto flat = [&](const Tensor& m) {
    return m.defined() ? reshape(m, {B * H(), m.size(2), 1}) : m;
  };
  const Tensor m = far(reshape(running_largest(flat(own), flat(before)), {B, H(), T, 1}));
  if (!before.defined()) before = narrow(m, 2, 0, 1);
  *log_decay = concat({before, narrow(m, 2, 0, T - 1)}, 2) - m;
  past.keep(narrow(m, 2, T - 1, 1));
  return m;
}

FastWeightsAttention::Steps Performer::steps(const Tensor& x, PastSteps& past) const {
  const double scale = std::pow(static_cast<double>(K()), -0.25);
  const Tensor q = products(split_heads(q_proj(x)) * scale);
  const Tensor k = split_heads(k_proj(x)) * scale;
  const Tensor half = 0.5 * sum(square(k), {-1}, true);
  Tensor e = products(k) - half;
  FastWeights f;
  // One that traces follows the sums as they are.
  const bool shifted = !traced() && x.numel() > 0 &&
                       (past.take().defined() || amax(half.detach()).item() > long_keys());
  if (shifted) {
    e = e - shift(e, past, &f.log_decay);
    if (const Tensor& real = past.real(); real.defined()) {
      e = where(reshape(real, {x.size(0), 1, x.size(1), 1}), e, 0);
    }
  }
  f.q = exp(q - amax(q, {-1}, true).detach());  // a factor a row goes with the division
  f.k = exp(e) * (1 / std::sqrt(static_cast<double>(e.size(-1))));
  f.v = split_heads(v_proj(x));
  return {f};
}

Tensor Performer::output(const Tensor& y, const Tensor&, const Tensor&) const {
  return out_proj(join_heads(y));
}

}  // namespace heed::attention
