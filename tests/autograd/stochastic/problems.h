// Problems small enough to enumerate, and one of each estimator to try on them. A problem is a row
// cost: theta [N, T, L] are N rows of logits, f64.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../../autograd/autograd.h"

namespace heed::stochastic {

/// T dependent choices of L places: the logits of a step are theta's and a row that the choice
/// before picked; the cost is a smooth function, not linear, of numbers that all choices picked,
/// plus one that depends on theta directly. [N] or [K, N].
struct Problem {
  Problem(Index steps, Index places);
  Index steps, places;
  Tensor theta;             // [T, L]
  Tensor follow;            // [L, L]: added to the next logits
  std::vector<Tensor> pay;  // [L] a step

  Tensor cost(Choices& choices, const Tensor& rows) const;
  RowCost row_cost() const {
    return [this](Choices& choices, const Tensor& rows) { return cost(choices, rows); };
  }
  /// The exact gradient of the expected cost, of theta; of the bound of `samples` where positive.
  Tensor gradient(Index samples = 0) const;
};

/// One estimator, ready to use on a problem, and what the true gradient is for it.
struct Candidate {
  std::string id;  // letters only, for test names
  std::unique_ptr<Estimator> estimator;
  Index bound_samples = 0;  // of the multi-sample bound, where that is its aim
  std::function<void(const Tensor& rows)> see = nullptr;  // shows it the rows it predicts from
};

/// The names of all candidates.
std::vector<std::string> candidate_ids();
/// Those with parameters have been trained, fixed seeds.
Candidate candidate(const std::string& id, const Problem& problem);

/// HEED_FULL: proofs take 2^20 samples, else a sixteenth.
bool full();
StochasticGradcheckOptions proof();

}  // namespace heed::stochastic
