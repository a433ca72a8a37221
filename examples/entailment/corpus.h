// The pairs, from SICK or generated, and how they become numbers.
#pragma once

#include <string>
#include <vector>

#include "../../core/array.h"
#include "../../data/sentence_pair.h"
#include "../../data/vocabulary.h"
#include "../../io/fields.h"

namespace entailment {

using namespace heed;  // an application speaks the library's language

struct CorpusOptions {
  std::string data = {};  ///< SICK's table, or its folder; empty: generated
  Index pairs = 5000;     ///< generated ones to learn from
  bool turned = true;
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", data, "SICK's table, or its folder; left out: generated pairs");
    f.size("pairs", pairs, 10, 1 << 24, "generated ones to learn from");
    f.flag("turned", turned, "learn from each pair turned round, too, by SICK's own labels");
  }
};

struct Sentence {
  std::vector<std::string> words;  ///< as they are shown
  std::vector<std::string> keys;   ///< as they are known: stems, or the words themselves
};
/// Throws ValueError for none, or more than 100 words.
Sentence read_sentence(const std::string& what, const std::string& text, bool stems);

struct Pair {
  Sentence premise, hypothesis;
  Index label = 0;  ///< a data::Relation
  Index length() const { return static_cast<Index>(premise.words.size()); }
};

struct Corpus {
  std::vector<Pair> train, validation, test;
};
/// Throws IoError, FormatError.
Corpus load_corpus(const CorpusOptions& options, bool stems);

/// What comes at least `min_count` times in these sentences.
data::Vocabulary vocabulary_of(const std::vector<Pair>& pairs, Index min_count);

/// Sentences side by side.
struct Side {
  Array words;   ///< i64 [B, T], 0 where there is none
  Array shared;  ///< i64 [B, T]: 1 where the other sentence has the word, too
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
