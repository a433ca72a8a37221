// Where the documents come from: generated ones, or files of labelled texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../data/labelled_text.h"
#include "../../data/subwords.h"
#include "model.h"

namespace document_classifier {

struct Example {
  data::Document document;     ///< label: an index into Corpus::classes
  std::vector<bool> evidence;  ///< of each sentence, where it is known (generated documents)
};

struct Corpus {
  std::vector<std::string> classes;
  std::vector<Example> train, validation, test;
};

struct CorpusOptions {
  std::string path;  ///< a file, or a folder of files train*, test*, valid*; empty: generated
  data::LabelledTextOptions columns;
  Index subwords = 0;                ///< how many are learned from the texts to train on; 0: words
  double validation_fraction = 0.1;  ///< of the training files, where no file is for validation
  double test_fraction = 0.2;        ///< of all, where no file is for the test
  Index generated_train = 4000;
  Index generated_test = 1000;
  std::uint64_t seed = 1;  ///< of what is generated and held out; the program leaves it as it is
};

/// Reads everything. `classes` are the labels known already (of a saved model): another one is a
/// FormatError naming file and line; when empty, those found in the training files before any
/// document is held out, sorted, and the reader learns its subwords. Throws IoError, FormatError,
/// ValueError.
Corpus load_corpus(const CorpusOptions& options, TextReader& reader,
                   const std::vector<std::string>& classes);

/// Only what is to be tested: the test part of a folder or of generated documents, all of a single
/// file.
std::vector<Example> load_test(const CorpusOptions& options, const TextReader& reader,
                               const std::vector<std::string>& classes);

}  // namespace document_classifier
