// The pairs, from SICK or generated, and how they become numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/array.h"
#include "../../data/sentence_pair.h"
#include "../../data/vocabulary.h"
#include "../../io/fields.h"

namespace entailment {

using namespace heed;  // an application speaks the library's language

inline constexpr Index kLongest = 100;  // words of a sentence

struct CorpusOptions {
  std::string data;     ///< SICK's file, or its folder; empty: generated
  Index pairs = 10000;  ///< generated ones to learn from
  bool turned = true;   ///< learn from each pair turned round, too
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", data, "SICK's table, or the folder of SICK.tsv(.gz); left out: generated pairs");
    f.size("pairs", pairs, 10, 1 << 24, "generated ones to learn from");
  }
};

struct Pair {
  std::vector<std::string> premise, hypothesis;  ///< words as they are read
  Index label = 0;                               ///< a data::Relation
};

struct Corpus {
  std::vector<Pair> train, validation, test;
};

/// The words of a sentence. Throws ValueError where there are none, or more than kLongest.
std::vector<std::string> words_of(const std::string& what, const std::string& sentence);

/// Throws IoError, FormatError, ValueError.
Corpus load_corpus(const CorpusOptions& options);

/// What a model knows a word by: its stem.
std::vector<std::string> stems_of(const std::vector<std::string>& words);
/// The stems of all sentences to learn from that come at least `min_count` times.
data::Vocabulary vocabulary_of(const std::vector<Pair>& pairs, Index min_count);

/// Sentences side by side.
struct Side {
  Array words;   ///< i64 [B, T], 0 where there is none
  Array shared;  ///< i64 [B, T]: 1 where the other sentence has a word of the same stem
  std::vector<Index> lengths;
};
struct Batch {
  Side premise, hypothesis;
  Array labels;  ///< i64 [B]
};
/// The pairs of these numbers, at least one.
Batch batch_of(const std::vector<Pair>& pairs, const std::vector<Index>& rows,
               const data::Vocabulary& vocabulary);

}  // namespace entailment
