#include "gated_delta_net.h"

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "drawn_rates.h"

namespace heed::attention {

GatedDeltaNet::GatedDeltaNet(const LinearOptions& options, Index convolution)
    : DeltaNet("gated_delta_net", options, convolution),
      alpha_proj(child<nn::Linear>("alpha_proj", E(), H(), true, dtype())),
      g_proj(projection("g_proj", H() * V())),
      A_log(parameter("A_log", drawn_log_rates(H(), dtype()))) {
  alpha_proj.bias.detach().copy_from(drawn_step_bias(H(), dtype()));
}

FastWeightsAttention::Steps GatedDeltaNet::steps(const Tensor& x, PastSteps& past) const {
  Steps out = DeltaNet::steps(x, past);
  const Tensor rate = exp(reshape(A_log, Shape{H(), 1, 1}));
  out.f.log_decay = -rate * softplus(split_heads(alpha_proj(x)));
  return out;
}

Tensor GatedDeltaNet::output(const Tensor& y, const Tensor& x, const Tensor&) const {
  return out_proj(join_heads(norm(y)) * silu(g_proj(x)));
}

}  // namespace heed::attention
