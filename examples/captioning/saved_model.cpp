#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/safetensors.h"
#include "corpus.h"

namespace captioning {

using heed::Error;
using heed::FormatError;
namespace data = heed::data;
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

// What the saved files disagree on is the folder's fault, whoever finds it.
template <class Body>
auto blaming(const std::string& path, Body&& body) {
  try {
    return body();
  } catch (const FormatError&) {
    throw;
  } catch (const Error& error) {
    throw FormatError(path, 0, error.what());
  }
}

}  // namespace

void save(const Describer& describer, const std::string& folder, io::DirectoryFiles more) {
  io::NamedArrays arrays;
  for (const auto& [key, tensor] : describer.model->state_dict()) {
    arrays.emplace_back(key, tensor.array());
  }
  more.emplace_back(io::kWeightsFile, io::encode_safetensors(arrays));
  more.emplace_back(io::kVocabularyFile, describer.vocabulary.serialize());
  more.emplace_back(io::kConfigFile, config_of(describer).to_json());
  io::save_directory(folder, more);
}

Describer load(const std::string& folder) {
  const std::string config_path = folder + "/" + io::kConfigFile;
  const auto config =
      io::Config::parse(io::read_from_directory(folder, io::kConfigFile), config_path);
  if (config.get_string("model") != "captioning") {
    throw FormatError(config_path, 0,
                      fmt::format("model '{}' is not captioning", config.get_string("model")));
  }
  Describer out;
  const std::string vocabulary_path = folder + "/" + io::kVocabularyFile;
  out.vocabulary = data::Vocabulary::parse(io::read_from_directory(folder, io::kVocabularyFile),
                                           vocabulary_path);
  const std::string weights_path = folder + "/" + io::kWeightsFile;
  const auto weights =
      io::decode_safetensors(io::read_from_directory(folder, io::kWeightsFile), weights_path);
  ModelOptions options;
  options.vocabulary = config.get_int("vocabulary", 2, kMost);
  options.channels = config.get_int("channels", 1, kMost);
  options.width = config.get_int("width", 1, kMost);
  options.hidden = config.get_int("hidden", 1, kMost);
  options.mean_probability = config.get_double("mean_probability");
  out.data = config.get_string("data");
  if (out.vocabulary.size() != options.vocabulary) {
    throw FormatError(vocabulary_path, 0,
                      fmt::format("{} words, but the model was trained with {}",
                                  out.vocabulary.size(), options.vocabulary));
  }
  for (const char* mark : {kBegin, kEnd}) {
    if (!out.vocabulary.contains(mark)) {
      throw FormatError(vocabulary_path, 0, fmt::format("the word {} is missing", mark));
    }
  }
  blaming(config_path, [&] {
    vocabulary_of(out.data);  // refuses unknown data
    options.look = look_of(config.get_string("attention"));
    out.model = std::make_unique<Captioner>(options);
  });
  nn::NamedTensors entries;
  for (const auto& [key, array] : weights.arrays) entries.emplace_back(key, Tensor(array));
  blaming(weights_path, [&] { out.model->load_state_dict(entries); });
  out.model->eval();
  return out;
}

}  // namespace captioning
