// A Gaussian score: how near a place is to the one that the query asks for, whatever stands there.
//
//   e_ij = -|m_i - k_j|^2 / (2 sigma_i^2),   q_i = [m_i; log sigma_i^2]
//
// query [.., Q, d + 1], keys [.., K, d]. Under softmax the weights are Gaussians that sum to 1:
// DRAW's filters (Gregor et al. 2015, eqs. 25 and 26) are those of d = 1.
#pragma once

#include "../score.h"

namespace heed::attention {

class Gaussian : public Score {
 public:
  /// O(Q K d), a block. Throws ShapeError, DTypeError.
  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& past = Tensor()) const override;
  Tensor among(const Tensor& query, const Tensor& prepared, const Tensor& allowed,
               const Tensor& past = Tensor()) const override;
};

}  // namespace heed::attention
