// Where the text comes from, generated or files, and how it becomes numbers: each character a
// token, or each word between blanks. The end of a line is a token too, `<eos>`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../data/vocabulary.h"

namespace language_model {

using heed::Index;

enum class Level { characters, words };

/// "char", "word". Throws ValueError for other names.
Level level_of(const std::string& name);
const char* name(Level level);

struct CorpusOptions {
  /// A file, whose last tenth is for validation; a folder of files named train, valid (or dev) and
  /// perhaps test, as in ptb.train.txt; empty: generated. Plain or gzip.
  std::string path;
  Index sentences = 8000;  ///< generated ones to train on; a tenth as many to validate
  std::uint64_t seed = 1;
};

/// The parts as UTF-8 text with "\n" as line end.
struct Corpus {
  std::string train, validation, test;  ///< no test: empty
  /// Of generated text: the entropy of the validation part in nats; else NaN.
  double validation_nats;
};

/// Throws IoError, FormatError; ValueError for a text without tokens.
Corpus load_corpus(const CorpusOptions& options, Level level);

/// The tokens in order, views into `text`, each line's end as "\n".
std::vector<std::string_view> tokens_of(std::string_view text, Level level);

/// All tokens of `text`, or the most frequent. Throws ValueError.
heed::data::Vocabulary vocabulary_of(std::string_view text, Level level, Index max_words);

std::vector<Index> encode(std::string_view text, Level level,
                          const heed::data::Vocabulary& vocabulary);
/// The text again; words get blanks between them.
std::string decode(const std::vector<Index>& ids, Level level,
                   const heed::data::Vocabulary& vocabulary);

}  // namespace language_model
