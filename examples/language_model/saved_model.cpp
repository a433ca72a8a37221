#include "saved_model.h"

#include <fmt/format.h>

#include "../../io/saved_model.h"

namespace language_model {
namespace {

constexpr const char* kKind = "language_model";

// Weights that have all sizes.
io::NamedShapes shapes_of(const ModelOptions& options) {
  io::NamedShapes out = {
      {"tokens.weight", {options.vocabulary, options.width}},
      {fmt::format("layers.layers.{}.linear1.weight", options.layers - 1), {-1, options.width}}};
  const Index context = options.context;
  if (options.positions == Positions::learned) out.push_back({"places", {context, options.width}});
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
      .set("level", std::string(name(language.level)))
      .text(io::kVocabularyFile, language.vocabulary.serialize())
      .weights(*language.model);
}

Language load(const std::string& folder) {
  const io::ModelFolder saved(folder, kKind);
  auto options = saved.options<ModelOptions>();
  Language out;
  out.vocabulary =
      data::Vocabulary::parse(saved.text(io::kVocabularyFile), saved.path(io::kVocabularyFile));
  options.vocabulary = out.vocabulary.size();
  const auto shapes = io::blaming(saved.path(io::kConfigFile), [&] {
    out.level = data::text_level(saved.config().get_string("level"));
    return shapes_of(options);
  });
  saved.expect(shapes);
  out.model = saved.make<LanguageModel>(options);
  return out;
}

}  // namespace language_model
