#include "model_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "../core/error.h"
#include "../core/quoted.h"
#include "file.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

// The place itself: absolute, links followed, without a trailing slash, so that it has siblings.
fs::path resolve(const std::string& path) {
  std::error_code error;
  fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error || path.empty()) throw IoError(path, "cannot resolve", error ? error.value() : ENOENT);
  if (!place.has_filename()) place = place.parent_path();
  return place;
}

// Puts `fresh` at `place`; what stood there goes to `fresh` or, without RENAME_EXCHANGE, to `old`.
// Returns where it went.
fs::path exchange(const fs::path& fresh, const fs::path& place, const fs::path& old) {
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
    return fresh;
  }
  if (errno != EINVAL && errno != ENOSYS) throw IoError(place.string(), "cannot replace", errno);
  if (std::rename(place.c_str(), old.c_str()) != 0) {
    throw IoError(place.string(), "cannot replace", errno);
  }
  if (std::rename(fresh.c_str(), place.c_str()) != 0) {
    const int code = errno;
    static_cast<void>(std::rename(old.c_str(), place.c_str()));
    throw IoError(place.string(), "cannot replace", code);
  }
  return old;
}

// Deletes the replaced files and nothing else: what the user keeps in the directory moves along.
void retire(const fs::path& old, const fs::path& place, const DirectoryFiles& files) {
  std::error_code ignored;
  for (const auto& [name, content] : files) fs::remove(old / name, ignored);
  for (const auto& entry : fs::directory_iterator(old, ignored)) {
    fs::rename(entry.path(), place / entry.path().filename(), ignored);
  }
  fs::remove(old, ignored);  // only when empty
}

}  // namespace

void save_directory(const std::string& path, const DirectoryFiles& files) {
  for (const auto& [name, content] : files) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
      throw ValueError(fmt::format("save_directory: {} is not a file name", in_quotes(name)));
    }
  }
  const fs::path place = resolve(path);
  std::error_code error;
  const bool exists = fs::exists(place, error);
  if (exists && !fs::is_directory(place, error)) throw IoError(path, "cannot save there", ENOTDIR);
  fs::create_directories(place.parent_path(), error);
  if (error) throw IoError(path, "cannot create the folder above", error.value());

  const fs::path fresh = fmt::format("{}.new-{}", place.string(), ::getpid());
  const fs::path old = fmt::format("{}.old-{}", place.string(), ::getpid());
  fs::remove_all(fresh, error);  // of an earlier process that had our number and crashed
  if (!fs::create_directory(fresh, error)) throw IoError(path, "cannot save", error.value());
  fs::path replaced;
  try {
    if (exists) fs::permissions(fresh, fs::status(place, error).permissions(), error);
    for (const auto& [name, content] : files) {
      write_file_atomically((fresh / name).string(), content);
    }
    sync_folder(fresh.string());
    if (exists) {
      replaced = exchange(fresh, place, old);
    } else if (std::rename(fresh.c_str(), place.c_str()) != 0) {
      throw IoError(path, "cannot save", errno);
    }
  } catch (...) {
    fs::remove_all(fresh, error);
    throw;
  }
  sync_folder(place.parent_path().string());
  if (exists) retire(replaced, place, files);
}

std::string read_from_directory(const std::string& path, const std::string& name) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw IoError(path, "no model directory", ENOENT);
  if (error) throw IoError(path, "cannot open the model directory", error.value());
  if (!fs::is_directory(status)) throw IoError(path, "not a model directory", ENOTDIR);
  const fs::path file = fs::path(path) / name;
  if (!fs::exists(file, error)) {
    throw IoError(file.string(), "missing from the model directory", ENOENT);
  }
  return read_file(file.string());
}

}  // namespace heed::io
