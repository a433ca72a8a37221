#include "summariser_writing.h"

#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/shape.h"

namespace heed::attention {

SummariserWriting::SummariserWriting(const Summariser& model, const Tensor& source,
                                     const std::vector<Index>& lengths)
    : model_(model),
      source_(source),
      real_(Mask::lengths(lengths, source.size(1)).tensor(source.shape(), "summariser")) {}

Tensor SummariserWriting::step(const Tensor& words, Tensor* weights) {
  const Tensor now = unsqueeze(words, 1);
  before_ = before_.defined() ? concat({before_, now}, 1) : now;
  const Index extra = before_.size(1) - model_.context();
  if (extra > 0) before_ = narrow(before_, 1, extra, model_.context());
  const Index last = before_.size(1) - 1;
  const SummariserOutput out = model_(source_, before_, Mask(real_), weights != nullptr);
  if (weights != nullptr) *weights = select(out.weights, 1, last);
  return select(out.logits, 1, last);
}

void SummariserWriting::reorder(const Tensor& rows, bool sources) {
  if (before_.defined()) before_ = index_select(before_, 0, rows);
  if (!sources) return;
  source_ = index_select(source_, 0, rows);
  real_ = index_select(real_, 0, rows);
}

}  // namespace heed::attention
