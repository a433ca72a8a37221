// A trained network on disk: weights, vocabulary and configuration in one folder, written so that
// the folder always holds one whole model.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "../../data/vocabulary.h"
#include "trainer.h"

namespace babi {

/// By their names on the command line and on disk.
extern const std::map<std::string, attention::PositionEncoding> kEncodings;

/// All that it takes to answer questions.
struct Reader {
  MemoryNetworkOptions options;  ///< slots: also how many sentences it remembers
  data::Vocabulary vocabulary;
  std::unique_ptr<MemoryNetwork> model;
};

/// Throws IoError; the old model is whole then.
void save(const MemoryNetwork& model, const MemoryNetworkOptions& options,
          const data::Vocabulary& vocabulary, const std::string& folder);

/// Throws IoError for a missing folder or file, FormatError for a damaged one, or a vocabulary that
/// does not fit the weights.
Reader load(const std::string& folder);

}  // namespace babi
