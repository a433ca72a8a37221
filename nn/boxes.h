// Boxes of things in an image, [.., 4], and how much two of them overlap:
//
//   centres     (cx, cy, w, h)  <->  corners (x0, y0, x1, y1)
//   IoU(a, b)  = |a and b| / |a or b|
//   GIoU(a, b) = IoU - (|hull| - |a or b|) / |hull|, in (-1, 1]        Rezatofighi et al. 2019
//
// f32 and f64, gradients of both orders; all broadcast.
#pragma once

#include "../autograd/tensor.h"

namespace heed::nn {

/// Throws ShapeError, DTypeError.
Tensor corners_of(const Tensor& centres);
Tensor centres_of(const Tensor& corners);

/// a [.., 4], b [.., 4] of corners -> [..]; boxes without an area overlap with nothing: IoU 0, and
/// a hull without one adds nothing. Throws ShapeError, DTypeError.
Tensor box_iou(const Tensor& a, const Tensor& b);
Tensor generalized_box_iou(const Tensor& a, const Tensor& b);

}  // namespace heed::nn
