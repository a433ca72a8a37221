// The project's own C++ files, read once, for the tests that hold them to the project's rules.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed {

struct Include {
  std::string name;     ///< as written, without quotes
  bool angled = false;  ///< <name> instead of "name"
  std::size_t line = 0;
};

struct SourceFile {
  std::filesystem::path place;  ///< from the project's root
  std::vector<std::string> lines;

  /// The first part of `place`: "core", "tests"; "" for a file in the root.
  std::string folder() const;
  std::vector<Include> includes() const;
  /// "core/array.h:17".
  std::string at(std::size_t line) const { return place.string() + ":" + std::to_string(line); }
};

/// Whether a folder is a build, an environment of Python or has packages of Node.js: not the
/// project's.
bool is_foreign(const std::filesystem::path& folder);

/// Every .h and .cpp file of the project, sorted.
const std::vector<SourceFile>& source_files();

}  // namespace heed
