// Normalisers made of elementwise functions:
//
//   Sigmoid            sigmoid(e): each place for itself, the weights sum to anything
//   NormalisedSigmoid  sigmoid(e) / sum sigmoid(e): Chorowski et al. 2015, "smoothing"
#pragma once

#include "../normaliser.h"

namespace heed::attention {

class Sigmoid : public Normaliser {
 public:
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
};

class NormalisedSigmoid : public Normaliser {
 public:
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
};

}  // namespace heed::attention
