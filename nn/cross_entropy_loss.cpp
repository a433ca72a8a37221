#include "cross_entropy_loss.h"

namespace heed::nn {

CrossEntropyLoss::CrossEntropyLoss(const CrossEntropyOptions& options)
    : weight(buffer("weight",
                    options.weight.defined() ? Tensor(options.weight.array().clone()) : Tensor())),
      options_(options) {}

Tensor CrossEntropyLoss::operator()(const Tensor& logits, const Tensor& targets) const {
  CrossEntropyOptions options = options_;
  options.weight = weight;
  return cross_entropy(logits, targets, options);
}

}  // namespace heed::nn
