#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/saved_module.h"
#include "../saved_vocabulary.h"
#include "corpus.h"

namespace captioning {

using heed::FormatError;
namespace io = heed::io;

namespace {

constexpr Index kMost = 1 << 14;  // of any size in a configuration

io::Config config_of(const Describer& describer) {
  const ModelOptions& options = describer.model->options;
  io::Config config;
  config.set("model", std::string("captioning"));
  config.set("data", describer.data);
  config.set("vocabulary", options.vocabulary);
  config.set("channels", options.channels);
  config.set("width", options.width);
  config.set("hidden", options.hidden);
  config.set("attention", std::string(name(options.look)));
  config.set("mean_probability", options.mean_probability);
  return config;
}

}  // namespace

io::DirectoryFiles files_of(const Describer& describer) {
  return {{io::kWeightsFile, io::encode_weights(*describer.model)},
          {io::kVocabularyFile, describer.vocabulary.serialize()},
          {io::kConfigFile, config_of(describer).to_json()}};
}

Describer load(const std::string& folder) {
  const auto config = io::read_config(folder, "captioning");
  Describer out;
  ModelOptions options;
  options.vocabulary = config.get_int("vocabulary", 2, kMost);
  options.channels = config.get_int("channels", 1, kMost);
  options.width = config.get_int("width", 1, kMost);
  options.hidden = config.get_int("hidden", 1, kMost);
  options.mean_probability = config.get_double("mean_probability");
  out.data = config.get_string("data");
  out.vocabulary = saved_vocabulary::load(folder, options.vocabulary);
  for (const char* mark : {kBegin, kEnd}) {
    if (!out.vocabulary.contains(mark)) {
      throw FormatError(folder + "/" + io::kVocabularyFile, 0,
                        fmt::format("the word {} is missing", mark));
    }
  }
  io::check_shapes(folder, {{"words.weight", {options.vocabulary, options.width}},
                            {"conv1.weight", {options.channels, -1, -1, -1}},
                            {"start_h.weight", {options.hidden, -1}}});
  io::blaming(io::config_path(folder), [&] {
    vocabulary_of(out.data);  // refuses unknown data
    options.look = look_of(config.get_string("attention"));
    out.model = std::make_unique<Captioner>(options);
  });
  io::load_weights(folder, *out.model);
  out.model->eval();
  return out;
}

}  // namespace captioning
