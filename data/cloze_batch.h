// Cloze rows as numbers, in batches: what attention-sum readers read.
//
// A word that the vocabulary lacks gets one of a few numbers beyond it, by the order in which such
// words come, so that the same word is the same number within a passage and its query (Hermann et
// al. 2015 number entities so). Its letters are numbers too, of its first kLetters characters; and
// it has a mark: how often the passage has it and, with `overlap`, whether the query does.
#pragma once

#include "../core/array.h"
#include "cloze.h"
#include "vocabulary.h"

namespace heed::data {

struct ClozeNumbers {
  Vocabulary words, letters;
  Index unknown = 30;    ///< numbers for words that the vocabulary lacks, at least 1
  bool overlap = false;  ///< marks tell whether the query has the word
};
inline constexpr Index kLetters = 4;
inline constexpr Index kMostOften = 9;                      ///< counts above it are one
inline constexpr Index kClozeMarks = 2 * (kMostOften + 1);  ///< how many there are

/// Words that come at least `min_count` times in the passages and queries, a sentence that comes
/// several times counted once, and all their letters that do.
ClozeNumbers cloze_numbers(const std::vector<Cloze>& rows, Index min_count);

/// The sentences of passages and queries, each once.
std::vector<std::vector<std::string>> cloze_sentences(const std::vector<Cloze>& rows);

struct ClozeBatch {
  struct Side {
    Array words, marks;          ///< i64 [B, T], 0 where there is none
    Array letters;               ///< i64 [B, T, kLetters], 0 where there is none
    std::vector<Index> lengths;  ///< B
  };
  Side passage, query;
  Array places;          ///< i64 [B, D]: which of different_words() stands there
  Index candidates = 0;  ///< the most of different words
  Array answers;         ///< i64 [B, 1], one of them; 0 where none is given, or it is none
};

/// At least one row, each with words in passage and query. Throws ValueError, also unless
/// numbers.unknown > 0.
ClozeBatch cloze_batch(const std::vector<Cloze>& rows, const ClozeNumbers& numbers);

}  // namespace heed::data
