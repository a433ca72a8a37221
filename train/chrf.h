// chrF: how many n-grams of characters a translation shares with a reference (Popovic 2015), and
// chrF++, which counts words too (Popovic 2017); in percent, as sacreBLEU has them.
//
//   chrF = (1 + beta^2) P R / (beta^2 P + R)
//
// P and R are precision and recall of n-grams over all lines together, each the mean over the
// orders 1 .. char_order of characters and 1 .. word_order of words; orders that the system or the
// references have no n-gram of do not count. Of several references a line takes that of the best
// chrF.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"

namespace heed::train {

struct ChrfOptions {
  Index char_order = 6;      ///< 1 to 64
  Index word_order = 0;      ///< 2: chrF++; 0 to 64
  double beta = 2.0;         ///< recall counts so many times as much as precision
  bool white_space = false;  ///< blanks are characters too
};

/// `references` holds a list of one or more for each line of the system. Throws ValueError for no
/// lines, another number of lists than of lines, a line without references, orders out of range,
/// and unless beta > 0.
double corpus_chrf(const std::vector<std::string>& systems,
                   const std::vector<std::vector<std::string>>& references,
                   const ChrfOptions& options = {});
/// One reference a line.
double corpus_chrf(const std::vector<std::string>& systems,
                   const std::vector<std::string>& references, const ChrfOptions& options = {});
/// Of one line.
double sentence_chrf(std::string_view system, const std::vector<std::string>& references,
                     const ChrfOptions& options = {});

}  // namespace heed::train
