#include "saved_model.h"

#include <fmt/format.h>

#include "../../io/config.h"
#include "../../io/saved_module.h"
#include "../saved_vocabulary.h"

namespace language_model {
namespace {

constexpr Index kMost = 1 << 24;  // of any size in a configuration

io::Config config_of(const Language& language) {
  const ModelOptions& options = language.model->options;
  io::Config config;
  config.set("model", std::string("language_model"));
  config.set("level", std::string(name(language.level)));
  config.set("vocabulary", options.vocabulary);
  config.set("layers", options.layers);
  config.set("width", options.width);
  config.set("heads", options.heads);
  config.set("context", options.context);
  config.set("dropout", options.dropout);
  config.set("positions", std::string(name(options.positions)));
  config.set("attention", name(options.synthesizer));
  return config;
}

// Weights that have all sizes.
io::NamedShapes shapes_of(const ModelOptions& options) {
  io::NamedShapes out = {
      {"tokens.weight", {options.vocabulary, options.width}},
      {fmt::format("layers.layers.{}.linear1.weight", options.layers - 1), {-1, options.width}}};
  const Index context = options.context;
  if (options.positions == Positions::learned) out.push_back({"places", {context, options.width}});
  for (std::size_t i = 0; i < options.synthesizer.size(); ++i) {
    const std::string score = fmt::format("layers.layers.0.self_attn.scores.{}.", i);
    switch (options.synthesizer[i]) {
      case attention::SynthesizerKind::dense:
        out.push_back({score + "row.bias", {-1, 1, context}});
        break;
      case attention::SynthesizerKind::random:
      case attention::SynthesizerKind::fixed_random:
        out.push_back({score + "weight", {-1, context, context}});
        break;
      case attention::SynthesizerKind::factorised_random:
        out.push_back({score + "left", {-1, context, -1}});
        break;
      case attention::SynthesizerKind::factorised_dense:
      case attention::SynthesizerKind::dot_product: break;
    }
  }
  return out;
}

}  // namespace

io::DirectoryFiles files_of(const Language& language) {
  return {{io::kWeightsFile, io::encode_weights(*language.model)},
          {io::kVocabularyFile, language.vocabulary.serialize()},
          {io::kConfigFile, config_of(language).to_json()}};
}

Language load(const std::string& folder) {
  const auto config = io::read_config(folder, "language_model");
  Language out;
  ModelOptions options;
  options.vocabulary = config.get_int("vocabulary", 2, kMost);
  options.layers = config.get_int("layers", 1, 1024);
  options.width = config.get_int("width", 1, 1 << 14);
  options.heads = config.get_int("heads", 1, 1 << 14);
  options.context = config.get_int("context", 1, kMost);
  options.dropout = config.get_double("dropout");
  out.vocabulary = saved_vocabulary::load(folder, options.vocabulary);
  io::blaming(io::config_path(folder), [&] {
    out.level = level_of(config.get_string("level"));
    options.positions = positions_of(config.get_string("positions"));
    options.synthesizer = attention_of(config.get_string("attention"));
  });
  io::check_shapes(folder, shapes_of(options));
  io::blaming(io::config_path(folder),
              [&] { out.model = std::make_unique<LanguageModel>(options); });
  io::load_weights(folder, *out.model);
  out.model->eval();
  return out;
}

}  // namespace language_model
