#include "gated_linear_attention.h"

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"

namespace heed::attention {
namespace {

constexpr double kTau = 16;  // the root that keeps gates near 1

}  // namespace

GatedLinearAttention::GatedLinearAttention(const LinearOptions& options, Index rank)
    : FastWeightsAttention({.name = "gated_linear_attention"}, options),
      q_proj(projection("q_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      gate_down(child<nn::Linear>("gate_down", E(), rank, false, dtype())),
      gate_up(child<nn::Linear>("gate_up", rank, H() * K(), true, dtype())),
      r_proj(child<nn::Linear>("r_proj", E(), H() * V(), true, dtype())),
      norm(child<nn::RMSNorm>("norm", Shape{V()}, 1e-5, true, dtype())),
      out_proj(projection("out_proj", H() * V(), E())) {}

FastWeightsAttention::Steps GatedLinearAttention::steps(const Tensor& x, PastSteps&) const {
  const Tensor log_alpha = log_sigmoid(gate_up(gate_down(x))) * (1 / kTau);
  return {{.q = split_heads(q_proj(x)),
           .k = split_heads(k_proj(x)),
           .v = split_heads(v_proj(x)),
           .log_decay = split_heads(log_alpha)}};
}

Tensor GatedLinearAttention::output(const Tensor& y, const Tensor& x, const Tensor&) const {
  return out_proj(silu(r_proj(x)) * join_heads(norm(y)));
}

}  // namespace heed::attention
