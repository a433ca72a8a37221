// Pooling layers without parameters, for a place in a Sequential; see autograd/ops/conv/pool.h.
// Constructors throw ValueError for options that fit no x: a kernel, stride or dilation that is not
// positive, a padding that is negative or more than half of the kernel, a negative size.
//
//   nn::MaxPool2d pool({.kernel = 2});
#pragma once

#include "../autograd/ops/conv/pool.h"
#include "layer.h"

namespace heed::nn {

class MaxPool1d : public Layer<MaxPool1d> {
 public:
  using Options = MaxPool1dOptions;
  explicit MaxPool1d(const MaxPool1dOptions& options);
  template <Whole K>
  explicit MaxPool1d(K kernel, std::optional<Index> stride = {}, Index padding = 0)
      : MaxPool1d(MaxPool1dOptions{
            .kernel = static_cast<Index>(kernel), .stride = stride, .padding = padding}) {}
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
