// Passages with a cloze query each: the Chinese sets, with queries made from their passages
// besides, or generated ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../data/cloze.h"
#include "../../io/fields.h"

namespace cloze {

using namespace heed;  // an application speaks the library's language
using data::Cloze;

struct CorpusOptions {
  std::string path = "";
  Index stories = 5000;  ///< generated, to train on; a tenth, at most 500, to validate, and to test
  Index made = 6;
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", path, "the folder of CFT's and CMRC's files; left out: generated passages");
    f.size("stories", stories, 20, 1 << 20, "generated to train on");
    f.size("made", made, 0, 1000, "queries made from a passage at most, besides those given");
  }
};

struct Corpus {
  std::vector<Cloze> train, validation, test;
  Index made = 0, left_out = 0;  ///< of those to train on and to validate
};

/// Trains on CFT's human and automatic tests and CMRC's questions of users, all rows that a word of
/// the passage answers, and tests on CMRC's cloze.valid. A tenth of the passages, always the same,
/// is for validation, with all that is asked of them. Throws IoError, FormatError.
Corpus load_corpus(const CorpusOptions& options, const data::ClozeOptions& limits);

}  // namespace cloze
