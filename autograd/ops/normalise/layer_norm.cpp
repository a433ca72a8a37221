#include "layer_norm.h"

#include "../shape/widened.h"
#include "trailing_rows.h"

namespace heed {
namespace {

Standardization checked(const Tensor& x, const Shape& normalized_shape, const Tensor& weight,
                        const Tensor& bias, double eps) {
  Standardization how = trailing_rows(Op::layer_norm, x, normalized_shape, eps, true);
  check_affine("layer_norm", "weight", weight, x, normalized_shape);
  check_affine("layer_norm", "bias", bias, x, normalized_shape);
  return how;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps) {
  if (detail::hold_bf16(x, weight, bias)) {
    return layer_norm(detail::wide(x), normalized_shape, detail::wide(weight), detail::wide(bias),
                      eps);
  }
  return standardize(x, weight, bias, checked(x, normalized_shape, weight, bias, eps));
}

Tensor layer_norm_plain(const Tensor& x, const Shape& normalized_shape, const Tensor& weight,
                        const Tensor& bias, double eps) {
  return standardize_plain(x, weight, bias, checked(x, normalized_shape, weight, bias, eps));
}

}  // namespace heed
