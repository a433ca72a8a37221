// A folder of data in parts, told by the files' names: those to train on, to validate and to test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::data {

/// The names of what is in the folder, sorted. Throws IoError.
std::vector<std::string> names_in(const std::string& folder);

/// Whether it is a folder. What cannot be looked at, as links in a circle, is none: opening it says
/// why.
bool is_folder(const std::string& path);
/// Whether anything stands there, if only what cannot be looked at.
bool is_there(const std::string& path);

/// The path of that file in the folder, or of NAME.gz or NAME.zst where there is only that.
std::string plain_or_packed(const std::string& folder, const std::string& name);

/// Where a part's name stands in a file's: at its begin (train-00.tsv), or behind ".", "_" or "-",
/// too (ptb.train.txt).
enum class PartName : std::uint8_t { begins, stands };

/// Paths, sorted.
struct FolderParts {
  std::vector<std::string> train;
  std::vector<std::string> validation;  ///< of files named valid or dev
  std::vector<std::string> test;
};

/// The folder's files but those that are named otherwise. Throws IoError.
FolderParts parts_of_folder(const std::string& folder, PartName where = PartName::begins);

}  // namespace heed::data
