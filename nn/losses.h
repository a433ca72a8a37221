// Losses that keep their options, under PyTorch's names; the formulas are those of the functions.
// Weights of classes or elements are buffers, which follow the dtype of the model, and copies of
// what was given. Constructors throw ValueError and DTypeError for options that fit no call.
// (CrossEntropyLoss has a file of its own.)
#pragma once

#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/losses/binary_cross_entropy.h"
#include "../autograd/ops/losses/ctc_loss.h"
#include "../autograd/ops/losses/kl_div.h"
#include "../autograd/ops/losses/margin_losses.h"
#include "../autograd/ops/losses/nll_loss.h"
#include "../autograd/ops/losses/regression_losses.h"
#include "../autograd/ops/normalise/normalize.h"
#include "../autograd/ops/reduce/statistics.h"
#include "layer.h"

namespace heed::nn {

struct LossOptions {
  Reduction reduction = Reduction::mean;
};

class MSELoss : public Layer<MSELoss> {
 public:
  explicit MSELoss(Reduction reduction = Reduction::mean) : reduction_(reduction) {}
  explicit MSELoss(const LossOptions& options) : reduction_(options.reduction) {}
  /// As mse_loss().
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    const Scope scope(*this);
    return forwarded(mse_loss(input, target, reduction_));
  }

 private:
  Reduction reduction_;
};

class L1Loss : public Layer<L1Loss> {
 public:
  explicit L1Loss(Reduction reduction = Reduction::mean) : reduction_(reduction) {}
  explicit L1Loss(const LossOptions& options) : reduction_(options.reduction) {}
  /// As l1_loss().
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    const Scope scope(*this);
    return forwarded(l1_loss(input, target, reduction_));
  }

 private:
  Reduction reduction_;
};

class SmoothL1Loss : public Layer<SmoothL1Loss> {
 public:
  explicit SmoothL1Loss(double beta = 1, Reduction reduction = Reduction::mean);
  /// As smooth_l1_loss().
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    const Scope scope(*this);
    return forwarded(smooth_l1_loss(input, target, beta_, reduction_));
  }

 private:
  double beta_;
  Reduction reduction_;
};

class HuberLoss : public Layer<HuberLoss> {
 public:
  explicit HuberLoss(double delta = 1, Reduction reduction = Reduction::mean);
  /// As huber_loss().
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    const Scope scope(*this);
    return forwarded(huber_loss(input, target, delta_, reduction_));
  }

 private:
  double delta_;
  Reduction reduction_;
};

class KLDivLoss : public Layer<KLDivLoss> {
 public:
  explicit KLDivLoss(Reduction reduction = Reduction::mean, bool log_target = false)
      : reduction_(reduction), log_target_(log_target) {}
  /// As kl_div().
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    const Scope scope(*this);
    return forwarded(kl_div(input, target, reduction_, log_target_));
  }

 private:
  Reduction reduction_;
  bool log_target_;
};

class NLLLoss : public Layer<NLLLoss> {
 public:
  explicit NLLLoss(const NllLossOptions& options = {});
  Tensor& weight;  ///< [C] or undefined
  /// As nll_loss().
  Tensor operator()(const Tensor& input, const Tensor& targets) const;

 private:
  NllLossOptions options_;
};

class BCEWithLogitsLoss : public Layer<BCEWithLogitsLoss> {
 public:
  explicit BCEWithLogitsLoss(const BinaryCrossEntropyOptions& options = {});
  Tensor& weight;      ///< broadcasts to the logits, or undefined
  Tensor& pos_weight;  ///< likewise
  /// As binary_cross_entropy_with_logits().
  Tensor operator()(const Tensor& logits, const Tensor& targets) const;

 private:
  BinaryCrossEntropyOptions options_;
};

class BCELoss : public Layer<BCELoss> {
 public:
  explicit BCELoss(Reduction reduction = Reduction::mean) : reduction_(reduction) {}
  explicit BCELoss(const LossOptions& options) : reduction_(options.reduction) {}
  /// As binary_cross_entropy().
  Tensor operator()(const Tensor& p, const Tensor& targets) const {
    const Scope scope(*this);
    return forwarded(binary_cross_entropy(p, targets, {.reduction = reduction_}));
  }

