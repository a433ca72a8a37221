// Group normalisation (Wu & He 2018) as a layer. Parameters have PyTorch's names: weight, bias [C].
#pragma once

#include "module.h"

namespace heed::nn {

class GroupNorm : public Module {
 public:
  /// Throws ValueError unless groups divides channels, both are positive and eps >= 0.
  GroupNorm(Index groups, Index channels, double eps = 1e-5, bool affine = true,
            DType dtype = DType::f32);

  Tensor& weight;
  Tensor& bias;

  /// x [N, C, ...]. Throws as heed::group_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  Index groups_;
  double eps_;
};

}  // namespace heed::nn
