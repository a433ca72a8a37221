#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/model_directory.h"
#include "../../io/safetensors.h"

namespace babi {
namespace {

constexpr Index kMost = 1 << 20;  // of any size in a configuration

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

void save(const MemoryNetwork& model, const MemoryNetworkOptions& options,
          const data::Vocabulary& vocabulary, const std::string& folder) {
  io::Config config;
  config.set("model", std::string("babi"));
  config.set("vocabulary", options.vocabulary);
  config.set("width", options.width);
  config.set("hops", options.hops);
  config.set("memory", options.slots);
  config.set("noise", options.noise);
  io::NamedArrays arrays;
  for (const auto& [key, tensor] : model.state_dict()) arrays.emplace_back(key, tensor.array());
  io::save_directory(folder, {{io::kWeightsFile, io::encode_safetensors(arrays)},
                              {io::kVocabularyFile, vocabulary.serialize()},
                              {io::kConfigFile, config.to_json()}});
}

Reader load(const std::string& folder) {
  const std::string config_path = folder + "/" + io::kConfigFile;
  const auto config =
      io::Config::parse(io::read_from_directory(folder, io::kConfigFile), config_path);
  if (config.get_string("model") != "babi") {
    throw FormatError(config_path, 0,
                      fmt::format("model '{}' is not babi", config.get_string("model")));
  }
  Reader out;
  const std::string vocabulary_path = folder + "/" + io::kVocabularyFile;
  out.vocabulary = data::Vocabulary::parse(io::read_from_directory(folder, io::kVocabularyFile),
                                           vocabulary_path);
  const std::string weights_path = folder + "/" + io::kWeightsFile;
  const auto weights =
      io::decode_safetensors(io::read_from_directory(folder, io::kWeightsFile), weights_path);
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
  blaming(config_path, [&] { out.model = std::make_unique<MemoryNetwork>(out.options); });
  nn::NamedTensors entries;
  for (const auto& [key, array] : weights.arrays) entries.emplace_back(key, Tensor(array));
  blaming(weights_path, [&] { out.model->load_state_dict(entries); });
  out.model->eval();
  return out;
}

}  // namespace babi
