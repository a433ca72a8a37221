// Activations as layers, for a place in a Sequential; the formulas are those of the functions in
// autograd/ops/elementwise/activation.h, elementwise.h and softmax.h. Names and defaults are
// PyTorch's.
#pragma once

#include <string_view>

#include "../autograd/ops/elementwise/activation.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/normalise/softmax.h"
#include "layer.h"

namespace heed::nn {

/// A function of one tensor as a layer without parameters.
template <class T, Tensor (*function)(const Tensor&)>
class Activation : public Layer<T> {
 public:
  Activation() = default;
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return this->forwarded(function(x));
  }

 protected:
  Activation(Activation&&) = default;
};

class ReLU : public Activation<ReLU, relu> {
 public:
  ReLU() = default;
  explicit ReLU(bool, Say<"nn::ReLU(): nothing is written in place"> = {}) = delete;

 private:
  friend class Sequential;
  ReLU(ReLU&&) = default;
};
class Tanh : public Activation<Tanh, tanh> {
 public:
  Tanh() = default;

 private:
  friend class Sequential;
  Tanh(Tanh&&) = default;
};
class Sigmoid : public Activation<Sigmoid, sigmoid> {
 public:
  Sigmoid() = default;

 private:
  friend class Sequential;
  Sigmoid(Sigmoid&&) = default;
};
class SiLU : public Activation<SiLU, silu> {
 public:
  SiLU() = default;

 private:
  friend class Sequential;
  SiLU(SiLU&&) = default;
};
class LogSigmoid : public Activation<LogSigmoid, log_sigmoid> {
 public:
  LogSigmoid() = default;

 private:
  friend class Sequential;
  LogSigmoid(LogSigmoid&&) = default;
};
class ReLU6 : public Activation<ReLU6, relu6> {
 public:
  ReLU6() = default;

 private:
  friend class Sequential;
  ReLU6(ReLU6&&) = default;
};
class Softsign : public Activation<Softsign, softsign> {
 public:
  Softsign() = default;

 private:
  friend class Sequential;
  Softsign(Softsign&&) = default;
};
class Mish : public Activation<Mish, mish> {
 public:
  Mish() = default;

 private:
  friend class Sequential;
  Mish(Mish&&) = default;
};

class SELU : public Activation<SELU, selu> {
 public:
  SELU() = default;

 private:
  friend class Sequential;
  SELU(SELU&&) = default;
};

class Hardsigmoid : public Activation<Hardsigmoid, hardsigmoid> {
 public:
  Hardsigmoid() = default;

 private:
  friend class Sequential;
  Hardsigmoid(Hardsigmoid&&) = default;
};

class Hardswish : public Activation<Hardswish, hardswish> {
 public:
  Hardswish() = default;

 private:
  friend class Sequential;
  Hardswish(Hardswish&&) = default;
};

class GELU : public Layer<GELU> {
 public:
  explicit GELU(Gelu form = Gelu::exact) : form_(form) {}
  /// "none" or "tanh", as PyTorch's approximate. Throws ValueError for others.
  explicit GELU(std::string_view approximate);
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(gelu(x, form_));
  }

 private:
  friend class Sequential;
  GELU(GELU&&) = default;
  Gelu form_;
};

struct LeakyReLUOptions {
  double negative_slope = 0.01;
};

class LeakyReLU : public Layer<LeakyReLU> {
 public:
  explicit LeakyReLU(double slope = 0.01) : slope_(slope) {}
  explicit LeakyReLU(const LeakyReLUOptions& options) : slope_(options.negative_slope) {}
  LeakyReLU(double, bool, Say<"nn::LeakyReLU(slope): nothing is written in place"> = {}) = delete;
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(leaky_relu(x, slope_));
  }

 private:
  friend class Sequential;
  LeakyReLU(LeakyReLU&&) = default;
  double slope_;
};

class ELU : public Layer<ELU> {
 public:
  explicit ELU(double alpha = 1) : alpha_(alpha) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(elu(x, alpha_));
  }

 private:
  friend class Sequential;
  ELU(ELU&&) = default;
  double alpha_;
};

class Softplus : public Layer<Softplus> {
 public:
  explicit Softplus(double beta = 1, double threshold = 20) : beta_(beta), threshold_(threshold) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(softplus(x, beta_, threshold_));
  }

 private:
  friend class Sequential;
  Softplus(Softplus&&) = default;
  double beta_;
  double threshold_;
};

class Hardtanh : public Layer<Hardtanh> {
 public:
  explicit Hardtanh(double min = -1, double max = 1) : min_(min), max_(max) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(hardtanh(x, min_, max_));
  }

 private:
  friend class Sequential;
  Hardtanh(Hardtanh&&) = default;
  double min_;
  double max_;
};

class Softmax : public Layer<Softmax> {
 public:
  explicit Softmax(Index axis) : axis_(axis) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(softmax(x, axis_));
  }

 private:
  friend class Sequential;
  Softmax(Softmax&&) = default;
  Index axis_;
};

class LogSoftmax : public Layer<LogSoftmax> {
 public:
  explicit LogSoftmax(Index axis) : axis_(axis) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(log_softmax(x, axis_));
  }

 private:
  friend class Sequential;
  LogSoftmax(LogSoftmax&&) = default;
  Index axis_;
};

/// softmax() over channels: x [B, C, H, W] or [C, H, W].
class Softmax2d : public Layer<Softmax2d> {
 public:
  Softmax2d() = default;
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(softmax(x, -3));
  }

 private:
  friend class Sequential;
  Softmax2d(Softmax2d&&) = default;
};

/// softmax(-x).
class Softmin : public Layer<Softmin> {
 public:
  explicit Softmin(Index axis) : axis_(axis) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(softmax(-x, axis_));
  }

 private:
  friend class Sequential;
  Softmin(Softmin&&) = default;
  Index axis_;
};

/// x where it is positive, else alpha (exp(x / alpha) - 1). Throws ValueError for an alpha of 0.
class CELU : public Layer<CELU> {
 public:
  explicit CELU(double alpha = 1);
  Tensor operator()(const Tensor& x) const;

 private:
  friend class Sequential;
  CELU(CELU&&) = default;
  double alpha_;
};

/// x where it is above the threshold, else `value`.
class Threshold : public Layer<Threshold> {
 public:
  Threshold(double threshold, double value) : threshold_(threshold), value_(value) {}
  Tensor operator()(const Tensor& x) const {
    const Scope scope(*this);
    return forwarded(where(x > threshold_, x, value_));
  }

 private:
  friend class Sequential;
  Threshold(Threshold&&) = default;
  double threshold_;
  double value_;
};

}  // namespace heed::nn
