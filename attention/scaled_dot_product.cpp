#include "scaled_dot_product.h"

#include "../autograd/check_defined.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/shape/triangle.h"

namespace heed {

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                    const Tensor& mask, double dropout, bool is_causal,
                                    std::optional<double> scale) {
  check_defined("scaled_dot_product_attention", q, "q", k, "k", v, "v");
  attention::Terms terms{.dropout = dropout};
  if (mask.defined() && mask.dtype() == DType::boolean) {
    terms.mask = attention::Mask(mask);
  } else if (mask.defined()) {
    terms.bias = mask;
  }
  if (is_causal && q.rank() >= 2 && k.rank() >= 2) {
    // Ours stand together at the end; where they are as many, that is the same.
    const Index queries = q.size(-2);
    const Index keys = k.size(-2);
    terms.mask = terms.mask & (queries == keys ? attention::Mask::causal()
                                               : attention::Mask(tril(ones({queries, keys})) == 1));
  }
  return attention::attend(attention::ScaledDot(scale), q, k, v, terms).context;
}

}  // namespace heed
