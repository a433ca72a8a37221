// The loss of a set of predictions (Carion et al. 2020, "End-to-End Object Detection with
// Transformers", DETR, section 3.1): each thing of an image is matched with one prediction, all at
// once and as cheaply as possible; the other predictions are to say that there is nothing.
//
//   cost[i, j] = -c p_i(class_j) + l |b_i - b_j|_1 - g GIoU(b_i, b_j)               the matching's
//   loss = CE(class) + (l sum |b_i - b_j|_1 + g sum (1 - GIoU(b_i, b_j))) / things  eqs. 2, 9
//
// logits [B, N, C + 1], the last class being none, which the cross-entropy weighs by `none`; boxes
// [B, N, 4], (cx, cy, w, h) in [0, 1]. The matching gets no gradient, what is matched does.
// O(B M^2 N) for M things an image.
#pragma once

#include "../autograd/tensor.h"
#include "assignment.h"

namespace heed::nn {

/// What is in an image.
struct Things {
  Tensor classes;  ///< i64 [M]
  Tensor boxes;    ///< [M, 4]
};

struct SetLossOptions {
  double classes = 1, corners = 5, overlap = 2;  ///< c, l, g
  double none = 0.1;
};

struct SetLoss {
  Tensor total;                      ///< rank 0
  Tensor classes, corners, overlap;  ///< its parts, unweighed
  std::vector<Assignment> matches;   ///< of each image: predictions, and their things
};

/// The matching alone. Throws ShapeError, DTypeError, IndexError for a class outside [0, C),
/// ValueError for predictions that are not finite, and fewer of them than things.
std::vector<Assignment> match_sets(const Tensor& logits, const Tensor& boxes,
                                   const std::vector<Things>& things,
                                   const SetLossOptions& options = {});
/// Throws as match_sets().
SetLoss set_loss(const Tensor& logits, const Tensor& boxes, const std::vector<Things>& things,
                 const SetLossOptions& options = {});

}  // namespace heed::nn
