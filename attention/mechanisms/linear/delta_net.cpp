#include "delta_net.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"

namespace heed::attention {
namespace {

// Of length 1, but for vectors near 0.
Tensor unit(const Tensor& x) { return x * rsqrt(sum(square(x), {-1}, true) + 1e-6); }

}  // namespace

DeltaNet::DeltaNet(const LinearOptions& options, Index convolution)
    : DeltaNet("delta_net", options, convolution) {}

DeltaNet::DeltaNet(const char* name, const LinearOptions& options, Index convolution)
    : FastWeightsAttention({.name = name}, options),
      q_proj(projection("q_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      q_conv(child<ShortConvolution>("q_conv", H() * K(), convolution, dtype())),
      k_conv(child<ShortConvolution>("k_conv", H() * K(), convolution, dtype())),
      v_conv(child<ShortConvolution>("v_conv", H() * V(), convolution, dtype())),
      beta_proj(projection("beta_proj", H())),
      norm(child<nn::RMSNorm>("norm", Shape{V()}, 1e-5, true, dtype())),
      out_proj(projection("out_proj", H() * V(), E())) {}

FastWeightsAttention::Steps DeltaNet::steps(const Tensor& x, PastSteps& past) const {
  return {{.q = unit(split_heads(q_conv(q_proj(x), past))),
           .k = unit(split_heads(k_conv(k_proj(x), past))),
           .v = split_heads(v_conv(v_proj(x), past)),
           .beta = sigmoid(split_heads(beta_proj(x)))}};
}

Tensor DeltaNet::output(const Tensor& y, const Tensor&, const Tensor&) const {
  return out_proj(join_heads(norm(y)));
}

}  // namespace heed::attention
