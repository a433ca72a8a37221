// A trained model on disk: weights, both vocabularies and configuration in one folder, written so
// that the folder always holds one whole model.
#pragma once

#include <memory>
#include <string>

#include "../../data/coder.h"
#include "../../io/model_directory.h"
#include "translator.h"

namespace translation {

/// All that it takes to translate. With a shared vocabulary both coders are one.
struct Language {
  std::shared_ptr<const data::Coder> source, target;
  std::unique_ptr<Translator> model;
};

/// What io::save_directory() writes and load() reads.
heed::io::DirectoryFiles files_of(const Language& language);

/// Throws IoError for a missing folder or file, FormatError for a damaged one, or a vocabulary that
/// does not fit the weights.
Language load(const std::string& folder);

}  // namespace translation
