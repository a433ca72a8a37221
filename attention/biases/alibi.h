// ALiBi (Press et al. 2022): a head h of H adds -m_h |j - p_i| to its scores, m_h = 2^(-8 h / H),
// h = 1 .. H.
#pragma once

#include "offset_bias.h"

namespace heed::attention {

class Alibi : public OffsetBias {
 public:
  /// For a number of heads that is no power of two the slopes are the paper's code's: those of the
  /// next lower power of two, then every other one of its double. Throws ValueError unless heads is
  /// positive.
  explicit Alibi(Index heads, DType dtype = DType::f32);
  /// Any slopes [H], one a head; they may be learned. Throws ShapeError, DTypeError.
  explicit Alibi(const Tensor& slopes);

  Tensor& slopes;  ///< [H], a buffer, or a parameter if it requires a gradient

  /// [H, count]
  Tensor by_offset(Index least, Index count) const override;
};

}  // namespace heed::attention
