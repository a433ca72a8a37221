#include "layer_parts.h"

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/layer_norm.h"
#include "../../../autograd/ops/normalise/rms_norm.h"
#include "../../detail/nan_guard.h"
#include "transformer_options.h"

namespace heed::attention {

TransformerNorm::TransformerNorm(const TransformerOptions& options)
    : weight(parameter("weight", ones(Shape{options.width}, options.dtype))),
      bias(parameter("bias", options.norm == Norm::layer && options.bias
                                 ? zeros(Shape{options.width}, options.dtype)
                                 : Tensor())),
      kind_(options.norm),
      eps_(options.eps) {}

Tensor TransformerNorm::operator()(const Tensor& x) const {
  const Scope scope(*this);
  if (kind_ == Norm::rms) return forwarded(rms_norm(x, weight.shape(), weight, eps_));
  return forwarded(layer_norm(x, weight.shape(), weight, bias, eps_));
}

Tensor normed(const TransformerNorm* norm, bool masked, const Tensor& x) {
  return norm != nullptr ? guarded(x, masked, *norm) : x;
}

Tensor activated(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::relu: return relu(x);
    case Activation::geglu_tanh:
    case Activation::gelu_tanh: return gelu(x, Gelu::tanh);
    case Activation::silu:
    case Activation::swiglu: return silu(x);
    case Activation::gelu:
    case Activation::geglu: break;
  }
  return gelu(x);
}

Tensor feed_forward(const Tensor& x, const nn::Linear& linear1, const nn::Linear* linear_gate,
                    Activation activation, const nn::Dropout& dropout, const nn::Linear& linear2) {
  Tensor inner = activated(activation, linear1(x));
  if (linear_gate != nullptr) inner = inner * (*linear_gate)(x);
  return linear2(dropout(inner));
}

}  // namespace heed::attention
