// Parameters in two groups, as weight decay is usually given: matrices get it, vectors do not,
// which are biases and gains.
#pragma once

#include "optimizer.h"

namespace heed::optim {

/// optim::AdamWOptions options{.lr = 1e-3};
/// optim::AdamW adam(optim::decaying_matrices(model.parameters(), options));
template <class Options>
std::vector<ParameterGroup<Options>> decaying_matrices(const std::vector<Tensor>& parameters,
                                                       const Options& options) {
  std::vector<Tensor> matrices, vectors;
  for (const Tensor& p : parameters) (p.rank() > 1 ? matrices : vectors).push_back(p);
  Options plain = options;
  plain.weight_decay = 0;
  std::vector<ParameterGroup<Options>> out;
  if (!matrices.empty()) out.push_back({matrices, options});
  if (!vectors.empty()) out.push_back({vectors, plain});
  return out;
}

}  // namespace heed::optim
