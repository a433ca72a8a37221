#include "source_tree.h"
#include "../support/places.h"

#include <algorithm>
#include <fstream>

namespace heed {
namespace {

namespace fs = std::filesystem;

bool is_source(const fs::path& file) {
  return file.extension() == ".h" || file.extension() == ".cpp";
}

SourceFile read(const fs::path& file) {
  SourceFile source{fs::relative(file, source_root()), {}};
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) source.lines.push_back(line);
  return source;
}

std::vector<SourceFile> read_all() {
  std::vector<SourceFile> files;
  for (const auto& entry : fs::directory_iterator(source_root())) {
    const std::string name = entry.path().filename().string();
    if (is_source(entry.path())) files.push_back(read(entry.path()));
    // Builds and what belongs to git or an editor are not the project's sources.
    if (!entry.is_directory() || name.starts_with(".") || name.starts_with("build") ||
        is_foreign(entry.path())) {
      continue;
    }
    fs::recursive_directory_iterator inner(entry.path());
    for (; inner != fs::recursive_directory_iterator(); ++inner) {
      const fs::path& path = inner->path();
      if (inner->is_regular_file() && is_source(path)) files.push_back(read(path));
      if (inner->is_directory() && is_foreign(path)) inner.disable_recursion_pending();
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.place < b.place; });
  return files;
}

}  // namespace

std::string SourceFile::folder() const {
  return place.has_parent_path() ? place.begin()->string() : "";
}

std::vector<Include> SourceFile::includes() const {
  std::vector<Include> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (!line.starts_with("#include")) continue;
    const std::size_t begin = line.find_first_of("<\"");
    if (begin == std::string::npos) continue;  // a macro
    const std::size_t end = line.find_first_of(">\"", begin + 1);
    found.push_back({line.substr(begin + 1, end - begin - 1), line[begin] == '<', i + 1});
  }
  return found;
}

bool is_foreign(const fs::path& folder) {
  return folder.filename() == "node_modules" || fs::exists(folder / "CMakeCache.txt") ||
         fs::exists(folder / "pyvenv.cfg");
}

const std::vector<SourceFile>& source_files() {
  static const std::vector<SourceFile> files = read_all();
  return files;
}

}  // namespace heed
