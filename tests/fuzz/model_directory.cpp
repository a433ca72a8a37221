// The files of a model directory, with a byte FF after the settings and after the vocabulary.
#include "../../io/model_directory.h"

#include "../../data/vocabulary.h"
#include "../../io/saved_module.h"
#include "../io/temporary_folder.h"
#include "checks.h"
#include "learner.h"
#include "pieces.h"
#include "targets.h"

namespace heed::fuzz {

void model_directory(std::string_view input) {
  // One for the whole process, in memory where the system has a place for it.
  static const TemporaryFolder folder(TemporaryFolder::memory());
  const std::string path = folder.path().string();
  Pieces pieces(input);
  folder.write(io::kConfigFile, pieces.text());
  folder.write(io::kVocabularyFile, pieces.text());
  folder.write(io::kWeightsFile, pieces.rest());
  const std::string weights = path + "/" + io::kWeightsFile,
                    words = path + "/" + io::kVocabularyFile,
                    settings = path + "/" + io::kConfigFile;
  Learner model;
  const std::string before = io::encode_weights(model);
  const bool accepted =
      accepts({weights, words, settings}, input.size(), {.fixed = 1 << 16, .factor = 100}, [&] {
        const io::Config config = io::read_config(path, "learner");
        data::Vocabulary::parse(io::read_from_directory(path, io::kVocabularyFile),
                                path + "/" + io::kVocabularyFile, config.get_int("words", 2, 10));
        io::load_weights(path, model);
      });
  const std::string after = io::encode_weights(model);
  if (!accepted) require(after == before, "what is refused changes nothing");
  folder.write(io::kWeightsFile, after);
  io::load_weights(path, model);
  require(io::encode_weights(model) == after, "a model reads back equal");
}

}  // namespace heed::fuzz
