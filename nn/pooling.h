// Pooling layers without parameters, for a place in a Sequential; see autograd/ops/pool.h.
// Constructors throw ValueError for options that fit no x: a kernel, stride or dilation that is not
// positive, a padding that is negative or more than half of the kernel, a negative size.
//
//   nn::MaxPool2d pool({.kernel = 2});
#pragma once

#include "../autograd/ops/pool.h"
#include "module.h"

namespace heed::nn {

class MaxPool1d : public Module {
 public:
  explicit MaxPool1d(const MaxPool1dOptions& options);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(max_pool1d(x, options_));
  }
  const MaxPool1dOptions& options() const { return options_; }

 private:
  MaxPool1dOptions options_;
};

class MaxPool2d : public Module {
 public:
  explicit MaxPool2d(const MaxPool2dOptions& options);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(max_pool2d(x, options_));
  }
  const MaxPool2dOptions& options() const { return options_; }

 private:
  MaxPool2dOptions options_;
};

class AvgPool1d : public Module {
 public:
  explicit AvgPool1d(const AvgPool1dOptions& options);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(avg_pool1d(x, options_));
  }
  const AvgPool1dOptions& options() const { return options_; }

 private:
  AvgPool1dOptions options_;
};

class AvgPool2d : public Module {
 public:
  explicit AvgPool2d(const AvgPool2dOptions& options);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(avg_pool2d(x, options_));
  }
  const AvgPool2dOptions& options() const { return options_; }

 private:
  AvgPool2dOptions options_;
};

class AdaptiveAvgPool1d : public Module {
 public:
  explicit AdaptiveAvgPool1d(Index out);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(adaptive_avg_pool1d(x, out_));
  }
  Index out() const { return out_; }

 private:
  Index out_;
};

class AdaptiveAvgPool2d : public Module {
 public:
  explicit AdaptiveAvgPool2d(Pair out);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(adaptive_avg_pool2d(x, out_));
  }
  Pair out() const { return out_; }

 private:
  Pair out_;
};

}  // namespace heed::nn
