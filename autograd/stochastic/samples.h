// Samples: records what was drawn and what it cost, and makes of both one number to differentiate.
//
//   Samples samples;
//   for (...) {                                                     // decoder steps, glimpses...
//     const Tensor s = samples.draw(Categorical::from_logits(scores));   // i64 [B]
//     ...
//     samples.add_cost(nll);                                        // [B]: of this step
//   }
//   samples.surrogate(baseline).backward();
//
// With l_w the log-probability of draw w and the magic box M(l) = exp(l - stop(l)), which is 1,
//   surrogate = sum_c mean(M(sum of l_w that c depends on) c)
//             + sum_w mean((M(sum of l_v, v < w) - M(sum of l_v, v <= w)) stop(b_w)),
// whose derivatives are, in expectation, those of the expected cost, at any order (Foerster 2018,
// DiCE; Schulman 2015, stochastic computation graphs), for any baseline b_w that does not depend on
// draw w or later ones (Mao 2019). First order: sum_w grad l_w (cost after w - b_w) + grad cost.
//
// Axes are aligned at the front: draws [B] and costs [B], or [K, B] where each was drawn K times. A
// draw's axes behind the cost's last belong to one joint draw ([B, 2]: a point) and are summed; a
// cost's behind the draw's last are costs of their own. A scalar cost depends on all draws. Size 1
// stands for shared: a draw [1, B] beside costs [K, B], a cost [1, B] of all K draws.
#pragma once

#include "distributions.h"

namespace heed {

struct SamplesOptions {
  double entropy = 0;   ///< factor of the bonus: every draw has the cost -entropy H(draw)
  double discount = 1;  ///< a cost of step t counts discount^t
  Generator* generator = nullptr;  ///< of draw(); null: the default one
};

/// What a cost depends on. The defaults: all draws before it; as many steps as draws before it,
/// less one.
struct CostOptions {
  std::vector<Index> draws = {};  ///< numbers of draws, counted from 0
  Index step = -1;                ///< for the discount
};

class Samples {
 public:
  /// Throws ValueError for an entropy factor or a discount that is not finite or negative.
  explicit Samples(const SamplesOptions& options = {});

  /// Draws and records; with `count` > 0 that many along a new first axis. What comes out is a
  /// constant.
  Tensor draw(const Categorical& from, Index count = 0);
  Tensor draw(const Bernoulli& from, Index count = 0);
  Tensor draw(const Normal& from, Index count = 0);
  /// Records a draw made elsewhere, by its log-probability and, for the bonus, its entropy (shaped
  /// alike). Returns its number. Throws GradError when undefined, ValueError for NaN.
  Index record(const Tensor& log_prob, const Tensor& entropy = Tensor());

  /// Something to be made small; may be on the tape, for a gradient of its own. Throws ShapeError
  /// when it does not line up with the draws that it depends on, ValueError for NaN, IndexError.
  void add_cost(const Tensor& cost, const CostOptions& options = {});
  /// A number from outside to be made large: the cost -reward, without a gradient.
  void add_reward(const Tensor& reward, const CostOptions& options = {});

  /// How many draws there were.
  Index size() const { return static_cast<Index>(draws_.size()); }
  /// Of draw w, as recorded, on the tape.
  const Tensor& log_prob(Index w) const;
  /// All costs that depend on draw w, discounted, added up: what b_w should foresee. A constant,
  /// shaped as the first of them.
  Tensor cost_after(Index w) const;

  /// Rank 0; its value is the sum of the costs' means (the bonus and the discount in it). Throws
  /// GradError when no cost depends on any draw.
  Tensor surrogate() const;
  /// One baseline for all draws, or one for each; each broadcasts to cost_after(w) and gets no
  /// gradient; an infinite one counts as 0. Throws ShapeError, also for another number than size(),
  /// and ValueError for NaN.
  Tensor surrogate(const Tensor& baseline) const;
  Tensor surrogate(const std::vector<Tensor>& baselines) const;

 private:
  struct Cost {
    Tensor value;              // discounted
    std::vector<Index> draws;  // that it depends on, where they were told
    Index first;               // else the first so many
    bool depends_on(Index w) const;
  };
  void check_draw(const char* op, Index w) const;
  const Cost* first_after(Index w) const;

  SamplesOptions options_;
  std::vector<Tensor> draws_;    // log-probabilities
  std::vector<Tensor> bonuses_;  // costs, one a draw; undefined without
  std::vector<Cost> costs_;
};

/// M(l) = exp(l - stop(l)): 1, with the derivatives of a probability divided by itself.
Tensor magic_box(const Tensor& log_prob);

}  // namespace heed
