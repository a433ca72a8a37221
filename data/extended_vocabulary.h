// The words of a source that a vocabulary lacks, numbered behind it, so that a model can copy them
// (See et al. 2017): V, V + 1, .. in the order in which they come, the same word by the same
// number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vocabulary.h"

namespace heed::data {

class ExtendedVocabulary {
 public:
  /// Holds no reference to `source`; the vocabulary outlives it.
  ExtendedVocabulary(const Vocabulary& vocabulary, const std::vector<std::string>& source);

  /// Of a word in either; else Vocabulary::kUnknown.
  Index id(std::string_view word) const;
  std::vector<Index> ids(const std::vector<std::string>& words) const;
  /// Throws IndexError outside [0, size).
  const std::string& word(Index id) const;
  /// V and the words behind it.
  Index size() const { return known_->size() + static_cast<Index>(more_.size()); }

 private:
  const Vocabulary* known_;
  std::vector<std::string> more_;
};

}  // namespace heed::data
