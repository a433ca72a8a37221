#include "attention_over_attention.h"

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {

AttentionOverAttentionOutput AttentionOverAttention::operator()(const Tensor& document,
                                                                const Tensor& query,
                                                                const Mask& document_mask,
                                                                const Mask& query_mask,
                                                                bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "attention_over_attention";
  check_batch(kOp, "document", document);
  check_floating(kOp, document.dtype());
  const MaskedSequence doc =
      masked_sequence(kOp, "document", document, document.size(2), document.dtype(), document_mask);
  const MaskedSequence words =
      masked_sequence(kOp, "query", query, document.size(2), document.dtype(), query_mask);
  check_rows_of_batch(kOp, "query", query, document.size(0));
  Tensor real;  // [B, D, T]: of both
  if (doc.real.defined()) real = unsqueeze(doc.real, 2);
  if (words.real.defined()) {
    const Tensor columns = unsqueeze(words.real, 1);
    real = real.defined() ? logical_and(real, columns) : columns;
  }
  const Tensor M = matmul(doc.x, transpose(words.x, 1, 2));
  const Tensor alpha = softmax(M, 1, real);
  // The rows of places that do not count are 0: the sum over all is that over the others.
  Tensor beta = sum(softmax(M, 2, real), {1});
  if (doc.real.defined()) {
    const Tensor count = sum(heed::to(doc.real, document.dtype()), {1}, true);
    beta = beta / maximum(count, tensor(1, document.dtype()));
  } else if (document.size(1) > 0) {
    beta = beta / static_cast<double>(document.size(1));
  }
  AttentionOverAttentionOutput out{forwarded(squeeze(matmul(alpha, unsqueeze(beta, 2)), 2))};
  if (need_weights) {
    out.by_query = alpha;
    out.of_queries = beta;
  }
  return out;
}

}  // namespace heed::attention
