#include "state_space_duality.h"

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "drawn_rates.h"

namespace heed::attention {

StateSpaceDuality::StateSpaceDuality(const LinearOptions& options, Index steps)
    : FastWeightsAttention({.name = "state_space_duality"}, options),
      in_proj(projection("in_proj", H() * V() + 2 * K())),
      convolution(child<ShortConvolution>("convolution", H() * V() + 2 * K(), steps, dtype())),
      dt_proj(child<nn::Linear>("dt_proj", E(), H(), true, dtype())),
      z_proj(projection("z_proj", H() * V())),
      A_log(parameter("A_log", drawn_log_rates(H(), dtype()))),
      D(parameter("D", ones(Shape{H()}, dtype()))),
      norm(child<nn::RMSNorm>("norm", Shape{H() * V()}, 1e-5, true, dtype())),
      out_proj(projection("out_proj", H() * V(), E())) {
  dt_proj.bias.detach().copy_from(drawn_step_bias(H(), dtype()));
}

FastWeightsAttention::Steps StateSpaceDuality::steps(const Tensor& x, PastSteps& past) const {
  const auto parts = split(convolution(in_proj(x), past), {H() * V(), K(), K()}, -1);
  const Tensor inner = split_heads(parts[0]);               // x', [B, H, T, V]
  const Tensor dt = split_heads(softplus(dt_proj(x)));      // [B, H, T, 1]
  const Tensor A = -exp(reshape(A_log, Shape{H(), 1, 1}));  // [H, 1, 1]
  const Shape heads{x.size(0), H(), x.size(1), K()};
  const Tensor skip = reshape(D, Shape{H(), 1, 1}) * inner;
  return {{.q = expand(unsqueeze(parts[2], 1), heads),
           .k = expand(unsqueeze(parts[1], 1), heads),
           .v = dt * inner,
           .log_decay = dt * A},
          join_heads(skip)};
}

Tensor StateSpaceDuality::output(const Tensor& y, const Tensor& x, const Tensor& skip) const {
  return out_proj(norm((join_heads(y) + skip) * silu(z_proj(x))));
}

}  // namespace heed::attention
