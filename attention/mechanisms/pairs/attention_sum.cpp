#include "attention_sum.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../score.h"

namespace heed::attention {

Tensor AttentionSum::operator()(const Tensor& document, const Tensor& query,
                                const Mask& mask) const {
  const Scope scope(*this);
  constexpr const char* kOp = "attention_sum";
  check_batch(kOp, "document", document);
  check_floating(kOp, document.dtype());
  const MaskedSequence doc =
      masked_sequence(kOp, "document", document, document.size(2), document.dtype(), mask);
  check_rows(kOp, "query", query, document.size(2), document.dtype());
  if (query.rank() != 2) {
    throw ShapeError(fmt::format("{}: query must be [B, width], not {}", kOp, describe(query)));
  }
  check_rows_of_batch(kOp, "query", query, document.size(0));
  const Tensor scores = squeeze(matmul(doc.x, unsqueeze(query, 2)), 2);
  return forwarded(softmax(scores, 1, doc.real));
}

Tensor pointer_sum(const Tensor& weights, const Tensor& ids, Index words, const Mask& mask) {
  check_defined("pointer_sum", weights, "weights", ids, "ids");
  check_floating("pointer_sum", weights.dtype());
  if (words <= 0) throw ValueError(fmt::format("pointer_sum: words {} must be positive", words));
  if (weights.rank() != 2 || ids.shape() != weights.shape()) {
    throw ShapeError(fmt::format("pointer_sum: weights and ids must both be [B, D], not {} and {}",
                                 describe(weights), describe(ids)));
  }
  const Tensor real = real_places("pointer_sum", "weights", mask, weights.size(0), weights.size(1));
  const Tensor places = real_ids("pointer_sum", "ids", ids, words, real);
  const Tensor seen = real.defined() ? where(real, weights, 0) : weights;
  return scatter_add(zeros(Shape{weights.size(0), words}, weights.dtype()), 1, places, seen);
}

}  // namespace heed::attention
