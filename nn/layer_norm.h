// Layer normalisation (Ba et al. 2016) and its form without a mean (Zhang & Sennrich 2019) as
// layers. Parameters have PyTorch's names: weight (ones at first), bias (zeros), of the normalised
// shape.
#pragma once

#include "module.h"

namespace heed::nn {

class LayerNorm : public Module {
 public:
  /// Over the trailing axes of `normalized_shape`. Without `affine` there are no parameters. Throws
  /// ShapeError for a shape without axes or with a negative size, ValueError for a negative eps.
  explicit LayerNorm(const Shape& normalized_shape, double eps = 1e-5, bool affine = true,
                     DType dtype = DType::f32);

  Tensor& weight;
  Tensor& bias;

  /// Throws as heed::layer_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  Shape normalized_shape_;
  double eps_;
};

class RMSNorm : public Module {
 public:
  /// As LayerNorm; the only parameter is weight.
  explicit RMSNorm(const Shape& normalized_shape, double eps = 1e-6, bool affine = true,
                   DType dtype = DType::f32);

  Tensor& weight;

  /// Throws as heed::rms_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  Shape normalized_shape_;
  double eps_;
};

}  // namespace heed::nn
