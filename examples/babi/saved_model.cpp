#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/model_directory.h"
#include "../../io/saved_module.h"

namespace babi {
namespace {

constexpr Index kMost = 1 << 20;  // of any size in a configuration

}  // namespace

void save(const MemoryNetwork& model, const MemoryNetworkOptions& options,
          const data::Vocabulary& vocabulary, const std::string& folder) {
  io::Config config;
  config.set("model", std::string("babi"));
  config.set("vocabulary", options.vocabulary);
  config.set("width", options.width);
  config.set("hops", options.hops);
  config.set("memory", options.slots);
  config.set("noise", options.noise);
  io::save_directory(folder, {{io::kWeightsFile, io::encode_weights(model)},
                              {io::kVocabularyFile, vocabulary.serialize()},
                              {io::kConfigFile, config.to_json()}});
}

Reader load(const std::string& folder) {
  const auto config = io::read_config(folder, "babi");
  Reader out;
  const std::string vocabulary_path = folder + "/" + io::kVocabularyFile;
  out.vocabulary = data::Vocabulary::parse(io::read_from_directory(folder, io::kVocabularyFile),
                                           vocabulary_path);
  out.options.vocabulary = config.get_int("vocabulary", 2, kMost);
  out.options.width = config.get_int("width", 1, 1 << 14);
  out.options.hops = config.get_int("hops", 1, 100);
  out.options.slots = config.get_int("memory", 1, kMost);
  out.options.noise = config.get_double("noise");
  if (out.vocabulary.size() != out.options.vocabulary) {
    throw FormatError(vocabulary_path, 0,
                      fmt::format("{} words, but the model was trained with {}",
                                  out.vocabulary.size(), out.options.vocabulary));
  }
  io::blaming(io::config_path(folder),
              [&] { out.model = std::make_unique<MemoryNetwork>(out.options); });
  io::load_weights(folder, *out.model);
  out.model->eval();
  return out;
}

}  // namespace babi