 private:
  Reduction reduction_;
};

class HingeEmbeddingLoss : public Layer<HingeEmbeddingLoss> {
 public:
  explicit HingeEmbeddingLoss(double margin = 1, Reduction reduction = Reduction::mean);
  /// As hinge_embedding_loss().
  Tensor operator()(const Tensor& x, const Tensor& targets) const {
    const Scope scope(*this);
    return forwarded(hinge_embedding_loss(x, targets, margin_, reduction_));
  }

 private:
  double margin_;
  Reduction reduction_;
};

class CosineEmbeddingLoss : public Layer<CosineEmbeddingLoss> {
 public:
  explicit CosineEmbeddingLoss(double margin = 0, Reduction reduction = Reduction::mean);
  /// As cosine_embedding_loss().
  Tensor operator()(const Tensor& a, const Tensor& b, const Tensor& targets) const {
    const Scope scope(*this);
    return forwarded(cosine_embedding_loss(a, b, targets, margin_, reduction_));
  }

 private:
  double margin_;
  Reduction reduction_;
};

class MultiMarginLoss : public Layer<MultiMarginLoss> {
 public:
  explicit MultiMarginLoss(const MultiMarginLossOptions& options = {});
  Tensor& weight;  ///< [C] or undefined
  /// As multi_margin_loss().
  Tensor operator()(const Tensor& x, const Tensor& targets) const;

 private:
  MultiMarginLossOptions options_;
};

class CTCLoss : public Layer<CTCLoss> {
 public:
  explicit CTCLoss(const CtcLossOptions& options = {});
  /// As ctc_loss().
  Tensor operator()(const Tensor& log_probs, const Tensor& targets,
                    const std::vector<Index>& input_lengths,
                    const std::vector<Index>& target_lengths) const {
    const Scope scope(*this);
    return forwarded(ctc_loss(log_probs, targets, input_lengths, target_lengths, options_));
  }

 private:
  CtcLossOptions options_;
};

class MarginRankingLoss : public Layer<MarginRankingLoss> {
 public:
  explicit MarginRankingLoss(double margin = 0, Reduction reduction = Reduction::mean);
  /// As margin_ranking_loss().
  Tensor operator()(const Tensor& x1, const Tensor& x2, const Tensor& y) const {
    const Scope scope(*this);
    return forwarded(margin_ranking_loss(x1, x2, y, margin_, reduction_));
  }

 private:
  double margin_;
  Reduction reduction_;
};

class TripletMarginLoss : public Layer<TripletMarginLoss> {
 public:
  explicit TripletMarginLoss(double margin = 1, Reduction reduction = Reduction::mean);
  /// As triplet_margin_loss().
  Tensor operator()(const Tensor& anchor, const Tensor& positive, const Tensor& negative) const {
    const Scope scope(*this);
    return forwarded(triplet_margin_loss(anchor, positive, negative, margin_, reduction_));
  }

 private:
  double margin_;
  Reduction reduction_;
};

class CosineSimilarity : public Layer<CosineSimilarity> {
 public:
  explicit CosineSimilarity(Index axis = 1, double eps = 1e-8) : axis_(axis), eps_(eps) {}
  /// As cosine_similarity().
  Tensor operator()(const Tensor& x, const Tensor& y) const {
    const Scope scope(*this);
    return forwarded(cosine_similarity(x, y, axis_, eps_));
  }

 private:
  Index axis_;
  double eps_;
};

/// ||x - y + eps||_p over the last axis.
class PairwiseDistance : public Layer<PairwiseDistance> {
 public:
  explicit PairwiseDistance(double p = 2, double eps = 1e-6, bool keepdim = false)
      : p_(p), eps_(eps), keepdim_(keepdim) {}
  Tensor operator()(const Tensor& x, const Tensor& y) const {
    const Scope scope(*this);
    return forwarded(norm(x - y + eps_, p_, {-1}, keepdim_));
  }

 private:
  double p_;
  double eps_;
  bool keepdim_;
};

}  // namespace heed::nn
