// Conv1d, Conv2d and Conv3d: convolutions with a weight of their own; see autograd/ops/conv/conv.h
// for the formula. Names, layouts and first values are PyTorch's.
#pragma once

#include <concepts>

#include "../autograd/ops/conv/conv.h"
#include "../autograd/ops/conv/conv3d.h"
#include "layer.h"

namespace heed::nn {

/// Options of a convolution and of its layer, as conv1d(), conv2d() and conv3d() have them; Size is
/// a number for each axis.
template <class Size>
struct ConvOptions {
  ByName by_name = ByName();
  Size stride = 1;
  Size padding = 0;
  Size dilation = 1;
  Index groups = 1;
  bool same = false;
  bool bias = true;
  DType dtype = DType::f32;

  /// What of these the operator takes: Conv1dOptions, Conv2dOptions or Conv3dOptions.
  template <class Operator>
  Operator of() const {
    return {
        .stride = stride, .padding = padding, .dilation = dilation, .groups = groups, .same = same};
  }
};

class Conv1d : public Layer<Conv1d> {
 public:
  using Options = ConvOptions<Index>;
  /// Both parameters begin uniform in (-1/sqrt(n), 1/sqrt(n)), n = in / groups times the kernel, as
  /// PyTorch's. Throws ValueError unless all sizes, strides and dilations are positive, paddings
  /// not negative, and groups divide both channels; `same` takes stride 1 and padding 0.
  Conv1d(Index in, Index out, Index kernel, const ConvOptions<Index>& options = {})
      : Conv1d(in, out, kernel, options.of<Conv1dOptions>(), options.bias, options.dtype) {}
  Conv1d(Index in, Index out, Index kernel, const Conv1dOptions& options, bool with_bias,
         DType dtype = DType::f32);
  template <std::same_as<Conv1dOptions> T>
  Conv1d(Index in, Index out, Index kernel, const T& options)
      : Conv1d(in, out, kernel, options, true) {}
  /// The options one by one, in PyTorch's order.
  template <Whole S>
  Conv1d(Index in, Index out, Index kernel, S stride, Index padding = 0, Index dilation = 1,
         Index groups = 1, bool with_bias = true)
      : Conv1d(in, out, kernel,
               Conv1dOptions{.stride = static_cast<Index>(stride),
                             .padding = padding,
                             .dilation = dilation,
                             .groups = groups},
               with_bias) {}

  template <std::same_as<std::nullptr_t> T>
  explicit Conv1d(T, Say<"nn::Conv1d& name = child<nn::Conv1d>(\"name\", 3, 8, 5)"> = {}) = delete;

  Tensor& weight;  ///< [out, in / groups, kernel]
  Tensor& bias;    ///< [out]; undefined without bias

  /// x [B, in, L] or [in, L] -> [B, out, L'] or [out, L'].
  Tensor operator()(const Tensor& x) const;

  const Conv1dOptions& options() const { return options_; }

 private:
  friend class Sequential;
  Conv1d(Conv1d&&) = default;
  Conv1dOptions options_;
};

class Conv2d : public Layer<Conv2d> {
 public:
  using Options = ConvOptions<PerAxis>;
  /// As Conv1d, n = in / groups times the kernel's two sizes.
  Conv2d(Index in, Index out, PerAxis kernel, const ConvOptions<PerAxis>& options = {})
      : Conv2d(in, out, kernel, options.of<Conv2dOptions>(), options.bias, options.dtype) {}
  Conv2d(Index in, Index out, PerAxis kernel, const Conv2dOptions& options, bool with_bias,
         DType dtype = DType::f32);
  template <std::same_as<Conv2dOptions> T>
  Conv2d(Index in, Index out, PerAxis kernel, const T& options)
      : Conv2d(in, out, kernel, options, true) {}
  /// The options one by one, in PyTorch's order.
  template <Whole S>
  Conv2d(Index in, Index out, PerAxis kernel, S stride, PerAxis padding = 0, PerAxis dilation = 1,
         Index groups = 1, bool with_bias = true)
      : Conv2d(in, out, kernel,
               Conv2dOptions{.stride = static_cast<Index>(stride),
                             .padding = padding,
                             .dilation = dilation,
                             .groups = groups},
               with_bias) {}

  template <std::same_as<std::nullptr_t> T>
  explicit Conv2d(T, Say<"nn::Conv2d& name = child<nn::Conv2d>(\"name\", 3, 8, 5)"> = {}) = delete;

  Tensor& weight;  ///< [out, in / groups, kernel.y, kernel.x]
  Tensor& bias;    ///< [out]; undefined without bias

  /// x [B, in, H, W] or [in, H, W] -> [B, out, H', W'] or [out, H', W'].
  Tensor operator()(const Tensor& x) const;

  const Conv2dOptions& options() const { return options_; }

 private:
  friend class Sequential;
  Conv2d(Conv2d&&) = default;
  Conv2dOptions options_;
};

class Conv3d : public Layer<Conv3d> {
 public:
  using Options = ConvOptions<Triple>;
  /// As Conv1d, n = in / groups times the kernel's three sizes.
  Conv3d(Index in, Index out, Triple kernel, const ConvOptions<Triple>& options = {})
      : Conv3d(in, out, kernel, options.of<Conv3dOptions>(), options.bias, options.dtype) {}
  Conv3d(Index in, Index out, Triple kernel, const Conv3dOptions& options, bool with_bias,
         DType dtype = DType::f32);
  template <std::same_as<Conv3dOptions> T>
  Conv3d(Index in, Index out, Triple kernel, const T& options)
      : Conv3d(in, out, kernel, options, true) {}
  /// The options one by one, in PyTorch's order.
  template <Whole S>
  Conv3d(Index in, Index out, Triple kernel, S stride, Triple padding = 0, Triple dilation = 1,
         Index groups = 1, bool with_bias = true)
      : Conv3d(in, out, kernel,
               Conv3dOptions{.stride = static_cast<Index>(stride),
                             .padding = padding,
                             .dilation = dilation,
                             .groups = groups},
               with_bias) {}

  Tensor& weight;  ///< [out, in / groups, kernel.z, kernel.y, kernel.x]
  Tensor& bias;    ///< [out]; undefined without bias

  /// x [B, in, D, H, W] or [in, D, H, W] -> [B, out, D', H', W'] or [out, D', H', W'].
  Tensor operator()(const Tensor& x) const;

  const Conv3dOptions& options() const { return options_; }

 private:
  friend class Sequential;
  Conv3d(Conv3d&&) = default;
  Conv3dOptions options_;
};

}  // namespace heed::nn
