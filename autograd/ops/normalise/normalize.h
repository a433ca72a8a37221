// Vectors along one axis made to have length 1, and the cosine of the angle between two of them.
#pragma once

#include "../../tensor.h"

namespace heed {

/// x / max(norm, eps), the norm (sum |x|^p)^(1/p) along `axis`; p >= 1, infinity: the largest |x|.
/// A vector of zeros stays so, but is NaN with an eps of 0, as in PyTorch; a vector no longer than
/// eps gets the gradient of x / eps; f32 and f64. Throws ShapeError, DTypeError, ValueError for p
/// and a negative eps.
Tensor normalize(const Tensor& x, double p = 2, Index axis = 1, double eps = 1e-12);

/// sum(x y) / (max(|x|, eps) max(|y|, eps)) along `axis` of the broadcast shape, which goes. The
/// gradient is that of the formula; PyTorch's, for vectors shorter than eps, is that of the norm
/// without its bound. Zeros with an eps of 0 give NaN, as there. Throws ShapeError, DTypeError,
/// ValueError for a negative eps.
Tensor cosine_similarity(const Tensor& x, const Tensor& y, Index axis = 1, double eps = 1e-8);

}  // namespace heed
