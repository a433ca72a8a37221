#include "labelled_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::data {

FolderParts detail::labelled_files(const std::string& folder) {
  FolderParts files = parts_of_folder(folder);
  if (files.train.empty() && files.test.empty()) {
    throw FormatError(folder, 0, "the folder has no file whose name begins with train or test");
  }
  return files;
}

std::vector<std::string> classes_of(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

Index class_of(const Labelled& item, const std::vector<std::string>& classes) {
  const auto place = std::find(classes.begin(), classes.end(), item.label);
  if (place == classes.end()) {
    throw FormatError::at_line(
        item.path, item.line,
        fmt::format("class {} is none of those known: {}", in_quotes(item.label),
                    quoted_list({classes.begin(), classes.end()})));
  }
  return place - classes.begin();
}

}  // namespace heed::data
