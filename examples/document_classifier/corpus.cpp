#include "corpus.h"

#include <fmt/format.h>

#include <filesystem>

#include "../../core/error.h"
#include "../../data/generated/reviews.h"
#include "../../data/labelled_parts.h"

namespace document_classifier {
namespace {

using Labelled = data::LabelledItems<Example>;
using Parts = data::LabelledParts<Example>;

// Streams of the seed: the same documents whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kTestStream = 0x7e57, kSplitStream = 0x5e1f;

Labelled generated(const CorpusOptions& options, Index count, std::uint64_t stream) {
  Generator generator(options.seed * 0x10001 + stream);
  Labelled out;
  for (auto& document : data::generate_documents(count, generator)) {
    auto& entry = out.emplace_back();
    entry.label = document.label;
    for (const std::string& sentence : document.sentences) {
      entry.item.document.sentences.push_back(data::tokenize(sentence));
    }
    entry.item.evidence = std::move(document.evidence);
  }
  return out;
}

Parts read_files(const CorpusOptions& options) {
  return data::read_labelled_parts<Example>(
      options.path, options.columns, [&](const std::string& text) {
        return Example{data::make_document(text, options.limits), {}};
      });
}

std::vector<Example> with_classes(Labelled entries, const std::vector<std::string>& classes) {
  std::vector<Example> out;
  for (auto& entry : entries) {
    entry.item.document.label = data::class_of(entry, classes);
    out.push_back(std::move(entry.item));
  }
  return out;
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options, const std::vector<std::string>& classes) {
  Parts parts;
  if (options.path.empty()) {
    parts.train = generated(options, options.generated_train, kTrainStream);
    parts.test = generated(options, options.generated_test, kTestStream);
  } else {
    parts = read_files(options);
  }
  Generator generator(options.seed * 0x10001 + kSplitStream);
  for (auto [part, fraction] : {std::pair(&parts.test, options.test_fraction),
                                std::pair(&parts.validation, options.validation_fraction)}) {
    if (part->empty()) *part = data::hold_out(parts.train, fraction, generator);
  }
  Corpus corpus;
  corpus.classes = classes.empty() ? data::classes_of(parts.train) : classes;
  if (corpus.classes.size() < 2) {
    throw FormatError(options.path, 0,
                      fmt::format("the training documents have {} class(es); needs two or more",
                                  corpus.classes.size()));
  }
  corpus.train = with_classes(std::move(parts.train), corpus.classes);
  corpus.validation = with_classes(std::move(parts.validation), corpus.classes);
  corpus.test = with_classes(std::move(parts.test), corpus.classes);
  return corpus;
}

std::vector<Example> load_test(const CorpusOptions& options,
                               const std::vector<std::string>& classes) {
  if (options.path.empty()) {
    return with_classes(generated(options, options.generated_test, kTestStream), classes);
  }
  Parts parts = read_files(options);
  const bool folder = std::filesystem::is_directory(options.path);
  if (folder && parts.test.empty()) {
    throw FormatError(options.path, 0, "the folder has no file whose name begins with test");
  }
  return with_classes(std::move(folder ? parts.test : parts.train), classes);
}

}  // namespace document_classifier
