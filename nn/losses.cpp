#include "losses.h"

namespace heed::nn {
namespace {

Tensor copy(const Tensor& weight) {
  return weight.defined() ? Tensor(weight.array().clone()) : Tensor();
}

}  // namespace

NLLLoss::NLLLoss(const NllLossOptions& options)
    : weight(buffer("weight", copy(options.weight))), options_(options) {}

Tensor NLLLoss::operator()(const Tensor& input, const Tensor& targets) const {
  NllLossOptions options = options_;
  options.weight = weight;
  return nll_loss(input, targets, options);
}

BCEWithLogitsLoss::BCEWithLogitsLoss(const BinaryCrossEntropyOptions& options)
    : weight(buffer("weight", copy(options.weight))),
      pos_weight(buffer("pos_weight", copy(options.pos_weight))),
      options_(options) {}

Tensor BCEWithLogitsLoss::operator()(const Tensor& logits, const Tensor& targets) const {
  BinaryCrossEntropyOptions options = options_;
  options.weight = weight;
  options.pos_weight = pos_weight;
  return binary_cross_entropy_with_logits(logits, targets, options);
}

MultiMarginLoss::MultiMarginLoss(const MultiMarginLossOptions& options)
    : weight(buffer("weight", copy(options.weight))), options_(options) {}

Tensor MultiMarginLoss::operator()(const Tensor& x, const Tensor& targets) const {
  MultiMarginLossOptions options = options_;
  options.weight = weight;
  return multi_margin_loss(x, targets, options);
}

}  // namespace heed::nn
