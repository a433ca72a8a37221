// Scores as they are, divided by how many may be attended to: e_j / N (Wang et al. 2018, "Non-local
// Neural Networks", the dot product's form). Weights may be negative, and sum to anything.
#pragma once

#include "../normaliser.h"

namespace heed::attention {

class ByCount : public Normaliser {
 public:
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
};

}  // namespace heed::attention
