#include "layer_norm.h"

#include "../autograd/ops/normalise/layer_norm.h"
#include "../autograd/ops/normalise/rms_norm.h"
#include "../autograd/ops/normalise/standardize.h"
#include "../core/error.h"

namespace heed::nn {
namespace {

const Shape& checked(const char* layer, const Shape& shape, double eps) {
  if (shape.rank() == 0) throw ShapeError(std::string(layer) + ": the shape needs an axis");
  check_sizes(layer, shape);
  check_eps(layer, eps);
  return shape;
}

}  // namespace

LayerNorm::LayerNorm(const Shape& normalized_shape, double eps, bool affine, DType dtype)
    : weight(parameter(
          "weight", affine ? ones(checked("LayerNorm", normalized_shape, eps), dtype) : Tensor())),
      bias(parameter("bias", affine ? zeros(normalized_shape, dtype) : Tensor())),
      normalized_shape_(checked("LayerNorm", normalized_shape, eps)),
      eps_(eps) {}

Tensor LayerNorm::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(layer_norm(x, normalized_shape_, weight, bias, eps_));
}

RMSNorm::RMSNorm(const Shape& normalized_shape, double eps, bool affine, DType dtype)
    : weight(parameter("weight",
                       affine ? ones(checked("RMSNorm", normalized_shape, eps), dtype) : Tensor())),
      normalized_shape_(checked("RMSNorm", normalized_shape, eps)),
      eps_(eps) {}

Tensor RMSNorm::operator()(const Tensor& x) const {
  const Scope scope(*this);
  return forwarded(rms_norm(x, normalized_shape_, weight, eps_));
}

}  // namespace heed::nn
