#include "linear_attention.h"

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"

namespace heed::attention {
namespace {

Tensor phi(const Tensor& x) { return elu(x) + 1; }

}  // namespace

LinearAttention::LinearAttention(const LinearOptions& options)
    : FastWeightsAttention(
          {.name = "linear_attention", .looks = Looks::both_or_back, .normalised = true}, options),
      q_proj(projection("q_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      out_proj(projection("out_proj", H() * V(), E())) {}

FastWeightsAttention::Steps LinearAttention::steps(const Tensor& x, PastSteps&) const {
  return {{.q = phi(split_heads(q_proj(x))),
           .k = phi(split_heads(k_proj(x))),
           .v = split_heads(v_proj(x))}};
}

Tensor LinearAttention::output(const Tensor& y, const Tensor&, const Tensor&) const {
  return out_proj(join_heads(y));
}

}  // namespace heed::attention
