// Rows made to have mean 0 and variance 1, then scaled and shifted: what layer, RMS, batch and
// group normalisation have in common; f32 and f64. They differ in which elements make a row and
// which weight goes with which element: RowLayout says both. Forward and backward read each row
// twice, and it stays in cache in between.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// Of a contiguous array: element (r, s, i) of row r lies at r row_step + s segment_step + i. Its
/// weight is number (r mod period) weight_row_step + s weight_segment_step, plus i where every
/// element of a segment has its own (`many`).
struct RowLayout {
  Index rows = 0;
  Index segments = 1;  ///< of each row
  Index length = 0;    ///< of each segment
  Index row_step = 0, segment_step = 0;
  Index period = 1;
  Index weight_row_step = 0, weight_segment_step = 0;
  bool many = false;
  bool down = false;  ///< rows are the columns of a matrix, with one weight each: no steps are used
};

struct Standardized {
  Array y;
  Array mean, variance;  ///< [rows]; the mean is 0 and the variance the mean square unless centred
};

/// (x - mean) / sqrt(variance + eps) weight + bias; weight and bias may be undefined. x's shape and
/// dtype; nothing is checked.
Standardized standardize(const Array& x, const Array& weight, const Array& bias,
                         const RowLayout& layout, double eps, bool centred);

struct StandardizeGradients {
  Array x, weight, bias;  ///< those of weight and bias [weights]
};
/// From the incoming gradient and the forward pass' moments; of weight and bias only where there
/// are `weights` of them, not 0. They are summed in pieces cut by shape alone.
StandardizeGradients standardize_grad(const Array& g, const Array& x, const Array& weight,
                                      const Array& mean, const Array& variance,
                                      const RowLayout& layout, double eps, bool centred,
                                      Index weights);

}  // namespace heed::kernels
