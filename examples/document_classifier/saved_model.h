// A trained classifier on disk: weights, vocabulary and configuration in one folder, written so
// that the folder always holds one whole model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../../data/vocabulary.h"
#include "../../io/model_directory.h"
#include "corpus.h"

namespace document_classifier {

/// All that it takes to read a document.
struct Classifier {
  std::vector<std::string> classes;
  TextReader reader;
  data::Vocabulary vocabulary;
  std::unique_ptr<HierarchicalAttention> model;
};

/// What io::save_directory() writes and load() reads.
io::DirectoryFiles files_of(const Classifier& classifier);

/// Throws IoError for a missing folder or file, FormatError for a damaged one, or a vocabulary that
/// does not fit the weights.
Classifier load(const std::string& folder);

}  // namespace document_classifier
