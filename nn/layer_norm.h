// Layer normalisation (Ba et al. 2016) and its form without a mean (Zhang & Sennrich 2019) as
// layers. Parameters have PyTorch's names: weight (ones at first), bias (zeros), of the normalised
// shape.
#pragma once

#include "layer.h"

namespace heed::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool affine = true;
  DType dtype = DType::f32;
};

struct RMSNormOptions {
  double eps = 1e-6;
  bool affine = true;
  DType dtype = DType::f32;
};

class LayerNorm : public Layer<LayerNorm> {
 public:
  using Options = LayerNormOptions;
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
  LayerNorm(const Shape& normalized_shape, const LayerNormOptions& options)
      : LayerNorm(normalized_shape, options.eps, options.affine, options.dtype) {}
  LayerNorm(std::initializer_list<Index> shape, const LayerNormOptions& options)
      : LayerNorm(Shape(shape), options) {}
  template <Whole T>
  LayerNorm(T width, const LayerNormOptions& options)
      : LayerNorm(Shape{static_cast<Index>(width)}, options) {}

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
  using Options = RMSNormOptions;
  /// As LayerNorm; the only parameter is weight.
  explicit RMSNorm(const Shape& normalized_shape, double eps = 1e-6, bool affine = true,
                   DType dtype = DType::f32);
  explicit RMSNorm(std::initializer_list<Index> shape, double eps = 1e-6, bool affine = true,
                   DType dtype = DType::f32)
      : RMSNorm(Shape(shape), eps, affine, dtype) {}
  template <Whole T>
  explicit RMSNorm(T width, double eps = 1e-6, bool affine = true)
      : RMSNorm(Shape{static_cast<Index>(width)}, eps, affine) {}
  RMSNorm(const Shape& normalized_shape, const RMSNormOptions& options)
      : RMSNorm(normalized_shape, options.eps, options.affine, options.dtype) {}
  RMSNorm(std::initializer_list<Index> shape, const RMSNormOptions& options)
      : RMSNorm(Shape(shape), options) {}
  template <Whole T>
  RMSNorm(T width, const RMSNormOptions& options)
      : RMSNorm(Shape{static_cast<Index>(width)}, options) {}

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
