#include "corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../../core/error.h"
#include "../../data/generated/reviews.h"
#include "../../data/labelled_parts.h"

namespace document_classifier {
namespace {

// As it was written, before it is known how it is to be read.
struct Written {
  std::string text;
  std::vector<bool> evidence = {};
};
using Labelled = data::LabelledItems<Written>;
using Parts = data::LabelledParts<Written>;

// Streams of the seed: the same documents whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kTestStream = 0x7e57, kSplitStream = 0x5e1f;

Labelled generated(const CorpusOptions& options, Index count, std::uint64_t stream) {
  Generator generator(options.seed * 0x10001 + stream);
  Labelled out;
  for (auto& document : data::generate_documents(count, generator)) {
    auto& entry = out.emplace_back();
    entry.label = document.label;
    entry.item = {fmt::format("{}", fmt::join(document.sentences, "\n")),
                  std::move(document.evidence)};
  }
  return out;
}

Parts read_files(const CorpusOptions& options) {
  return data::read_labelled_parts<Written>(options.path, options.columns,
                                            [](const std::string& text) { return Written{text}; });
}

std::shared_ptr<const data::Coder> learn_coder(const Labelled& entries, Index subwords) {
  std::vector<const std::string*> texts;
  for (const auto& entry : entries) texts.push_back(&entry.item.text);
  return data::learn_subwords(texts, subwords);
}

std::vector<Example> read(Labelled entries, const TextReader& reader,
                          const std::vector<std::string>& classes) {
  std::vector<Example> out;
  for (auto& entry : entries) {
    out.push_back({reader(entry.item.text), std::move(entry.item.evidence)});
    out.back().document.label = data::class_of(entry, classes);
    entry.item.text.clear();
    entry.item.text.shrink_to_fit();
  }
  return out;
}

}  // namespace

data::Document TextReader::operator()(const std::string& text) const {
  if (!coder) return data::make_document(text, limits);
  return data::make_document(text, limits,
                             [&](std::string_view sentence) { return coder->parts(sentence); });
}

Corpus load_corpus(const CorpusOptions& options, TextReader& reader,
                   const std::vector<std::string>& classes) {
  Parts parts;
  if (options.path.empty()) {
    parts.train = generated(options, options.generated_train, kTrainStream);
    parts.test = generated(options, options.generated_test, kTestStream);
  } else {
    parts = read_files(options);
  }
  Corpus corpus;  // its classes before any is held out: a rare one may be all in the test
  corpus.classes = classes.empty() ? data::classes_of(parts.train) : classes;
  Generator generator(options.seed * 0x10001 + kSplitStream);
  for (auto [part, fraction] : {std::pair(&parts.test, options.test_fraction),
                                std::pair(&parts.validation, options.validation_fraction)}) {
    if (part->empty()) *part = data::hold_out(parts.train, fraction, generator);
  }
  if (corpus.classes.size() < 2) {
    throw FormatError(options.path, 0,
                      fmt::format("the training documents have {} class(es); needs two or more",
                                  corpus.classes.size()));
  }
  if (classes.empty() && parts.validation.empty()) {
    throw FormatError(options.path, 0, "there are too few documents to validate on any");
  }
  if (classes.empty() && options.subwords > 0) {
    reader.coder = learn_coder(parts.train, options.subwords);
  }
  corpus.train = read(std::move(parts.train), reader, corpus.classes);
  corpus.validation = read(std::move(parts.validation), reader, corpus.classes);
  corpus.test = read(std::move(parts.test), reader, corpus.classes);
  return corpus;
}

std::vector<Example> load_test(const CorpusOptions& options, const TextReader& reader,
                               const std::vector<std::string>& classes) {
  if (options.path.empty()) {
    return read(generated(options, options.generated_test, kTestStream), reader, classes);
  }
  Parts parts = read_files(options);
  const bool folder = data::is_folder(options.path);
  if (folder && parts.test.empty()) {
    throw FormatError(options.path, 0, "the folder has no file whose name begins with test");
  }
  return read(std::move(folder ? parts.test : parts.train), reader, classes);
}

}  // namespace document_classifier
