// Pooling layers without parameters, for a place in a Sequential; see autograd/ops/pool.h.
//
//   nn::MaxPool2d pool({.kernel = 2});
#pragma once

#include "../autograd/ops/pool.h"
#include "module.h"

namespace heed::nn {

class MaxPool1d : public Module {
 public:
  explicit MaxPool1d(const MaxPool1dOptions& options) : options_(options) {}
  Tensor operator()(const Tensor& x) const { return max_pool1d(x, options_); }
  const MaxPool1dOptions& options() const { return options_; }

 private:
  MaxPool1dOptions options_;
};

class MaxPool2d : public Module {
 public:
  explicit MaxPool2d(const MaxPool2dOptions& options) : options_(options) {}
  Tensor operator()(const Tensor& x) const { return max_pool2d(x, options_); }
  const MaxPool2dOptions& options() const { return options_; }

 private:
  MaxPool2dOptions options_;
};

class AvgPool1d : public Module {
 public:
  explicit AvgPool1d(const AvgPool1dOptions& options) : options_(options) {}
  Tensor operator()(const Tensor& x) const { return avg_pool1d(x, options_); }
  const AvgPool1dOptions& options() const { return options_; }

 private:
  AvgPool1dOptions options_;
};

class AvgPool2d : public Module {
 public:
  explicit AvgPool2d(const AvgPool2dOptions& options) : options_(options) {}
  Tensor operator()(const Tensor& x) const { return avg_pool2d(x, options_); }
  const AvgPool2dOptions& options() const { return options_; }

 private:
  AvgPool2dOptions options_;
};

class AdaptiveAvgPool1d : public Module {
 public:
  explicit AdaptiveAvgPool1d(Index out) : out_(out) {}
  Tensor operator()(const Tensor& x) const { return adaptive_avg_pool1d(x, out_); }
  Index out() const { return out_; }

 private:
  Index out_;
};

class AdaptiveAvgPool2d : public Module {
 public:
  explicit AdaptiveAvgPool2d(Pair out) : out_(out) {}
  Tensor operator()(const Tensor& x) const { return adaptive_avg_pool2d(x, out_); }
  Pair out() const { return out_; }

 private:
  Pair out_;
};

}  // namespace heed::nn
