// Hard monotonic attention by sampling (Raffel et al. 2017, section 2.2), the process whose mean is
// normalisers/monotonic.h: each query goes on from the place where the last one stopped, and at
// each place j stops with probability p_j = sigmoid(score(q, k_j)). Its context is the value there;
// one that walks past the end gets zeros, and so do all after it.
//
//   P(stop at j) = p_j prod over l = t .. j - 1 of (1 - p_l),  t the last stop
//
// Where it stops is one choice among K + 1 outcomes, the last being past the end, so that whoever
// chooses (autograd/stochastic) draws and records it like any other. In evaluation, without
// anybody, it stops at the first place with p_j > 0.5.
//
// keys [.., K, dk], values [.., K, dv]; a step's query [.., dq] -> context [.., dv]. A masked place
// is walked past; a query that may attend to nothing gets zeros and leaves the place as it was.
#pragma once

#include "hard_attention.h"

namespace heed::attention {

struct HardMonotonicOptions {
  std::shared_ptr<Score> score = {};  ///< none: ScaledDot
  bool sample = false;                ///< in evaluation: draw instead of the threshold
};

struct HardMonotonicOutput {
  Tensor context;
  Tensor place;  ///< i64 [..], where it stopped; K: past the end
};

class HardMonotonicMemory {
 public:
  /// Throws ShapeError, DTypeError; ValueError for scores that are NaN and for choices that are
  /// weights: their mean is the Monotonic normaliser's.
  HardMonotonicOutput step(const Tensor& query);

 private:
  friend class HardMonotonic;
  HardMonotonicMemory(Memory memory, bool sample, const HardCall& call);

  Memory memory_;
  bool sample_;
  HardCall call_;
  Index rank_ = 0;  // of the first step's scores; 0 before it
  Tensor place_;    // i64 [..]; undefined: the beginning
};

class HardMonotonic : public nn::Module {
 public:
  /// Throws ValueError for scores for each feature and those that look back.
  explicit HardMonotonic(const HardMonotonicOptions& options = {});

 private:
  HardMonotonicOptions options_;

 public:
  Score& score;

  /// As HardAttention::begin().
  HardMonotonicMemory begin(const Tensor& keys, const Tensor& values,
                            const HardCall& call = {}) const;
};

}  // namespace heed::attention
