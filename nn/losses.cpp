#include "losses.h"

#include <fmt/format.h>

#include <cmath>

#include "../autograd/ops/losses/loss_operands.h"
#include "../core/error.h"
#include "class_weights.h"

namespace heed::nn {
namespace {

// A copy of weights that broadcast.
Tensor copy(const char* what, const Tensor& weight) {
  if (!weight.defined()) return {};
  check_floating(fmt::format("BCEWithLogitsLoss: {}", what).c_str(), weight.dtype());
  return weight.array().clone();
}

}  // namespace

SmoothL1Loss::SmoothL1Loss(double beta, Reduction reduction) : beta_(beta), reduction_(reduction) {
  if (!(beta >= 0 && std::isfinite(beta))) {
    throw ValueError(fmt::format("SmoothL1Loss: beta {} must be finite and not negative", beta));
  }
}

HuberLoss::HuberLoss(double delta, Reduction reduction) : delta_(delta), reduction_(reduction) {
  if (!(delta > 0 && std::isfinite(delta))) {
    throw ValueError(fmt::format("HuberLoss: delta {} must be positive and finite", delta));
  }
}

HingeEmbeddingLoss::HingeEmbeddingLoss(double margin, Reduction reduction)
    : margin_(margin), reduction_(reduction) {
  check_finite("HingeEmbeddingLoss", "margin", margin);
}

CosineEmbeddingLoss::CosineEmbeddingLoss(double margin, Reduction reduction)
    : margin_(margin), reduction_(reduction) {
  check_finite("CosineEmbeddingLoss", "margin", margin);
}

MarginRankingLoss::MarginRankingLoss(double margin, Reduction reduction)
    : margin_(margin), reduction_(reduction) {
  check_finite("MarginRankingLoss", "margin", margin);
}

TripletMarginLoss::TripletMarginLoss(double margin, Reduction reduction)
    : margin_(margin), reduction_(reduction) {
  check_finite("TripletMarginLoss", "margin", margin);
}

CTCLoss::CTCLoss(const CtcLossOptions& options) : options_(options) {
  if (options.blank < 0) {
    throw ValueError(fmt::format("CTCLoss: blank {} must not be negative", options.blank));
  }
}

NLLLoss::NLLLoss(const NllLossOptions& options)
    : weight(buffer("weight", detail::class_weights("NLLLoss", options.weight))),
      options_(options) {}

Tensor NLLLoss::operator()(const Tensor& input, const Tensor& targets) const {
  const Scope scope(*this);
  NllLossOptions options = options_;
  options.weight = weight;
  return forwarded(nll_loss(input, targets, options));
}

BCEWithLogitsLoss::BCEWithLogitsLoss(const BinaryCrossEntropyOptions& options)
    : weight(buffer("weight", copy("weight", options.weight))),
      pos_weight(buffer("pos_weight", copy("pos_weight", options.pos_weight))),
      options_(options) {}

Tensor BCEWithLogitsLoss::operator()(const Tensor& logits, const Tensor& targets) const {
  const Scope scope(*this);
  BinaryCrossEntropyOptions options = options_;
  options.weight = weight;
  options.pos_weight = pos_weight;
  return forwarded(binary_cross_entropy_with_logits(logits, targets, options));
}

MultiMarginLoss::MultiMarginLoss(const MultiMarginLossOptions& options)
    : weight(buffer("weight", detail::class_weights("MultiMarginLoss", options.weight))),
      options_(options) {
  if (options.p != 1 && options.p != 2) {
    throw ValueError(fmt::format("MultiMarginLoss: p must be 1 or 2, not {}", options.p));
  }
  check_finite("MultiMarginLoss", "margin", options.margin);
}

Tensor MultiMarginLoss::operator()(const Tensor& x, const Tensor& targets) const {
  const Scope scope(*this);
  MultiMarginLossOptions options = options_;
  options.weight = weight;
  return forwarded(multi_margin_loss(x, targets, options));
}

}  // namespace heed::nn
