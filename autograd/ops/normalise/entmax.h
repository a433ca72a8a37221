// alpha-entmax over one axis (Peters, Niculae & Martins 2019): between softmax (alpha = 1) and
// sparsemax (alpha = 2), and beyond; the larger alpha, the fewer places get any weight. alpha can
// be learned (Correia, Niculae & Martins 2019).
#pragma once

#include "../../tensor.h"

namespace heed {

/// [(alpha - 1) x - tau]_+^(1 / (alpha - 1)) along `axis`, with tau such that it sums to 1; f32 and
/// f64. alpha >= 1; as a tensor of x's dtype it broadcasts to x's shape with `axis` of size 1 (one
/// a row, a head, ...) and gets a gradient. `mask` as in softmax(). The support is taken as fixed
/// by the gradient. Throws ShapeError, DTypeError, ValueError for alpha.
Tensor entmax(const Tensor& x, Index axis, const Tensor& alpha, const Tensor& mask = Tensor());
Tensor entmax(const Tensor& x, Index axis, double alpha = 1.5, const Tensor& mask = Tensor());

}  // namespace heed
