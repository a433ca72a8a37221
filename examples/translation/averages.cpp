#include "averages.h"

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise.h"

namespace translation {

using heed::Tensor;

Weights weights_of(const heed::nn::Module& model) {
  Weights out = model.state_dict();
  for (auto& entry : out) entry.second = Tensor(entry.second.array().clone());
  return out;
}

bool alike(const Weights& a, const Weights& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.shape() == y.second.shape() &&
           x.second.dtype() == y.second.dtype();
  });
}

Weights mean_of(const std::vector<Weights>& all) {
  const heed::NoGrad scope;
  Weights out = all.at(0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Tensor& mean = out[i].second;
    if (!heed::is_floating(mean.dtype())) continue;
    for (std::size_t k = 1; k < all.size(); ++k) mean = mean + all[k][i].second;
    mean = mean / static_cast<double>(all.size());
  }
  return out;
}

}  // namespace translation
