#include "rwkv6.h"

#include <vector>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/layer_norm.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../nn/init.h"

namespace heed::attention {
namespace {

// From -6, which hardly forgets, to -1, over the features.
Tensor spread_rates(Index features, DType dtype) { return linspace(-6, -1, features, dtype); }

}  // namespace

LowRankMix::LowRankMix(Index in, Index rank, Index out, DType dtype)
    : mu(parameter("mu", full(Shape{out}, 0.5, dtype))),
      down(child<nn::Linear>("down", in, rank, false, dtype)),
      up(child<nn::Linear>("up", rank, out, false, dtype)) {
  nn::uniform_(up.weight, -0.01, 0.01);
}

Tensor LowRankMix::operator()(const Tensor& z) const {
  const Scope scope(*this);
  return forwarded(mu + up(tanh(down(z))));
}

RWKV6::RWKV6(const LinearOptions& options, Index rank)
    : FastWeightsAttention({.name = "rwkv6"}, options),
      mu_x(parameter("mu_x", full(Shape{E()}, 0.5, dtype()))),
      r_mix(child<LowRankMix>("r_mix", E(), rank, E(), dtype())),
      k_mix(child<LowRankMix>("k_mix", E(), rank, E(), dtype())),
      v_mix(child<LowRankMix>("v_mix", E(), rank, E(), dtype())),
      g_mix(child<LowRankMix>("g_mix", E(), rank, E(), dtype())),
      w_mix(child<LowRankMix>("w_mix", E(), rank, E(), dtype())),
      r_proj(projection("r_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      g_proj(projection("g_proj", H() * V())),
      decay(child<LowRankMix>("decay", E(), rank, H() * K(), dtype())),
      bonus(parameter("bonus", full(Shape{H(), K()}, 0.5, dtype()))),
      norm_weight(parameter("norm_weight", ones(Shape{H() * V()}, dtype()))),
      norm_bias(parameter("norm_bias", zeros(Shape{H() * V()}, dtype()))),
      out_proj(projection("out_proj", H() * V(), E())) {
  decay.mu.detach().copy_from(spread_rates(H() * K(), dtype()));
}

FastWeightsAttention::Steps RWKV6::steps(const Tensor& x, PastSteps& past) const {
  const Tensor before = narrow(past.with_past(x, 1), 1, 0, x.size(1));  // x_{t-1}
  const Tensor towards = before - x;
  const Tensor z = x + towards * mu_x;
  const auto ddlerp = [&](const LowRankMix& lora) { return x + towards * lora(z); };
  const Tensor log_w = -exp(decay(ddlerp(w_mix)));
  return {{.q = split_heads(r_proj(ddlerp(r_mix))),
           .k = split_heads(k_proj(ddlerp(k_mix))),
           .v = split_heads(v_proj(ddlerp(v_mix))),
           .log_decay = split_heads(log_w),
           .bonus = unsqueeze(bonus, 1)},
          silu(g_proj(ddlerp(g_mix)))};
}

Tensor RWKV6::output(const Tensor& y, const Tensor&, const Tensor& gate) const {
  const Tensor normed = join_heads(layer_norm(y, Shape{V()}));
  return out_proj((normed * norm_weight + norm_bias) * gate);
}

}  // namespace heed::attention
