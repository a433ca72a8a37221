// Structured attention over a linear chain (Kim et al. 2017, "Structured Attention Networks",
// section 3.1): whether a place is looked at depends on whether its neighbours are, as in a
// conditional
// random field; the weights are its marginals, by forward-backward.
//
//   p(z) = exp(sum_t u_t(z_t) + sum_t A(z_{t-1}, z_t)) / Z,   z_t one of S states
//   alpha_t(j) = u_t(j) + log sum_i exp(alpha_{t-1}(i) + A(i, j)), beta_t(i) likewise from the end
//
//   p(z_t = j) = exp(alpha_t(j) + beta_t(j)) / Z
//
// As a normaliser of scores e: S = 2, u_t = (0, e_t), weights p(z_t = 1), which sum up to anything.
// With transitions A of zeros it is Sigmoid; with a high A(0, 0) and A(1, 1) it looks at segments.
// O(T
// S^2) time, T small steps one after the other; any derivative follows from the recursion.
#pragma once

#include "../../normaliser.h"

namespace heed::attention {

struct ChainMarginals {
  Tensor nodes;          ///< p(z_t = j), [.., T, S]; 0 where a place is not allowed
  Tensor log_partition;  ///< log Z, [..]; 0 of a chain without places
};

/// u [.., T, S], transitions A [S, S]. Places that are not `allowed` (bool, broadcasts to [.., T];
/// undefined: all are) are taken out, and those beside them become neighbours. Throws ShapeError,
/// DTypeError.
ChainMarginals linear_chain(const Tensor& u, const Tensor& transitions,
                            const Tensor& allowed = Tensor());

class LinearChain : public Normaliser {
 public:
  explicit LinearChain(DType dtype = DType::f32);

  Tensor& transitions;  ///< A [2, 2], at first 0

  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
};

}  // namespace heed::attention
