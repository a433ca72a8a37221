// ConvTranspose1d and ConvTranspose2d: transposed convolutions with a weight of their own; see
// autograd/ops/conv/conv_transpose.h for the sizes. Names, layouts and first values are PyTorch's.
#pragma once

#include <concepts>

#include "../autograd/ops/conv/conv_transpose.h"
#include "layer.h"

namespace heed::nn {

/// Options of conv_transpose1d() and conv_transpose2d(), and of their layers.
template <class Size>
struct ConvTransposeOptions {
  ByName by_name = ByName();
  Size stride = 1;
  Size padding = 0;
  Size output_padding = 0;
  Index groups = 1;
  bool bias = true;
  Size dilation = 1;
  DType dtype = DType::f32;

  /// What of these the operator takes: ConvTranspose1dOptions or ConvTranspose2dOptions.
  template <class Operator>
  Operator of() const {
    return {.stride = stride,
            .padding = padding,
            .output_padding = output_padding,
            .dilation = dilation,
            .groups = groups};
  }
};

class ConvTranspose1d : public Layer<ConvTranspose1d> {
 public:
  using Options = ConvTransposeOptions<Index>;
  /// Both parameters begin uniform in (-1/sqrt(n), 1/sqrt(n)), n = out / groups times the kernel.
  /// Throws ValueError unless all sizes are positive and groups divide both channels.
  ConvTranspose1d(Index in, Index out, Index kernel,
                  const ConvTransposeOptions<Index>& options = {})
      : ConvTranspose1d(in, out, kernel, options.of<ConvTranspose1dOptions>(), options.bias,
                        options.dtype) {}
  ConvTranspose1d(Index in, Index out, Index kernel, const ConvTranspose1dOptions& options,
                  bool with_bias, DType dtype = DType::f32);
  template <std::same_as<ConvTranspose1dOptions> T>
  ConvTranspose1d(Index in, Index out, Index kernel, const T& options)
      : ConvTranspose1d(in, out, kernel, options, true) {}
  /// The options one by one, in PyTorch's order.
  template <Whole S>
  ConvTranspose1d(Index in, Index out, Index kernel, S stride, Index padding = 0,
                  Index output_padding = 0, Index groups = 1, bool with_bias = true)
      : ConvTranspose1d(in, out, kernel,
                        ConvTranspose1dOptions{.stride = static_cast<Index>(stride),
                                               .padding = padding,
                                               .output_padding = output_padding,
                                               .groups = groups},
                        with_bias) {}

  Tensor& weight;  ///< [in, out / groups, kernel]
  Tensor& bias;    ///< [out]; undefined without bias

  /// x [B, in, L] or [in, L] -> [B, out, L'] or [out, L'].
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  ConvTranspose1d(ConvTranspose1d&&) = default;
  ConvTranspose1dOptions options_;
};

class ConvTranspose2d : public Layer<ConvTranspose2d> {
 public:
  using Options = ConvTransposeOptions<PerAxis>;
  /// As ConvTranspose1d, n = out / groups times the kernel's two sizes.
  ConvTranspose2d(Index in, Index out, PerAxis kernel,
                  const ConvTransposeOptions<PerAxis>& options = {})
      : ConvTranspose2d(in, out, kernel, options.of<ConvTranspose2dOptions>(), options.bias,
                        options.dtype) {}
  ConvTranspose2d(Index in, Index out, PerAxis kernel, const ConvTranspose2dOptions& options,
                  bool with_bias, DType dtype = DType::f32);
  template <std::same_as<ConvTranspose2dOptions> T>
  ConvTranspose2d(Index in, Index out, PerAxis kernel, const T& options)
      : ConvTranspose2d(in, out, kernel, options, true) {}
  template <Whole S>
  ConvTranspose2d(Index in, Index out, PerAxis kernel, S stride, PerAxis padding = 0,
                  PerAxis output_padding = 0, Index groups = 1, bool with_bias = true)
      : ConvTranspose2d(in, out, kernel,
                        ConvTranspose2dOptions{.stride = static_cast<Index>(stride),
                                               .padding = padding,
                                               .output_padding = output_padding,
                                               .groups = groups},
                        with_bias) {}

  Tensor& weight;  ///< [in, out / groups, kernel.y, kernel.x]
  Tensor& bias;    ///< [out]; undefined without bias

  /// x [B, in, H, W] or [in, H, W] -> [B, out, H', W'] or [out, H', W'].
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  ConvTranspose2d(ConvTranspose2d&&) = default;
  ConvTranspose2dOptions options_;
};

}  // namespace heed::nn
