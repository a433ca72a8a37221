// Sentences of reviews with their aspect and opinion terms, from files or generated, and how they
// become numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../../autograd/tensor.h"
#include "../../data/iob.h"
#include "../../data/vocabulary.h"
#include "../../io/fields.h"

namespace aspects {

using namespace heed;  // an application speaks the library's language
using data::TaggedSentence;
using Words = std::vector<std::string>;

/// What stands in arrays of two: aspects first, then opinions.
inline constexpr std::array<const char*, 2> kSides = {"aspects", "opinions"};
inline constexpr Index kNoWord = -100;  ///< the label of padding

struct CorpusOptions {
  std::string path = "";
  std::string domain = "semeval14_restaurants";
  Index sentences = 3000;  ///< generated, to train on; a third as many, at most 1000, to test
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", path, "a folder of tagged sentences; left out: generated reviews");
    f.text("domain", domain, "of the folder DOMAIN_train.iob.tsv and DOMAIN_test.iob.tsv, or .gz");
    f.size("sentences", sentences, 20, 1 << 20, "generated to train on");
  }
};

struct Corpus {
  std::vector<TaggedSentence> train, validation, test;
};

/// A tenth of those to train on, always the same, is for validation. Throws IoError, FormatError.
Corpus load_corpus(const CorpusOptions& options);

/// The words of a text as the tagged sentences have them.
Words words_of(const std::string& text);

struct Example {
  std::vector<Index> words;
  std::array<std::vector<Index>, 2> labels;
  Index length() const { return static_cast<Index>(words.size()); }
};
std::vector<Example> encode(const std::vector<TaggedSentence>& sentences,
                            const data::Vocabulary& vocabulary);

struct Batch {
  Tensor words;                  ///< i64 [B, T], 0 where there is none
  std::vector<Index> lengths;    ///< B
  std::array<Tensor, 2> labels;  ///< i64 [B, T]
};
Batch batch_of(const std::vector<Example>& some);

}  // namespace aspects
