// How far the links between words that attention makes are from the known ones (Och and Ney 2003):
//
//   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)
//
// A are the links found, S the sure ones, P the possible ones, which S belongs to. Zero is best.
#pragma once

#include <utility>
#include <vector>

#include "../autograd/tensor.h"

namespace heed::train {

/// (source word, target word), both counted from 0.
using Links = std::vector<std::pair<Index, Index>>;

/// For each of the first `targets` words the one of the first `sources` with the largest weight.
/// `weights` is [T, K] of a text that was read word by word, T >= targets and K >= sources. Throws
/// ShapeError, ValueError for no sources.
Links strongest_links(const Tensor& weights, Index targets, Index sources);

/// Sums over sentences.
class AlignmentError {
 public:
  /// `possible` besides the sure ones. What comes twice counts once.
  void add(const Links& found, const Links& sure, const Links& possible = {});
  /// In [0, 1]; NaN before the first link.
  double rate() const;

 private:
  Index right_ = 0, links_ = 0;  // the numerator and the denominator
};

}  // namespace heed::train
