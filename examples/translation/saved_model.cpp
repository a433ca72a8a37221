// A translator in its folder: weights, both vocabularies and configuration.
#include "../../io/saved_model.h"

#include <fmt/format.h>

#include "../../data/subwords.h"
#include "translator.h"

namespace translation {
namespace {

constexpr const char *kKind = "translation", *kSourceFile = "source.vocabulary",
                     *kTargetFile = "target.vocabulary";

// Weights that have all sizes.
io::NamedShapes shapes_of(const ModelOptions& options) {
  const Index width = options.width, hidden = options.hidden, last = options.layers - 1;
  io::NamedShapes out = {{"tables.source_words.weight", {options.source_words, width}},
                         {"tables.target_words.weight", {options.target_words, width}}};
  if (options.model == "transformer") {
    out.push_back({fmt::format("layers.encoder.layers.{}.linear1.weight", last), {hidden, width}});
  } else if (options.model == "conv") {
    out.push_back({fmt::format("encoder.convolutions.{}.weight_v", last),
                   {2 * hidden, hidden, options.kernel}});
    out.push_back({"source_places.weight", {options.longest + 1, width}});
  } else {  // Luong's encoder has half of the state in each direction
    const Index state = options.model == "luong" ? hidden / 2 : hidden;
    out.push_back({fmt::format("encoder.weight_hh_l{}", last), {-1, state}});
  }
  if (options.model == "luong" && options.score == "location") {
    const char* const inside = options.attention == "global" ? "decoder" : "decoder.local";
    out.push_back({fmt::format("{}.score.weight", inside), {options.longest + 1, hidden}});
  }
  return out;
}

}  // namespace

io::DirectoryFiles files_of(const Language& language) {
  return io::ModelFiles(kKind)
      .options(language.model->options)
      .options(language.words)
      .text(kSourceFile, language.source->serialize())
      .text(kTargetFile, language.target->serialize())
      .weights(*language.model);
}

Language load(const std::string& folder) {
  const io::ModelFolder saved(folder, kKind);
  auto options = saved.options<ModelOptions>();
  Language out;
  out.source = data::parse_coder(saved.text(kSourceFile), saved.path(kSourceFile));
  out.target = data::parse_coder(saved.text(kTargetFile), saved.path(kTargetFile));
  options.source_words = out.source->size();
  options.target_words = out.target->size();
  saved.expect(shapes_of(options));
  out.words = saved.known_options<WordOptions>();
  out.model = saved.make_by([&] { return make_translator(options); });
  return out;
}

}  // namespace translation
