// Sources and targets side by side for a model that writes words or copies them: each source's
// words that the vocabulary lacks have numbers of their own behind it (extended_vocabulary.h).
#pragma once

#include <string>
#include <vector>

#include "../core/array.h"
#include "extended_vocabulary.h"

namespace heed::data {

struct CopyExample {
  std::vector<std::string> source, target;  ///< words
};

struct CopyBatch {
  std::vector<ExtendedVocabulary> vocabularies;  ///< B
  Array source;                                  ///< i64 [B, K], unknown words are kUnknown
  Array extended;                                ///< i64 [B, K], unknown words have their numbers
  std::vector<Index> lengths;                    ///< of the sources
  Array before;       ///< i64 [B, T]: kBegin, target; unknown words are kUnknown
  Array targets;      ///< i64 [B, T]: target, kEnd, extended; -1 behind it
  Index largest = 0;  ///< of the extended vocabularies
};

/// The vocabulary holds the marks of coder.h and outlives the batch. Sources are filled up with 0.
/// Throws ValueError without examples.
CopyBatch copy_batch(const std::vector<CopyExample>& examples, const Vocabulary& vocabulary);

/// The counted words, the marks of coder.h first: a word that is spelt like one is that.
Vocabulary vocabulary_with_marks(WordCounts counts, const VocabularyOptions& options);

}  // namespace heed::data
