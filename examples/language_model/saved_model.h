// A trained model on disk: weights, vocabulary and configuration in one folder, written so that the
// folder always holds one whole model.
#pragma once

#include <memory>
#include <string>

#include "../../io/model_directory.h"
#include "corpus.h"
#include "model.h"

namespace language_model {

/// All that it takes to read and write text.
struct Language {
  data::TextLevel level = data::TextLevel::characters;
  data::Vocabulary vocabulary;
  std::unique_ptr<LanguageModel> model;
};

/// What io::save_directory() writes and load() reads.
io::DirectoryFiles files_of(const Language& language);

/// Throws IoError for a missing folder or file, FormatError for a damaged one, or a vocabulary that
/// does not fit the weights.
Language load(const std::string& folder);

}  // namespace language_model
