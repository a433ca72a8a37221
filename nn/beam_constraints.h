// What the texts of a beam search may be: scores are changed before words are chosen by them, so
// that probabilities are those of the words that are left. Internal.
#pragma once

#include <vector>

#include "../core/array.h"
#include "beam_search.h"

namespace heed::nn::detail {

/// A row of the search: whose text it is, and its words so far, without the begin mark.
struct WrittenRow {
  Index source;
  std::vector<Index> words;
};

class Constraints {
 public:
  /// On which it looks. Throws ValueError for options that make no sense.
  Constraints(const BeamSearchOptions& options, Index sources);

  /// Whether there are any.
  bool any() const;
  /// Throws ValueError for a word that is none of so many.
  void check_words(Index words) const;
  /// Of scores [R, V] those that are left, -infinity for what may not follow.
  Array apply(const Array& scores, const std::vector<WrittenRow>& rows) const;

 private:
  template <class T>
  void apply(T* scores, Index words, const WrittenRow& row) const;
  const BeamSearchOptions& options_;
};

}  // namespace heed::nn::detail
