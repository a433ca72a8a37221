// Pooling layers without parameters, for a place in a Sequential; see autograd/ops/conv/pool.h.
// Constructors throw ValueError for options that fit no x: a kernel, stride or dilation that is not
// positive, a padding that is negative or more than half of the kernel, a negative size.
//
//   nn::MaxPool2d pool({.kernel = 2});
#pragma once

#include <concepts>
#include <optional>

#include "../autograd/ops/conv/pool.h"
#include "layer.h"

namespace heed::nn {

/// What a pooling layer may have beside its kernel, by name; Size is a number for each axis.
template <class Size>
struct MaxPoolOptions {
  ByName by_name = ByName();
  std::optional<Size> stride = {};  ///< none: the kernel
  Size padding = 0;
  Size dilation = 1;
  bool ceil_mode = false;

  /// The operator's options, with the kernel: MaxPool1dOptions or MaxPool2dOptions.
  template <class Operator>
  Operator of(const Size& kernel) const {
    return {.kernel = kernel,
            .stride = stride,
            .padding = padding,
            .dilation = dilation,
            .ceil_mode = ceil_mode};
  }
};

template <class Size>
struct AvgPoolOptions {
  ByName by_name = ByName();
  std::optional<Size> stride = {};
  Size padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;

  /// The operator's options, with the kernel: AvgPool1dOptions or AvgPool2dOptions.
  template <class Operator>
  Operator of(const Size& kernel) const {
    return {.kernel = kernel,
            .stride = stride,
            .padding = padding,
            .ceil_mode = ceil_mode,
            .count_include_pad = count_include_pad};
  }
};

class MaxPool1d : public Layer<MaxPool1d> {
 public:
  using Options = MaxPool1dOptions;
  explicit MaxPool1d(const MaxPool1dOptions& options);
  template <Whole K>
  explicit MaxPool1d(K kernel, std::optional<Index> stride = {}, Index padding = 0)
      : MaxPool1d(MaxPool1dOptions{
            .kernel = static_cast<Index>(kernel), .stride = stride, .padding = padding}) {}
  /// The kernel, and what `others` says beside it.
  template <Whole K>
  MaxPool1d(K kernel, const MaxPoolOptions<Index>& others)
      : MaxPool1d(others.of<MaxPool1dOptions>(static_cast<Index>(kernel))) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(max_pool1d(x, options_));
  }
  const MaxPool1dOptions& options() const { return options_; }

 private:
  friend class Sequential;
  MaxPool1d(MaxPool1d&&) = default;
  MaxPool1dOptions options_;
};

class MaxPool2d : public Layer<MaxPool2d> {
 public:
  using Options = MaxPool2dOptions;
  explicit MaxPool2d(const MaxPool2dOptions& options);
  template <Whole K>
  explicit MaxPool2d(K kernel, std::optional<PerAxis> stride = {}, PerAxis padding = 0)
      : MaxPool2d(MaxPool2dOptions{
            .kernel = static_cast<Index>(kernel), .stride = stride, .padding = padding}) {}
  /// The kernel, and what `others` says beside it.
  template <Whole K>
  MaxPool2d(K kernel, const MaxPoolOptions<PerAxis>& others)
      : MaxPool2d(others.of<MaxPool2dOptions>(static_cast<Index>(kernel))) {}
  template <std::same_as<PerAxis> K>
  explicit MaxPool2d(K kernel, std::optional<PerAxis> stride = {}, PerAxis padding = 0)
      : MaxPool2d(MaxPool2dOptions{.kernel = kernel, .stride = stride, .padding = padding}) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(max_pool2d(x, options_));
  }
  const MaxPool2dOptions& options() const { return options_; }

 private:
  friend class Sequential;
  MaxPool2d(MaxPool2d&&) = default;
  MaxPool2dOptions options_;
};

class AvgPool1d : public Layer<AvgPool1d> {
 public:
  using Options = AvgPool1dOptions;
  explicit AvgPool1d(const AvgPool1dOptions& options);
  template <Whole K>
  explicit AvgPool1d(K kernel, std::optional<Index> stride = {}, Index padding = 0)
      : AvgPool1d(AvgPool1dOptions{
            .kernel = static_cast<Index>(kernel), .stride = stride, .padding = padding}) {}
  /// The kernel, and what `others` says beside it.
  template <Whole K>
  AvgPool1d(K kernel, const AvgPoolOptions<Index>& others)
      : AvgPool1d(others.of<AvgPool1dOptions>(static_cast<Index>(kernel))) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(avg_pool1d(x, options_));
  }
  const AvgPool1dOptions& options() const { return options_; }

 private:
  friend class Sequential;
  AvgPool1d(AvgPool1d&&) = default;
  AvgPool1dOptions options_;
};

class AvgPool2d : public Layer<AvgPool2d> {
 public:
  using Options = AvgPool2dOptions;
  explicit AvgPool2d(const AvgPool2dOptions& options);
  template <Whole K>
  explicit AvgPool2d(K kernel, std::optional<PerAxis> stride = {}, PerAxis padding = 0)
      : AvgPool2d(AvgPool2dOptions{
            .kernel = static_cast<Index>(kernel), .stride = stride, .padding = padding}) {}
  /// The kernel, and what `others` says beside it.
  template <Whole K>
  AvgPool2d(K kernel, const AvgPoolOptions<PerAxis>& others)
      : AvgPool2d(others.of<AvgPool2dOptions>(static_cast<Index>(kernel))) {}
  template <std::same_as<PerAxis> K>
  explicit AvgPool2d(K kernel, std::optional<PerAxis> stride = {}, PerAxis padding = 0)
      : AvgPool2d(AvgPool2dOptions{.kernel = kernel, .stride = stride, .padding = padding}) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(avg_pool2d(x, options_));
  }
  const AvgPool2dOptions& options() const { return options_; }

 private:
  friend class Sequential;
  AvgPool2d(AvgPool2d&&) = default;
  AvgPool2dOptions options_;
};

class AdaptiveAvgPool1d : public Layer<AdaptiveAvgPool1d> {
 public:
  explicit AdaptiveAvgPool1d(Index out);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(adaptive_avg_pool1d(x, out_));
  }
  Index out() const { return out_; }

 private:
  friend class Sequential;
  AdaptiveAvgPool1d(AdaptiveAvgPool1d&&) = default;
  Index out_;
};

class AdaptiveAvgPool2d : public Layer<AdaptiveAvgPool2d> {
 public:
  explicit AdaptiveAvgPool2d(PerAxis out);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(adaptive_avg_pool2d(x, out_));
  }
  PerAxis out() const { return out_; }

 private:
  friend class Sequential;
  AdaptiveAvgPool2d(AdaptiveAvgPool2d&&) = default;
  PerAxis out_;
};

}  // namespace heed::nn
