// Where the sentence pairs come from: a generated language pair, whose alignment is known, or files
// that are aligned line by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../io/fields.h"
#include "../../train/alignment_error.h"
#include "../../train/bleu.h"

namespace translation {

using namespace heed;  // an application speaks the library's language

struct CorpusOptions {
  std::string path;  ///< empty: generated
  std::string from = "en", to = "de";
  std::string test = "test";
  Index sentences = 8000;  ///< to train on; a tenth as many, at most 800, to validate, and to test
  Index max_words = 100;   ///< longer pairs are not trained on
  double max_ratio = 9;    ///< nor are those of which one is so many times as long as the other
  train::BleuTokens score_by = train::BleuTokens::given;
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", path,
           "a folder with train*, val* (or valid*, dev*) and test* files that end in .LANGUAGE or "
           ".LANGUAGE.gz, all of a part read in the order of their names; left out: a generated "
           "language pair");
    f.text("from", from, "language of the source");
    f.text("to", to, "language of the target");
    f.text("test", test, "beginning of the test files' names");
    f.choice("score_by", score_by,
             {{"words", train::BleuTokens::given}, {"characters", train::BleuTokens::characters}},
             "what BLEU counts: characters for targets like Chinese and Japanese, which have no "
             "blanks");
    f.size("sentences", sentences, 10, 1 << 24, "generated pairs to train on");
  }
};

struct Part {
  std::vector<std::string> source, target;
  std::vector<train::Links> links;  ///< of generated pairs
  train::BleuTokens score_by = train::BleuTokens::given;
};

struct Corpus {
  Part train, validation, test;
  std::string skipped;  ///< which pairs are not trained on, in words; empty: none
};

/// Throws IoError; FormatError for files with different numbers of lines; ValueError for a
/// direction without data, and for a part without pairs.
Corpus load_corpus(const CorpusOptions& options);

}  // namespace translation
