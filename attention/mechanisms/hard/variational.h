// Variational attention (Deng et al. 2018, "Latent Alignment and Variational Attention", section
// 3):
// which place a query looks at is a latent variable z; who knows the answer y guesses it better
// while training.
//
//   prior p(z) = softmax(score_p(query, keys)),  posterior q(z) = softmax(score_q(knowing, keys))
//   log p(y) >= E_q[log p(y | value_z)] - KL(q || p)      the evidence lower bound, ELBO
//
// The paper's x~ is the query, x the keys; `knowing` is a query that has seen y. A choice is drawn
// from q, its context is that place's value, and KL is computed exactly. Written as a function of
// its choices, -ELBO runs under every estimator (docs/hard_attention.md): Enumeration is exact,
// SoftBaseline is the paper's.
//
//   const auto cost = [&](Choices& choices) {
//     const auto seen = attend(query, knowing, keys, values, {.choices = &choices});
//     return nll(seen.context) + sum(seen.kl, {-1});          // [B]
//   };
//   SoftBaseline estimator;
//   estimator(cost).backward();
//
// query [.., Q, dq], knowing [.., Q, dy], keys [.., K, dk], values [.., K, dv] -> context
// [.., Q, dv]. O(Q K) for each score. Where few places stand and log p(y | value_z) of each is
// cheap, bound() and log_likelihood() need no choices at all. When nobody knows y, predict() looks
// by the prior. With S samples the queries of later steps may be [S, .., Q, dq] over keys of one
// axis less (of three at least): the mask is that of one sample. A query that may attend to
// nothing: zeros, no divergence, and a log_likelihood() of 0.
#pragma once

#include "hard_attention.h"

namespace heed::attention {

struct VariationalOptions {
  std::shared_ptr<Score> prior = {};      ///< none: ScaledDot
  std::shared_ptr<Score> posterior = {};  ///< none: ScaledDot
  /// What predict() takes of the prior where nobody chooses.
  HardEvaluation evaluation = HardEvaluation::expectation;
};

struct VariationalOutput {
  Tensor context;    ///< of what was chosen from the posterior
  Tensor prior;      ///< p [.., Q, K]
  Tensor posterior;  ///< q [.., Q, K]
  Tensor kl;         ///< KL(q || p) [.., Q]
  Choice choice;
  Tensor log_prior;  ///< of what may not be attended to -1e30

  /// ELBO [.., Q], of log p(y | value_z) [.., Q, K] of all places: sum_z q_z log p(y | z) - KL.
  /// What stands in masked places counts for nothing. Throws ShapeError.
  Tensor bound(const Tensor& log_likelihoods) const;
  /// log p(y) [.., Q] = log sum_z p_z p(y | z). Throws ShapeError.
  Tensor log_likelihood(const Tensor& log_likelihoods) const;
};

class VariationalAttention : public nn::Module {
 public:
  /// Throws ValueError as HardAttention, and for scores that look back at weights.
  explicit VariationalAttention(const VariationalOptions& options = {});

  HardAttention& prior;
  HardAttention& posterior;

  /// Throws as HardAttention: ShapeError, DTypeError, ValueError for scores that are NaN, GradError
  /// in training when nobody is there to choose.
  VariationalOutput operator()(const Tensor& query, const Tensor& knowing, const Tensor& keys,
                               const Tensor& values, const HardCall& call = {}) const;
  /// By the prior alone; in training somebody must choose. Throws as above.
  HardAttentionOutput predict(const Tensor& query, const Tensor& keys, const Tensor& values,
                              const HardCall& call = {}) const;
};

}  // namespace heed::attention
