// A trained captioner on disk: weights, vocabulary and configuration in one folder, written so that
// the folder always holds one whole model.
#pragma once

#include <memory>
#include <string>

#include "../../data/vocabulary.h"
#include "../../io/model_directory.h"
#include "model.h"

namespace captioning {

/// All that it takes to describe an image.
struct Describer {
  std::string data;  ///< that it learned from: "shapes" or "mnist"
  heed::data::Vocabulary vocabulary;
  std::unique_ptr<Captioner> model;
};

/// What io::save_directory() writes and load() reads.
heed::io::DirectoryFiles files_of(const Describer& describer);

/// Throws IoError for a missing folder or file, FormatError for a damaged one, or a vocabulary that
/// does not fit the weights.
Describer load(const std::string& folder);

}  // namespace captioning
