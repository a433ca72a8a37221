#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/safetensors.h"

namespace document_classifier {
namespace {

constexpr Index kMost = 1 << 24;  // of any size in a configuration

io::Config config_of(const Classifier& classifier) {
  const ModelOptions& options = classifier.model->options;
  io::Config config;
  config.set("model", std::string("hierarchical_attention"));
  config.set("vocabulary", options.vocabulary);
  config.set("embedding", options.embedding);
  config.set("hidden", options.hidden);
  config.set("dropout", options.dropout);
  config.set("pooling", std::string(name(options.pooling)));
  config.set("max_sentences", classifier.limits.sentences);
  config.set("max_words", classifier.limits.words);
  config.set("classes", options.classes);
  for (std::size_t i = 0; i < classifier.classes.size(); ++i) {
    config.set(fmt::format("class_{}", i), classifier.classes[i]);
  }
  return config;
}

}  // namespace

void save(const Classifier& classifier, const std::string& folder, io::DirectoryFiles more) {
  io::NamedArrays arrays;
  for (const auto& [key, tensor] : classifier.model->state_dict())
    arrays.emplace_back(key, tensor.array());
  more.emplace_back(io::kWeightsFile, io::encode_safetensors(arrays));
  more.emplace_back(io::kVocabularyFile, classifier.vocabulary.serialize());
  more.emplace_back(io::kConfigFile, config_of(classifier).to_json());
  io::save_directory(folder, more);
}

Classifier load(const std::string& folder) {
  const std::string config_path = folder + "/" + io::kConfigFile;
  const auto config =
      io::Config::parse(io::read_from_directory(folder, io::kConfigFile), config_path);
  if (config.get_string("model") != "hierarchical_attention") {
    throw FormatError(
        config_path, 0,
        fmt::format("model '{}' is not hierarchical_attention", config.get_string("model")));
  }
  Classifier out;
  const std::string vocabulary_path = folder + "/" + io::kVocabularyFile;
  out.vocabulary = data::Vocabulary::parse(io::read_from_directory(folder, io::kVocabularyFile),
                                           vocabulary_path);
  out.limits = {.sentences = config.get_int("max_sentences", 1, kMost),
                .words = config.get_int("max_words", 1, kMost)};
  ModelOptions options;
  options.vocabulary = config.get_int("vocabulary", 2, kMost);
  options.embedding = config.get_int("embedding", 1, kMost);
  options.hidden = config.get_int("hidden", 1, kMost);
  options.classes = config.get_int("classes", 2, kMost);
  options.dropout = config.get_double("dropout");
  options.pooling = pooling_kind(config.get_string("pooling"));
  for (Index i = 0; i < options.classes; ++i) {
    out.classes.push_back(config.get_string(fmt::format("class_{}", i)));
  }
  if (out.vocabulary.size() != options.vocabulary) {
    throw FormatError(vocabulary_path, 0,
                      fmt::format("{} words, but the model was trained with {}",
                                  out.vocabulary.size(), options.vocabulary));
  }
  const std::string weights_path = folder + "/" + io::kWeightsFile;
  const auto weights =
      io::decode_safetensors(io::read_from_directory(folder, io::kWeightsFile), weights_path);
  for (const auto& [key, array] : weights.arrays) {
    if (key == "embedding.weight" && array.rank() == 2 && array.size(0) != options.vocabulary) {
      throw FormatError(weights_path, 0,
                        fmt::format("embeddings of {} words, but the vocabulary has {}",
                                    array.size(0), options.vocabulary));
    }
  }
  out.model = std::make_unique<HierarchicalAttention>(options);
  nn::NamedTensors entries;
  for (const auto& [key, array] : weights.arrays) entries.emplace_back(key, Tensor(array));
  try {
    out.model->load_state_dict(entries);
  } catch (const Error& error) {
    throw FormatError(weights_path, 0, error.what());
  }
  out.model->eval();
  return out;
}

}  // namespace document_classifier
