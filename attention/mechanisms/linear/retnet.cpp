#include "retnet.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/layer_norm.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../positions/rotary.h"

namespace heed::attention {
namespace {

Tensor log_gammas(Index heads) {
  std::vector<double> out;
  for (Index h = 0; h < heads; ++h) {
    out.push_back(std::log1p(-std::exp2(-5.0 - static_cast<double>(h))));
  }
  return tensor(out, {heads, 1, 1}, DType::f64);
}

}  // namespace

RetNet::RetNet(const LinearOptions& options)
    : FastWeightsAttention({.name = "retnet"}, options),
      q_proj(projection("q_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      g_proj(projection("g_proj", H() * V())),
      out_proj(projection("out_proj", H() * V(), E())),
      log_gamma_(log_gammas(H())) {
  if (K() % 2 == 0) return;
  throw ValueError(fmt::format("retnet: head_width {} must be even: pairs are turned", K()));
}

FastWeightsAttention::Steps RetNet::steps(const Tensor& x, PastSteps& past) const {
  const Tensor q = rotary(split_heads(q_proj(x)), past.first());
  const Tensor k = rotary(split_heads(k_proj(x)), past.first());
  return {{.q = q,
           .k = k * (1 / std::sqrt(static_cast<double>(K()))),
           .v = split_heads(v_proj(x)),
           .log_decay = heed::to(expand(log_gamma_, Shape{H(), x.size(1), 1}), x.dtype())}};
}

Tensor RetNet::output(const Tensor& y, const Tensor& x, const Tensor&) const {
  const Tensor normed = layer_norm(y, Shape{V()});
  return out_proj(silu(g_proj(x)) * join_heads(normed));
}

}  // namespace heed::attention
