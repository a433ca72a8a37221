#include "folder_parts.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "../core/error.h"

namespace heed::data {
namespace {

namespace fs = std::filesystem;

bool is_for(const std::string& name, const std::string& part, PartName where) {
  if (where == PartName::begins) return name.starts_with(part);
  for (std::size_t at = name.find(part); at != std::string::npos; at = name.find(part, at + 1)) {
    if (at == 0 || std::string_view("._-").find(name[at - 1]) != std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> names_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error) throw IoError(folder, "read the folder", error.value());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_folder(const std::string& path) {
  std::error_code why;
  return fs::is_directory(path, why);
}

bool is_there(const std::string& path) {
  std::error_code why;
  return fs::status(path, why).type() != fs::file_type::not_found;
}

std::string plain_or_packed(const std::string& folder, const std::string& name) {
  std::string plain = folder + "/" + name;
  for (const char* ending : {"", ".gz", ".zst"}) {
    if (is_there(plain + ending)) return plain + ending;
  }
  return plain;
}

FolderParts parts_of_folder(const std::string& folder, PartName where) {
  FolderParts out;
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder + "/" + name;
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    if (is_for(name, "train", where)) out.train.push_back(path);
    if (is_for(name, "valid", where) || is_for(name, "dev", where)) out.validation.push_back(path);
    if (is_for(name, "test", where)) out.test.push_back(path);
  }
  return out;
}

}  // namespace heed::data
