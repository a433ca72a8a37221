// The general (bilinear) score (Luong et al. 2015): e = q^T W k. q [dq], k [dk].
#pragma once

#include "../score.h"

namespace heed::attention {

class General : public Score {
 public:
  /// W begins uniform in (-1/sqrt(dk), 1/sqrt(dk)). Throws ValueError unless widths are positive.
  General(Index query_width, Index key_width, DType dtype = DType::f32);

  Tensor& weight;  ///< [dq, dk]

  std::optional<Form> form(const Tensor& query, const Tensor& keys) const override;
};

}  // namespace heed::attention
