#include "fast_weights_cases.h"

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"

namespace heed::attention {

DrawnFastWeights::DrawnFastWeights(const FastWeightsCase& of, Index B, Index H, Index T, Index K,
                                   Index V) {
  const auto draw = [](const Shape& shape) { return randn(shape, DType::f64); };
  const auto leaf = [](const Tensor& x) { return x.detach().set_requires_grad(); };
  steps.q = leaf(draw({B, H, T, K}));
  steps.k = leaf(draw({B, H, T, K}) * (1 / std::sqrt(static_cast<double>(K))));
  steps.v = leaf(draw({B, H, T, V}));
  if (of.decay != Decay::none) {
    steps.log_decay = leaf(-exp(draw({B, H, T, of.decay == Decay::number ? 1 : K})));
  }
  if (of.delta) steps.beta = leaf(sigmoid(draw({B, H, T, 1})));
  if (of.bonus) steps.bonus = leaf(draw({H, 1, K}));
  state = leaf(draw({B, H, K, V}));
}

std::vector<NamedLeaf> DrawnFastWeights::leaves() const {
  std::vector<NamedLeaf> out = {{"q", steps.q}, {"k", steps.k}, {"v", steps.v}, {"state", state}};
  if (steps.log_decay.defined()) out.push_back({"log_decay", steps.log_decay});
  if (steps.beta.defined()) out.push_back({"beta", steps.beta});
  if (steps.bonus.defined()) out.push_back({"bonus", steps.bonus});
  return out;
}

}  // namespace heed::attention
