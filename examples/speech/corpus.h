// Recordings of digits, spoken or dialled, and strings of them as features.
#pragma once

#include <string>
#include <vector>

#include "../../data/utterances.h"
#include "../../io/fields.h"

namespace speech {

using namespace heed;  // an application speaks the library's language
using data::Utterance;
using Batch = data::UtteranceBatch;

inline constexpr Index kDigits = 10;

struct CorpusOptions {
  std::string data = {};  ///< a folder with train/ and test/; empty: dialled digits
  Index recordings = 1200;
  Index shortest = 3, longest = 8;
  Index strings = 300;
  Index long_digits = 25;
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", data, "a folder with train/*.wav and test/*.wav; left out: dialled digits");
    f.size("recordings", recordings, 20, 1 << 16, "dialled digits to learn from");
    f.size("shortest", shortest, 1, 30, "digits a string");
    f.size("longest", longest, 1, 30, "digits a string");
    f.size("strings", strings, 1, 1 << 16, "to test; a third as many to validate, and long ones");
    f.size("long_digits", long_digits, 1, 100, "digits of the long strings, which are only tested");
  }
};

struct Corpus {
  std::vector<data::SpokenDigit> train, validation, test;
};
/// Every tenth of a speaker's recordings of a digit is for validation. Throws IoError, FormatError.
Corpus load_corpus(const CorpusOptions& options);

}  // namespace speech
