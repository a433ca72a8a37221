// The active set of SparseMAP for one chain, in doubles: see sparse_chain.h.
#pragma once

#include <vector>

#include "../../../core/shape.h"

namespace heed::attention::detail {

using Sequence = std::vector<Index>;  ///< a state for each place

/// Scores of a chain: u [T S] row by row, A [S S].
struct ChainScores {
  Index T, S;
  std::vector<double> u, A;
  double of(const Sequence& z) const;
  /// The best sequence where `less` [T S] is taken from u.
  Sequence best(const std::vector<double>& less) const;
};

struct ActiveSet {
  std::vector<Sequence> sequences;
  std::vector<double> weights;  ///< y, above 0, sum 1
  /// Y [n, n] and b [n]: y = Y scores + b, while the set stays as it is.
  std::vector<double> slope, constant;
};

/// Of scores that are finite, T >= 1.
ActiveSet active_set(const ChainScores& scores);

}  // namespace heed::attention::detail
