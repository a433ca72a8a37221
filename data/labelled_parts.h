// Labelled texts in parts, to train on, to validate and to test, of a file or of a folder's files
// (train*, valid* or dev*, test*), each text made into whatever an application learns from:
//
//   auto parts = data::read_labelled_parts<Document>(path, {.label = "1", .text = "2"}, make);
//   auto classes = data::classes_of(parts.train);                  // the labels found, sorted
//   Index c = data::class_of(parts.train[0], classes);
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "../core/generator.h"
#include "batches.h"
#include "folder_parts.h"
#include "labelled_text.h"

namespace heed::data {

/// Its label, and where it stood.
struct Labelled {
  std::string label, path;
  std::uint64_t line = 0;
};
template <class Item>
struct LabelledItem : Labelled {
  Item item = {};
};
template <class Item>
using LabelledItems = std::vector<LabelledItem<Item>>;

template <class Item>
struct LabelledParts {
  LabelledItems<Item> train, validation, test;
};

/// What `make` makes of the text of each line. Throws what open_labelled_text() and its reader
/// throw.
template <class Item, class Make>
LabelledItems<Item> read_labelled(const std::string& path, const LabelledTextOptions& columns,
                                  const Make& make) {
  LabelledItems<Item> out;
  const auto reader = open_labelled_text(path, columns);
  for (LabelledText text; reader->next(text);) {
    out.push_back({{text.label, path, text.line}, make(text.text)});
  }
  return out;
}

namespace detail {

/// Throws FormatError unless it has files to train on or to test.
FolderParts labelled_files(const std::string& folder);

}  // namespace detail

/// A single file is all to be trained on. Throws also FormatError for a folder without files to
/// train on or to test.
template <class Item, class Make>
LabelledParts<Item> read_labelled_parts(const std::string& path, const LabelledTextOptions& columns,
                                        const Make& make) {
  if (!is_folder(path)) {
    return {read_labelled<Item>(path, columns, make), {}, {}};
  }
  const FolderParts files = detail::labelled_files(path);
  const auto all = [&](const std::vector<std::string>& paths) {
    LabelledItems<Item> out;
    for (const std::string& file : paths) {
      auto more = read_labelled<Item>(file, columns, make);
      std::move(more.begin(), more.end(), std::back_inserter(out));
    }
    return out;
  };
  return {all(files.train), all(files.validation), all(files.test)};
}

/// Moves a random `fraction` of `from` away, as split() draws it.
template <class T>
std::vector<T> hold_out(std::vector<T>& from, double fraction, Generator& generator) {
  const Split drawn = split(static_cast<Index>(from.size()), fraction, generator);
  std::vector<T> rest, out;
  for (const Index i : drawn.rest) rest.push_back(std::move(from[static_cast<std::size_t>(i)]));
  for (const Index i : drawn.held_out) out.push_back(std::move(from[static_cast<std::size_t>(i)]));
  from = std::move(rest);
  return out;
}

/// The labels, each once, sorted.
std::vector<std::string> classes_of(std::vector<std::string> labels);
template <class Item>
std::vector<std::string> classes_of(const LabelledItems<Item>& items) {
  std::vector<std::string> labels;
  for (const Labelled& item : items) labels.push_back(item.label);
  return classes_of(std::move(labels));
}
/// The place of its label among the classes. Throws FormatError, naming path and line, for another.
Index class_of(const Labelled& item, const std::vector<std::string>& classes);

}  // namespace heed::data
