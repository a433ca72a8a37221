// Losses that ask for a margin and are flat beyond it. Targets get no gradient. At the edge itself
// the gradient is PyTorch's: that of the sloping side for hinge_embedding_loss and
// cosine_embedding_loss, that of the flat side, 0, for multi_margin_loss.
#pragma once

#include "reduction.h"

namespace heed {

/// x where the target is 1, max(0, margin - x) where it is -1: x a distance, f32 or f64, targets of
/// its shape and of any dtype but bool. Throws ValueError for other targets and a margin that is
/// not finite, ShapeError, DTypeError.
Tensor hinge_embedding_loss(const Tensor& x, const Tensor& targets, double margin = 1,
                            Reduction reduction = Reduction::mean);

/// 1 - cos(a, b) where the target is 1, max(0, cos(a, b) - margin) where it is -1; a and b [D] or
/// [N, D], targets rank 0 or [N]. cos(a, b) = a b / sqrt((a a + 1e-12) (b b + 1e-12)). Throws as
/// hinge_embedding_loss().
Tensor cosine_embedding_loss(const Tensor& a, const Tensor& b, const Tensor& targets,
                             double margin = 0, Reduction reduction = Reduction::mean);

struct MultiMarginLossOptions {
  Index p = 1;  ///< 1 or 2
  double margin = 1;
  Tensor weight = {};  ///< [C], a factor a class; undefined: all 1
  Reduction reduction = Reduction::mean;
};

/// weight[y] / C sum over c != y of max(0, margin - x[y] + x[c])^p: scores x [N, C] or [C], targets
/// y i64 [N] or rank 0 (Crammer & Singer 2001 with p = 1). Throws IndexError for a target outside
/// [0, C), ValueError, ShapeError, DTypeError.
Tensor multi_margin_loss(const Tensor& x, const Tensor& targets,
                         const MultiMarginLossOptions& options = {});

/// max(0, margin - y (x1 - x2)), of y 1 or -1. Throws ShapeError, DTypeError.
Tensor margin_ranking_loss(const Tensor& x1, const Tensor& x2, const Tensor& y, double margin = 0,
                           Reduction reduction = Reduction::mean);

/// max(0, margin + |a - p| - |a - n|), norms along the last axis (Balntas et al. 2016). Throws
/// ShapeError, DTypeError.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1, Reduction reduction = Reduction::mean);

}  // namespace heed
