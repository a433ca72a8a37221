#include "corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../core/quoted.h"
#include "../../data/batches.h"
#include "grammar.h"

namespace document_classifier {

using heed::FormatError;
using heed::Generator;
using heed::in_quotes;
using heed::quoted_list;
namespace data = heed::data;
namespace fs = std::filesystem;

namespace {

// Streams of the seed: the same documents whatever else is drawn.
constexpr std::uint64_t kTrainStream = 0x7a11, kTestStream = 0x7e57, kSplitStream = 0x5e1f;

Generator stream(const CorpusOptions& options, std::uint64_t name) {
  return Generator(options.seed * 0x10001 + name);
}

// A text with its label still as a word.
struct Labelled {
  Example example;
  std::string label, path;
  std::uint64_t line = 0;
};

std::vector<Labelled> read_file(const std::string& path, const CorpusOptions& options) {
  std::vector<Labelled> out;
  const auto reader = data::open_labelled_text(path, options.columns);
  data::LabelledText text;
  while (reader->next(text)) {
    Labelled entry{
        {data::make_document(text.text, options.limits), {}}, text.label, path, text.line};
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<Labelled> generated(Index count, Generator generator) {
  std::vector<Labelled> out;
  for (auto& document : generate_documents(count, generator)) {
    Example example;
    for (const std::string& sentence : document.sentences) {
      example.document.sentences.push_back(data::tokenize(sentence));
    }
    example.evidence = std::move(document.evidence);
    out.push_back({std::move(example), document.label, "generated", 0});
  }
  return out;
}

void append(std::vector<Labelled>& to, std::vector<Labelled> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

struct Parts {
  std::vector<Labelled> train, validation, test;
};

Parts read_folder(const CorpusOptions& options) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(options.path)) {
    if (entry.is_regular_file()) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  Parts parts;
  for (const std::string& path : paths) {
    const std::string name = fs::path(path).filename().string();
    if (name.starts_with("train")) append(parts.train, read_file(path, options));
    if (name.starts_with("valid") || name.starts_with("dev")) {
      append(parts.validation, read_file(path, options));
    }
    if (name.starts_with("test")) append(parts.test, read_file(path, options));
  }
  if (parts.train.empty() && parts.test.empty()) {
    throw FormatError(options.path, 0,
                      "the folder has no file whose name begins with train or test");
  }
  return parts;
}

Parts read_parts(const CorpusOptions& options) {
  if (options.path.empty()) {
    return {generated(options.generated_train, stream(options, kTrainStream)),
            {},
            generated(options.generated_test, stream(options, kTestStream))};
  }
  if (fs::is_directory(options.path)) return read_folder(options);
  return {read_file(options.path, options), {}, {}};
}

// Moves a random `fraction` of `from` away.
std::vector<Labelled> hold_out(std::vector<Labelled>& from, double fraction, Generator& generator) {
  const data::Split split = data::split(static_cast<Index>(from.size()), fraction, generator);
  std::vector<Labelled> rest, out;
  for (const Index i : split.rest) rest.push_back(std::move(from[static_cast<std::size_t>(i)]));
  for (const Index i : split.held_out) out.push_back(std::move(from[static_cast<std::size_t>(i)]));
  from = std::move(rest);
  return out;
}

std::vector<std::string> labels_of(const std::vector<Labelled>& entries) {
  std::vector<std::string> labels;
  for (const Labelled& entry : entries) labels.push_back(entry.label);
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

std::vector<Example> with_classes(std::vector<Labelled> entries,
                                  const std::vector<std::string>& classes) {
  std::vector<Example> out;
  for (Labelled& entry : entries) {
    const auto place = std::find(classes.begin(), classes.end(), entry.label);
    if (place == classes.end()) {
      throw FormatError::at_line(
          entry.path, entry.line,
          fmt::format("class {} is none of those known: {}", in_quotes(entry.label),
                      quoted_list({classes.begin(), classes.end()})));
    }
    entry.example.document.label = place - classes.begin();
    out.push_back(std::move(entry.example));
  }
  return out;
}

}  // namespace

Corpus load_corpus(const CorpusOptions& options, const std::vector<std::string>& classes) {
  Parts parts = read_parts(options);
  Generator generator = stream(options, kSplitStream);
  if (parts.test.empty()) parts.test = hold_out(parts.train, options.test_fraction, generator);
  if (parts.validation.empty()) {
    parts.validation = hold_out(parts.train, options.validation_fraction, generator);
  }
  Corpus corpus;
  corpus.classes = classes.empty() ? labels_of(parts.train) : classes;
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
  Parts parts;
  if (options.path.empty()) {
    parts.test = generated(options.generated_test, stream(options, kTestStream));
  } else if (fs::is_directory(options.path)) {
    parts = read_folder(options);
    if (parts.test.empty()) {
      throw FormatError(options.path, 0, "the folder has no file whose name begins with test");
    }
  } else {
    parts.test = read_file(options.path, options);
  }
  return with_classes(std::move(parts.test), classes);
}

}  // namespace document_classifier
