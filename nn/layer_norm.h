// Layer normalisation (Ba et al. 2016) and its form without a mean (Zhang & Sennrich 2019) as
// layers. Parameters have PyTorch's names: weight (ones at first), bias (zeros), of the normalised
// shape.
#pragma once

#include "layer.h"

namespace heed::nn {

class LayerNorm : public Layer<LayerNorm> {
 public:
  /// Over the trailing axes of `normalized_shape`. Without `affine` there are no parameters. Throws
  /// ShapeError for a shape without axes or with a negative size, ValueError for a negative eps.
  explicit LayerNorm(const Shape& normalized_shape, double eps = 1e-5, bool affine = true,
                     DType dtype = DType::f32);
  explicit LayerNorm(std::initializer_list<Index> shape, double eps = 1e-5, bool affine = true,
                     DType dtype = DType::f32)
      : LayerNorm(Shape(shape), eps, affine, dtype) {}
  template <Whole T>
  explicit LayerNorm(T width, double eps = 1e-5, bool affine = true)
      : LayerNorm(Shape{static_cast<Index>(width)}, eps, affine) {}

  Tensor& weight;
  Tensor& bias;

  /// Throws as heed::layer_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  LayerNorm(LayerNorm&&) = default;
  Shape normalized_shape_;
  double eps_;
};

class RMSNorm : public Layer<RMSNorm> {
 public:
  /// As LayerNorm; the only parameter is weight.
  explicit RMSNorm(const Shape& normalized_shape, double eps = 1e-6, bool affine = true,
                   DType dtype = DType::f32);
  explicit RMSNorm(std::initializer_list<Index> shape, double eps = 1e-6, bool affine = true,
                   DType dtype = DType::f32)
      : RMSNorm(Shape(shape), eps, affine, dtype) {}
  template <Whole T>
  explicit RMSNorm(T width, double eps = 1e-6, bool affine = true)
      : RMSNorm(Shape{static_cast<Index>(width)}, eps, affine) {}

  Tensor& weight;

  /// Throws as heed::rms_norm().
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  RMSNorm(RMSNorm&&) = default;
  Shape normalized_shape_;
  double eps_;
};

}  // namespace heed::nn
