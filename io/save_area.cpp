#include "save_area.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "file.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = ".heed-save-";
constexpr const char* kNames = "names";
constexpr const char* kModel = "model";

// Fields that end with '/', which no name holds; an empty one at the end says that it is whole.
std::string encode(const std::string& place, const std::set<std::string>& names) {
  std::string out = "heed/" + place + "/";
  for (const std::string& name : names) out += name + "/";
  return out + "/";
}

// The names, if it is whole and of this place.
std::optional<std::set<std::string>> decode(const std::string& content, const std::string& place) {
  const std::string head = encode(place, {});
  if (!content.starts_with(head.substr(0, head.size() - 1)) || !content.ends_with("//")) return {};
  std::set<std::string> out;
  std::size_t begin = head.size() - 1;
  while (begin + 1 < content.size()) {
    const std::size_t end = content.find('/', begin);
    out.insert(content.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// Whether something is in there that was not saved, but carried from the place.
bool holds_others(const fs::path& model, const std::set<std::string>& names) {
  for (const std::string& name : names_in(model)) {
    if (!names.contains(name)) return true;
  }
  return false;
}

void remove_area(const fs::path& area) {
  ::rmdir((area / kModel).c_str());
  std::error_code ignored;
  if (fs::exists(area / kModel, ignored) || ignored) return;
  ::unlink((area / kNames).c_str());
  ::rmdir(area.c_str());
}

}  // namespace

SaveArea::SaveArea(fs::path path, HeldFolder held, std::set<std::string> names)
    : path_(std::move(path)), held_(std::move(held)), names_(std::move(names)) {}

SaveArea::SaveArea(SaveArea&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      held_(std::move(other.held_)),
      names_(std::move(other.names_)) {}

SaveArea::~SaveArea() {
  if (path_.empty()) return;
  // Without an allocation that could fail, as the one that ended the save may have.
  const auto remove = [](const char* path, const struct stat*, int, struct FTW*) {
    std::remove(path);
    return 0;
  };
  ::nftw(path_.c_str(), remove, 16, FTW_DEPTH | FTW_PHYS);
}

std::optional<SaveArea> SaveArea::make(const fs::path& place, const std::set<std::string>& names) {
  for (;;) {
    std::string path = (place.parent_path() / kPrefix).string() + "XXXXXX";
    if (!::mkdtemp(path.data())) {
      if (errno == EACCES || errno == EPERM || errno == EROFS) return {};
      throw IoError(place.string(), "cannot make a folder beside it", errno);
    }
    std::optional<SaveArea> made;
    try {
      if (auto held = HeldFolder::attempt(path)) {
        made.emplace(SaveArea(path, std::move(*held), names));
      }
    } catch (...) {  // no memory
      ::rmdir(path.c_str());
      throw;
    }
    if (!made) {  // taken for abandoned before it was held
      ::rmdir(path.c_str());
      continue;
    }
    SaveArea area = std::move(*made);
    write_new_file(path + "/" + kNames, encode(place.filename().string(), names));
    std::error_code error;
    if (!fs::create_directory(area.model(), error)) {
      throw IoError(place.string(), "cannot make a folder beside it", error.value());
    }
    return area;
  }
}

void SaveArea::settle(const fs::path& place) {
  io::settle(model(), place, names_, false);
  remove_area(path_);
  path_.clear();
}

void SaveArea::settle_abandoned(const fs::path& place) {
  std::vector<std::string> beside;
  try {
    beside = names_in(place.parent_path());
  } catch (const IoError&) {
    return;  // a folder that may be written but not listed
  }
  for (const std::string& name : beside) {
    if (!name.starts_with(kPrefix)) continue;
    const fs::path area = place.parent_path() / name;
    const auto held = HeldFolder::attempt(area);
    if (!held || !held->locked()) continue;
    try {
      if (entry_at(area / kModel)) {
        const auto names = decode(read_file((area / kNames).string()), place.filename().string());
        if (!names) continue;
        // What belongs to a model that somebody has deleted would be no whole one at its place.
        if (!entry_at(place) && holds_others(area / kModel, *names)) continue;
        io::settle(area / kModel, place, *names, true);
      }
      remove_area(area);
    } catch (const IoError&) {
      continue;
    }
  }
}

}  // namespace heed::io
