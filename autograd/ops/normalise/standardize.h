// What layer_norm, rms_norm, batch_norm and group_norm record: y = z weight + bias with
// z = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps), means over some axes (RMS: nothing is
// taken off). They differ in axes and in the shapes of weight and bias, which broadcast to x.
#pragma once

#include "../../../core/kernels/normalise/standardize.h"
#include "../../op.h"
#include "../../tensor.h"

namespace heed {

struct Standardization {
  Op op;
  std::vector<Index> axes;    ///< that the means run over; at least one
  kernels::RowLayout layout;  ///< the same for the kernels
  double eps = 1e-5;
  bool centred = true;
};

/// Fused. Weight and bias may be undefined; shapes and dtypes are the caller's to check. `seen`
/// takes the moments of x.
Tensor standardize(const Tensor& x, const Tensor& weight, const Tensor& bias,
                   const Standardization& how, kernels::Standardized* seen = nullptr);

/// The definition, in plain operators.
Tensor standardize_plain(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         const Standardization& how);

/// Throws DTypeError, ShapeError unless `weight` is undefined, or of x's dtype and shaped so.
void check_affine(const char* op, const char* what, const Tensor& weight, const Tensor& x,
                  const Shape& shape);
/// Throws ValueError unless it is a number of at least 0.
void check_eps(const char* op, double eps);

}  // namespace heed
