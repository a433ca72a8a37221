// Where the text comes from: generated, or files.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "../../data/text_parts.h"

namespace language_model {

using namespace heed;  // an application speaks the library's language

struct CorpusOptions {
  std::string path;        ///< as data::read_text_parts(); empty: generated
  Index sentences = 8000;  ///< generated ones to train on; a tenth as many to validate
  std::uint64_t seed = 1;  ///< of generated text; the programs leave it as it is
};

struct Corpus : data::TextParts {
  /// Of generated text: the entropy of the validation part in nats; else NaN.
  double validation_nats = std::numeric_limits<double>::quiet_NaN();
};

/// Throws IoError, FormatError; ValueError for fewer than ten sentences.
Corpus load_corpus(const CorpusOptions& options, data::TextLevel level);

}  // namespace language_model
