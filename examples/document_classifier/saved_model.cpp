// A classifier in its folder: weights, vocabulary, classes and configuration.
#include "../../io/saved_model.h"

#include <fmt/format.h>

#include "../../data/subwords.h"
#include "model.h"

namespace document_classifier {
namespace {

constexpr const char* kKind = "hierarchical_attention";
constexpr const char* kSubwordsFile = "subwords.txt";

}  // namespace

io::DirectoryFiles files_of(const Classifier& classifier) {
  io::ModelFiles files(kKind);
  files.options(classifier.model->options)
      .options(classifier.reader.limits)
      .options(classifier.words)
      .set("classes", static_cast<Index>(classifier.classes.size()))
      .text(io::kVocabularyFile, classifier.vocabulary.serialize())
      .weights(*classifier.model);
  if (const data::Coder* coder = classifier.reader.coder.get()) {
    files.set("subwords", true).text(kSubwordsFile, coder->serialize());
  }
  for (std::size_t i = 0; i < classifier.classes.size(); ++i) {
    files.set(fmt::format("class_{}", i), classifier.classes[i]);
  }
  return files;
}

Classifier load(const std::string& folder) {
  const io::ModelFolder saved(folder, kKind);
  Classifier out;
  out.reader.limits = saved.options<Limits>();
  if (saved.config().has("subwords") && saved.config().get_bool("subwords")) {
    out.reader.coder = data::parse_coder(saved.text(kSubwordsFile), saved.path(kSubwordsFile));
  }
  out.vocabulary = saved.parse<data::Vocabulary>();
  auto options = saved.options<ModelOptions>();
  options.vocabulary = out.vocabulary.size();
  options.classes = saved.config().get_int("classes", 2, 1 << 24);
  for (Index i = 0; i < options.classes; ++i) {
    out.classes.push_back(saved.config().get_string(fmt::format("class_{}", i)));
  }
  saved.expect({{"embedding.weight", {options.vocabulary, options.embedding}},
                {"classifier.weight", {options.classes, 2 * options.hidden}}});
  out.words = saved.known_options<WordOptions>();
  out.model = saved.make<HierarchicalAttention>(options);
  return out;
}

}  // namespace document_classifier
