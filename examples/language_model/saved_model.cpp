// A language model in its folder: weights, vocabulary and configuration.
#include "../../io/saved_model.h"

#include <fmt/format.h>

#include "../../attention/mechanisms/transformer/synthesizer_kinds.h"
#include "model.h"

namespace language_model {
namespace {

constexpr const char* kKind = "language_model";

// Weights that have all sizes.
io::NamedShapes shapes_of(const ModelOptions& options) {
  const Index context = options.context, width = options.width, last = options.layers - 1;
  io::NamedShapes out = {{"tokens.weight", {options.vocabulary, width}}};
  if (options.attention == "lstm") {
    out.push_back({fmt::format("reader.lstm.weight_hh_l{}", last), {4 * width, width}});
  } else if (options.attention == "lstmn") {
    out.push_back({fmt::format("reader.lstmn.layers.{}.score_vector", last), {width}});
  } else if (options.attention == "memory") {
    out.push_back({"reader.memories.places.keys", {2 * context - 1, width}});
  }
  if (out.size() > 1) return out;
  out.push_back({fmt::format("layers.layers.{}.linear1.weight", last), {-1, width}});
  if (options.positions == Positions::learned) out.push_back({"places", {context, options.width}});
  if (options.attention == "aft-full") {
    out.push_back({"layers.layers.0.self_attn.query_factors", {context, -1}});
  } else if (options.attention == "aft-local") {
    out.push_back({"layers.layers.0.self_attn.place_biases", {context, -1}});
  }
  if (!options.attention.starts_with("synthesizer-")) return out;
  const attention::SynthesizerKinds kinds = attention::synthesizer_kinds(options.attention);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string score = fmt::format("layers.layers.0.self_attn.scores.{}.", i);
    switch (kinds[i]) {
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
  return io::ModelFiles(kKind)
      .options(language.model->options)
      .options(language.known)
      .set("batch", language.batch)
      .set("level", std::string(name(language.level)))
      .text(io::kVocabularyFile, language.vocabulary.serialize())
      .weights(*language.model);
}

Language load(const std::string& folder) {
  const io::ModelFolder saved(folder, kKind);
  auto options = saved.options<ModelOptions>();
  Language out;
  out.vocabulary = saved.parse<data::Vocabulary>();
  options.vocabulary = out.vocabulary.size();
  const auto shapes = io::blaming(saved.path(io::kConfigFile), [&] {
    out.level = data::text_level(saved.config().get_string("level"));
    return shapes_of(options);
  });
  saved.expect(shapes);
  out.known = saved.known_options<command_line::KnownTokens>();
  if (saved.config().has("batch")) out.batch = saved.config().get_int("batch", 1, 1 << 24);
  out.model = saved.make<LanguageModel>(options);
  return out;
}

}  // namespace language_model
