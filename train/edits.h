// How far what was heard is from what was said: the fewest words to be substituted, deleted and
// inserted (Levenshtein 1966), the word error rate of speech recognition.
//
//   rate = (substitutions + deletions + insertions) / words of the references
#pragma once

#include <utility>
#include <vector>

#include "../core/shape.h"

namespace heed::train {

struct Edits {
  Index substitutions = 0, deletions = 0, insertions = 0;
  /// Words that are right: places in the hypothesis and in the reference, ascending.
  std::vector<std::pair<Index, Index>> matches = {};
  Index total() const { return substitutions + deletions + insertions; }
};

/// One alignment of those with the fewest edits. Takes time and memory of the product of the
/// lengths.
Edits edits_of(const std::vector<Index>& hypothesis, const std::vector<Index>& reference);

class ErrorRate {
 public:
  /// What this pair came to.
  Edits add(const std::vector<Index>& hypothesis, const std::vector<Index>& reference);

  /// May be above 1; 0 of nothing.
  double rate() const {
    return words_ > 0 ? static_cast<double>(edits_.total()) / static_cast<double>(words_) : 0;
  }
  /// Of the texts, how many have any error.
  double texts_wrong() const {
    return texts_ > 0 ? static_cast<double>(wrong_) / static_cast<double>(texts_) : 0;
  }
  const Edits& edits() const { return edits_; }  ///< the sums, without matches
  Index words() const { return words_; }
  Index texts() const { return texts_; }

 private:
  Edits edits_;
  Index words_ = 0, texts_ = 0, wrong_ = 0;
};

}  // namespace heed::train
