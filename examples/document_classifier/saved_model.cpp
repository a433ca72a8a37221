#include "saved_model.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../io/config.h"
#include "../../io/saved_module.h"
#include "../saved_vocabulary.h"

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

io::DirectoryFiles files_of(const Classifier& classifier) {
  return {{io::kWeightsFile, io::encode_weights(*classifier.model)},
          {io::kVocabularyFile, classifier.vocabulary.serialize()},
          {io::kConfigFile, config_of(classifier).to_json()}};
}

Classifier load(const std::string& folder) {
  const auto config = io::read_config(folder, "hierarchical_attention");
  Classifier out;
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
  out.vocabulary = saved_vocabulary::load(folder, options.vocabulary);
  io::check_shapes(folder, {{"embedding.weight", {options.vocabulary, options.embedding}},
                            {"classifier.weight", {options.classes, 2 * options.hidden}}});
  out.model = std::make_unique<HierarchicalAttention>(options);
  io::load_weights(folder, *out.model);
  out.model->eval();
  return out;
}

}  // namespace document_classifier
