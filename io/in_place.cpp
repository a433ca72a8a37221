#include "in_place.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "../core/error.h"
#include "file.h"
#include "folder.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStaged = ".heed-staged";
constexpr const char* kCommitted = ".heed-committed";

}  // namespace

void write_in_place(const fs::path& place,
                    const std::vector<std::pair<std::string, std::string_view>>& files) {
  const fs::path staged = place / kStaged;
  std::error_code error;
  if (!fs::create_directory(staged, error)) {
    throw IoError(place.string(), "cannot save there", error ? error.value() : EEXIST);
  }
  try {
    for (const auto& [name, content] : files) write_new_file((staged / name).string(), content);
    sync_folder(staged.string());
    if (std::rename(staged.c_str(), (place / kCommitted).c_str()) != 0) {
      throw IoError(place.string(), "cannot save there", errno);
    }
  } catch (...) {
    fs::remove_all(staged, error);
    throw;
  }
  sync_folder(place.string());
  finish_in_place(place);
}

bool is_half_written(const fs::path& place) {
  return ::access((place / kCommitted).c_str(), F_OK) == 0;
}

void finish_in_place(const fs::path& place) {
  std::error_code error;
  fs::remove_all(place / kStaged, error);
  const fs::path committed = place / kCommitted;
  if (!entry_at(committed)) return;
  for (const std::string& name : names_in(committed)) {
    if (std::rename((committed / name).c_str(), (place / name).c_str()) != 0) {
      throw IoError((place / name).string(), "cannot replace", errno);
    }
  }
  sync_folder(place.string());
  if (::rmdir(committed.c_str()) != 0) throw IoError(place.string(), "cannot save there", errno);
}

fs::path path_in(const fs::path& place, const std::string& name) {
  const fs::path committed = place / kCommitted / name;
  return ::access(committed.c_str(), F_OK) == 0 ? committed : place / name;
}

}  // namespace heed::io
