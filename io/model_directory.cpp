#include "model_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>

#include "../core/error.h"
#include "../core/quoted.h"
#include "file.h"
#include "folder.h"
#include "in_place.h"
#include "read_only.h"
#include "save_area.h"
#include "torn_directory.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

using Contents = std::vector<std::pair<std::string, std::string_view>>;

// The place itself: absolute, links followed even to where nothing is yet, without a trailing
// slash, so that it has siblings.
fs::path resolve(const std::string& path) {
  std::error_code error;
  fs::path place = fs::absolute(path, error);
  if (!place.has_filename()) place = place.parent_path();
  if (!error) place = without_links(place, error);
  if (!error || error.value() == ENOENT) place = fs::weakly_canonical(place, error);
  if (error || path.empty()) throw IoError(path, "cannot resolve", error ? error.value() : ENOENT);
  return place.has_filename() ? place : place.parent_path();
}

// Exchanged, the process would go on in the folder that goes.
bool is_working_directory(const struct stat& folder) {
  struct stat here {};
  return ::stat(".", &here) == 0 && same_entry(here, folder);
}

enum class Outcome { done, changed, not_here };

Outcome outcome_of(int code, const std::string& path) {
  switch (code) {
    case ENOENT:  // the directory was deleted meanwhile,
    case EEXIST:  // or has been made
    case ENOTEMPTY: return Outcome::changed;
    case EINVAL:
    case ENOSYS:
    case EOPNOTSUPP:
    case EBUSY:
    case EXDEV:
    case EPERM:
    case EACCES: return Outcome::not_here;
    default: throw IoError(path, "cannot replace", code);
  }
}

int rename_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int exchange(const fs::path& a, const fs::path& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0 ? 0 : errno;
}

// As far as the file system has them and they may be given away.
void take_owner_and_mode(const fs::path& fresh, const struct stat& old) {
  [[maybe_unused]] const int owner = ::chown(fresh.c_str(), old.st_uid, old.st_gid);
  [[maybe_unused]] const int mode = ::chmod(fresh.c_str(), old.st_mode & 07777);
}

// Makes the directory anew and puts it at its place, where `old` is held, if there is one.
Outcome replace(const fs::path& place, const std::optional<HeldFolder>& old,
                const std::set<std::string>& names, const Contents& files) {
  const auto info = entry_at(place), above = entry_at(place.parent_path());
  if (info && above && info->st_dev != above->st_dev) return Outcome::not_here;  // a mount point
  if (info && is_working_directory(*info)) return Outcome::not_here;
  auto area = SaveArea::make(place, names);
  if (!area) return Outcome::not_here;
  const fs::path fresh = area->model();
  try {
    if (old) carry(place, fresh, names);
  } catch (const CannotBeCarried&) {
    return Outcome::not_here;
  }
  for (const auto& [name, content] : files) write_new_file((fresh / name).string(), content);
  sync_folder(fresh.string());
  const auto held = HeldFolder::attempt(fresh);  // before anybody can find it at the place
  if (!held) return Outcome::changed;
  if (!old) {
    const int code = rename_new(fresh, place);
    if (code != 0) return outcome_of(code, place.string());
    sync_folder(place.parent_path().string());
    return Outcome::done;
  }
  if (info) take_owner_and_mode(fresh, *info);
  const int code = exchange(fresh, place);
  if (code != 0 && !held->is_at(place)) return outcome_of(code, place.string());
  if (!old->is_at(fresh)) {  // somebody put another directory there, of which nothing was carried
    if (exchange(fresh, place) != 0) area->leave();
    return Outcome::changed;
  }
  try {
    sync_folder(place.parent_path().string());
    area->settle(place);
  } catch (...) {  // the next save settles it
    area->leave();
    throw;
  }
  return Outcome::done;
}

Outcome save_once(const std::string& path, const DirectoryFiles& files,
                  const DirectoryFiles& missing) {
  const fs::path place = resolve(path);
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  if (error) throw IoError(path, "cannot create the folder above", error.value());
  const fs::file_status status = fs::status(place, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw IoError(path, "cannot save there", ENOTDIR);
  }
  const auto old = HeldFolder::wait(place);
  if (old && ::access(place.c_str(), W_OK) != 0) throw IoError(path, "cannot save there", errno);
  if (old) finish_in_place(place);
  SaveArea::settle_abandoned(place);

  Contents contents(files.begin(), files.end());
  for (const auto& [name, content] : missing) {
    const auto same = [&wanted = name](const auto& file) { return file.first == wanted; };
    if (std::any_of(files.begin(), files.end(), same)) continue;
    if (!old || !entry_at(place / name)) contents.emplace_back(name, content);
  }
  std::set<std::string> names;
  for (const auto& [name, content] : contents) names.insert(name);
  const Outcome outcome = replace(place, old, names, contents);
  // What waited for a model to be there again.
  if (!old && outcome == Outcome::done) {
    const auto held = HeldFolder::attempt(place);
    if (held) SaveArea::settle_abandoned(place);
  }
  if (outcome != Outcome::not_here) return outcome;
  if (!old) throw IoError(path, "cannot save there", EACCES);
  write_in_place(place, contents);
  return Outcome::done;
}

}  // namespace

void save_directory(const std::string& path, const DirectoryFiles& files,
                    const DirectoryFiles& missing) {
  for (const auto* list : {&files, &missing}) {
    std::set<std::string_view> names;
    for (const auto& [name, content] : *list) {
      if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
        throw ValueError(fmt::format("save_directory: {} is not a file name", in_quotes(name)));
      }
      if (!names.insert(name).second) {
        throw ValueError(fmt::format("save_directory: {} is given twice", in_quotes(name)));
      }
    }
  }
  if (read_only()) return;
  constexpr int kAttempts = 10;  // at a directory that is deleted, made or replaced meanwhile
  for (int attempt = 1; attempt < kAttempts; ++attempt) {
    try {
      if (save_once(path, files, missing) == Outcome::done) return;
    } catch (const IoError& error) {
      if (error.code() != ENOENT || path.empty()) throw;
    }
  }
  if (save_once(path, files, missing) != Outcome::done) {
    throw IoError(path, "cannot save to what changes all the time", EAGAIN);
  }
}

std::string read_from_directory(const std::string& path, const std::string& name) {
  for (;;) {
    struct stat before {};
    if (::stat(path.c_str(), &before) != 0) {
      const int code = errno;
      if (code != ENOENT) throw IoError(path, "cannot open the model directory", code);
      throw IoError(path, "no model directory" + where_the_rest_lies(path, ""), ENOENT);
    }
    if (!S_ISDIR(before.st_mode)) throw IoError(path, "not a model directory", ENOTDIR);
    if (is_half_written(path)) {
      try {
        const auto held = HeldFolder::wait(path);
        if (held) finish_in_place(path);
      } catch (const IoError&) {  // who may only read finds all files all the same
      }
    }
    const fs::path file = path_in(path, name);
    try {
      return read_file(file.string());
    } catch (const IoError& error) {
      if (error.code() != ENOENT) throw;
    }
    // A save may have taken the directory away while its name was looked up.
    struct stat after {};
    if (::stat(path.c_str(), &after) == 0 && !same_entry(before, after)) continue;
    if (mend_torn_directory(path, name)) continue;
    throw IoError(file.string(),
                  "missing from the model directory" + where_the_rest_lies(path, name), ENOENT);
  }
}

}  // namespace heed::io
