// Attention by PyTorch's name and order of arguments, for those who know it: attend() with the
// scaled dot product. A bool mask says who may be attended to, as everywhere in heed and in this
// one function of PyTorch; a floating one is added to the scores. A query that may attend to
// nothing gets zeros.
#pragma once

#include <concepts>
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

/// Options by PyTorch's names.
struct ScaledDotProductOptions {
  Tensor attn_mask = {};
  double dropout_p = 0;
  bool is_causal = false;
  std::optional<double> scale = {};
};
inline Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                           const ScaledDotProductOptions& options) {
  return scaled_dot_product_attention(q, k, v, options.attn_mask, options.dropout_p,
                                      options.is_causal, options.scale);
}
/// As libtorch writes that there is no mask.
template <std::same_as<std::nullopt_t> None>
Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v, None,
                                    double dropout = 0, bool is_causal = false,
                                    std::optional<double> scale = std::nullopt) {
  return scaled_dot_product_attention(q, k, v, Tensor(), dropout, is_causal, scale);
}

}  // namespace heed
