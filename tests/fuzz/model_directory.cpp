// The files of a model directory, with a byte FF after the settings and after the vocabulary.
#include "../../io/model_directory.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../../data/vocabulary.h"
#include "../../io/saved_module.h"
#include "checks.h"
#include "learner.h"
#include "pieces.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

namespace fs = std::filesystem;

// One for the whole process, in memory where the system has a place for it.
class Folder {
 public:
  Folder()
      : path_((fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
              ("heed-fuzz-" + std::to_string(getpid()))) {
    fs::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }
  void write(const char* name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }

 private:
  fs::path path_;
};

}  // namespace

void model_directory(std::string_view input) {
  static const Folder folder;
  const std::string path = folder.path();
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
