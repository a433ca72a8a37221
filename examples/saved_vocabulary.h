// The vocabulary in the model directory of a program (io/model_directory.h).
#pragma once

#include <fmt/format.h>

#include <string>

#include "../core/error.h"
#include "../data/vocabulary.h"
#include "../io/model_directory.h"

namespace saved_vocabulary {

/// Of as many words as the model was trained with. Throws IoError, FormatError.
inline heed::data::Vocabulary load(const std::string& folder, heed::Index words) {
  const std::string path = folder + "/" + heed::io::kVocabularyFile;
  auto vocabulary = heed::data::Vocabulary::parse(
      heed::io::read_from_directory(folder, heed::io::kVocabularyFile), path);
  if (vocabulary.size() != words) {
    throw heed::FormatError(
        path, 0,
        fmt::format("{} words, but the model was trained with {}", vocabulary.size(), words));
  }
  return vocabulary;
}

}  // namespace saved_vocabulary
