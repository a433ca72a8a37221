#include "rms_norm.h"

#include "../shape/widened.h"
#include "trailing_rows.h"

namespace heed {
namespace {

Standardization checked(const Tensor& x, const Shape& normalized_shape, const Tensor& weight,
                        double eps) {
  Standardization how = trailing_rows(Op::rms_norm, x, normalized_shape, eps, false);
  check_affine("rms_norm", "weight", weight, x, normalized_shape);
  return how;
}

}  // namespace

Tensor rms_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight, double eps) {
  if (detail::hold_bf16(x, weight)) {
    return rms_norm(detail::wide(x), normalized_shape, detail::wide(weight), eps);
  }
  return standardize(x, weight, Tensor(), checked(x, normalized_shape, weight, eps));
}

Tensor rms_norm_plain(const Tensor& x, const Shape& normalized_shape, const Tensor& weight,
                      double eps) {
  return standardize_plain(x, weight, Tensor(), checked(x, normalized_shape, weight, eps));
}

}  // namespace heed
