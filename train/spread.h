// How numbers are spread: what a histogram shows of them.
#pragma once

#include <vector>

#include "../core/array.h"

namespace heed::train {

/// Of the finite elements of an array.
struct Spread {
  Index count = 0;
  double least = 0, most = 0;
  double sum = 0, sum_of_squares = 0;
  std::vector<double> limits;  ///< the upper end of each bin, rising; the last is `most`
  std::vector<double> counts;  ///< of each bin

  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  /// Of the whole, dividing by count.
  double deviation() const;
};

/// With at most `bins` bins of equal width, one where all are equal. Any dtype. Throws ValueError
/// unless bins > 0.
Spread spread_of(const Array& values, Index bins = 64);

}  // namespace heed::train
