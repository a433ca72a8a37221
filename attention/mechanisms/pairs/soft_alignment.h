// Soft alignment of two sequences (Parikh et al. 2016, section 3.1): each token of either finds
// what of the other it stands for, by one matrix of scores, softmax along its rows and its columns.
//
//   e_ij = u_i . w_j
//   beta_i = sum_j softmax_j(e_ij) b_j,  alpha_j = sum_i softmax_i(e_ij) a_i
//
// a [B, L, d], b [B, T, d] are what is attended to, u [B, L, k] and w [B, T, k] what is compared.
// Nothing of size [L, T] is made unless weights are asked for.
#pragma once

#include "../../attend.h"

namespace heed::attention {

/// A sequence as it is compared and as it is seen; `real`, bool [B, n], says which places count;
/// undefined: all. Places that do not count hold zeros.
struct Aligned {
  Tensor compared, seen, real;
};

struct SoftAlignment {
  Attended premise;     ///< beta [B, L, d], weights [B, L, T]
  Attended hypothesis;  ///< alpha [B, T, d], weights [B, T, L]
};

/// A side without places gives zeros to the other. Throws ShapeError, DTypeError.
SoftAlignment soft_alignment(const Aligned& premise, const Aligned& hypothesis,
                             bool need_weights = false);

}  // namespace heed::attention
