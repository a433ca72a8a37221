// Group normalisation (Wu & He 2018) as a layer. Parameters have PyTorch's names: weight, bias [C].
#pragma once

#include "layer.h"

namespace heed::nn {

class GroupNorm : public Layer<GroupNorm> {
 public:
  /// Throws ValueError unless groups divides channels, both are positive and eps >= 0.
  GroupNorm(Index groups, Index channels, double eps = 1e-5, bool affine = true,
            DType dtype = DType::f32);

  Tensor& weight;
  Tensor& bias;

  /// x [N, C, ...]. Throws as heed::group_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  GroupNorm(GroupNorm&&) = default;
  Index groups_;
  double eps_;
};

}  // namespace heed::nn
