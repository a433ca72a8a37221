// Monotonic attention (Raffel et al. 2017): each query goes on from the place where the last one
// stopped, and stops at a place with probability p_ij = sigmoid(e_ij). The weights are the expected
// place,
//
//   q_ij = (1 - p_{i,j-1}) q_{i,j-1} + w_{i-1,j},   w_ij = p_ij q_ij,   w_0 = [1, 0, .., 0],
//
// where q_ij is the probability to arrive at j: no division, so no value of p is too small. What
// walks past the end is lost: a row may sum to less than 1. `hard` is for decoding: p_ij = 1 where
// e_ij > 0, else 0, which attends to one place or to none.
//
// Mocha (Chiu & Raffel 2018) spreads each weight over the `chunk` places that end there, by a
// softmax of chunk scores u:  sum over k = j .. j + chunk - 1 of w_ik exp(u_ij) / sum over
// l = k - chunk + 1 .. k of exp(u_il).  Inside attend() u are the same scores.
#pragma once

#include "../normaliser.h"

namespace heed::attention {

class Monotonic : public Normaliser {
 public:
  /// In training, `noise` is the deviation of what is added to the scores, which drives p to 0 and
  /// 1 (1 in the paper). Throws ValueError for a negative one.
  explicit Monotonic(double noise = 0);

  bool hard = false;

  bool is_stateful() const override { return true; }

  /// `state`: the weights of the last query, [.., K]. A masked place is walked past; a query that
  /// may attend to nothing leaves the place as it was. `axis` is the last, or the one before.
  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;

 private:
  double noise_;
};

class Mocha : public Monotonic {
 public:
  /// Throws ValueError unless chunk is positive.
  explicit Mocha(Index chunk, double noise = 0);

  Tensor operator()(const Tensor& scores, const Tensor& allowed = Tensor(), Index axis = -1,
                    Tensor* state = nullptr) const override;
  /// The spreading alone: monotonic weights and chunk scores [.., K] -> [.., K].
  Tensor spread(const Tensor& weights, const Tensor& chunk_scores,
                const Tensor& allowed = Tensor()) const;

 private:
  Index chunk_;
};

}  // namespace heed::attention
