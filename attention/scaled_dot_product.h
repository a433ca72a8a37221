// Attention by PyTorch's name and order of arguments, for those who know it: attend() with the
// scaled dot product. A bool mask says who may be attended to, as everywhere in heed and in this
// one function of PyTorch; a floating one is added to the scores. A query that may attend to
// nothing gets zeros.
#pragma once

#include <optional>

#include "attend.h"

namespace heed {

/// q [.., Q, D], k [.., K, D], v [.., K, Dv] -> [.., Q, Dv]; mask broadcasts to [.., Q, K].
/// `dropout` is of each weight; `is_causal` counts from the first place, as PyTorch does; scale:
/// 1 / sqrt(D) unless given, 0 weighs all alike. Throws ShapeError, DTypeError; ValueError for a
/// scale that is not finite.
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask = Tensor(), double dropout = 0,
                                    bool is_causal = false,
                                    std::optional<double> scale = std::nullopt);
/// The context of attention::attend(), in heed's own terms.
inline Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                           const attention::Terms& terms) {
  return attention::attend(q, k, v, terms).context;
}

}  // namespace heed
