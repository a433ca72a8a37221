// Doubly stochastic attention: scores are normalised by rows and columns in turn, so that each key
// is looked at about as much as each other, as in a soft matching (Sinkhorn 1964; Mena et al. 2018,
// "Learning Latent Permutations with Gumbel-Sinkhorn Networks"; Sander et al. 2022, "Sinkformers",
// eq. 3).
//
//   log K_0 = e / temperature;  columns: log K -= log sum_i exp(log K_ij) - log(Q / K);
//   rows:    log K -= log sum_j exp(log K_ij);   repeated, rows last
//
// e [.., Q, K] -> weights that sum to 1 in each row, and to about Q / K in each column: of those
// queries and keys that count. All iterations run in log space, O(iterations Q K), and are
// differentiated
// through.
//
// A key's share depends on all queries, so that a call takes all of them at once: it is no causal
// attention (under Mask::causal() what comes changes what was), and queries that are padding must
// be masked
// too:
//   MultiHead heads({.width = E, .normaliser = std::make_shared<Sinkhorn>()});
//   heads(x, {.mask = Mask::lengths(n, T) & Mask(real queries, bool [B, 1, T, 1])});
#pragma once

#include "../../normaliser.h"

namespace heed::attention {

struct SinkhornOptions {
  Index iterations = 20;   ///< each of columns, then rows
  double temperature = 1;  ///< near 0: a matching
};

class Sinkhorn : public Normaliser {
 public:
  /// Throws ValueError unless there is an iteration and the temperature is positive and finite.
  explicit Sinkhorn(const SinkhornOptions& options = {});

  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;

 private:
  SinkhornOptions options_;
};

}  // namespace heed::attention
