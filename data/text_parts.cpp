#include "text_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "folder_parts.h"
#include "text_file.h"
#include "utf8.h"

namespace heed::data {
namespace {

TextParts read_folder(const std::string& path) {
  const FolderParts files = parts_of_folder(path, PartName::stands);
  TextParts out;
  for (const std::string& file : files.train) out.train += read_text(file);
  for (const std::string& file : files.validation) out.validation += read_text(file);
  for (const std::string& file : files.test) out.test += read_text(file);
  if (out.train.empty() || out.validation.empty()) {
    throw FormatError(path, 0, "the folder lacks a file named train or one named valid, with text");
  }
  return out;
}

TextParts read_file(const std::string& path, TextLevel level) {
  TextParts out;
  out.train = read_text(path);
  const auto tokens = tokens_of(out.train, level);
  if (tokens.size() < 20) {
    throw FormatError(path, 0, fmt::format("{} tokens are too few to learn from", tokens.size()));
  }
  const auto cut =
      static_cast<std::size_t>(tokens[tokens.size() / 10 * 9].data() - out.train.data());
  out.validation = out.train.substr(cut);
  out.train.resize(cut);
  return out;
}

}  // namespace

std::string read_text(const std::string& path) {
  TextFile file(path);
  std::string out, line;
  while (file.next(line)) {
    std::replace(line.begin(), line.end(), '\r', ' ');
    out += repair_utf8(line);
    out += '\n';
  }
  return out;
}

TextParts read_text_parts(const std::string& path, TextLevel level) {
  return is_folder(path) ? read_folder(path) : read_file(path, level);
}

}  // namespace heed::data
