#include "abandoned.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <functional>
#include <mutex>

namespace heed::io {
namespace {

using Clock = std::chrono::steady_clock;

// In seconds. Where a lock is known to its own machine alone, who writes on another is told by the
// age: what lies beside a file that is saved is left for a day.
constexpr std::time_t kOld = 60, kOldBeside = 24 * 3600;
constexpr Clock::duration kBetweenLooks = std::chrono::minutes(1);
constexpr int kMostNames = 10000;

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_temporary(std::string_view name) {
  if (!name.starts_with(kTemporaryBegin) || !name.ends_with(kTemporaryEnd)) return false;
  name.remove_prefix(kTemporaryBegin.size());  // it reaches into no ".tmp": it ends in a dash
  name.remove_suffix(kTemporaryEnd.size());
  const std::size_t dash = name.find('-');
  return dash != name.npos && is_digits(name.substr(0, dash)) && is_digits(name.substr(dash + 1));
}

// Where this process looked last, by the folders' names: a few, in the place of the oldest.
class Looks {
 public:
  bool is_due(const std::string& folder) {
    const std::size_t name = std::hash<std::string>()(folder);
    const auto now = Clock::now();
    auto place = std::find_if(all_.begin(), all_.end(),
                              [&](const Look& each) { return each.any && each.folder == name; });
    if (place != all_.end() && now - place->when < kBetweenLooks) return false;
    if (place == all_.end()) {
      place = std::min_element(all_.begin(), all_.end(), [](const Look& a, const Look& b) {
        return a.any != b.any ? b.any : a.when < b.when;
      });
    }
    *place = {.any = true, .folder = name, .when = now};
    return true;
  }

 private:
  struct Look {
    bool any = false;
    std::size_t folder = 0;
    Clock::time_point when = {};
  };
  std::array<Look, 16> all_;
};

bool is_own(int folder, const char* name) {
  struct stat info {};
  return ::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_uid == ::geteuid();
}

bool is_abandoned_for(int folder, const char* path, std::time_t seconds) noexcept {
  const char* const slash = std::strrchr(path, '/');
  if (!is_temporary(slash != nullptr ? slash + 1 : path)) return false;
  int file = -1;
  do {
    file = ::openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  } while (file < 0 && errno == EINTR);
  if (file < 0) return false;
  struct stat info {};
  // The writer holds a lock on it; the age is for the moments before and after.
  const bool out = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                   std::time(nullptr) - info.st_mtime > seconds &&
                   ::flock(file, LOCK_EX | LOCK_NB) == 0;
  ::close(file);
  return out;
}

}  // namespace

bool is_abandoned_at(int folder, const char* path) noexcept {
  return is_abandoned_for(folder, path, kOld);
}

void remove_abandoned(const std::string& folder) noexcept {
  static std::mutex mutex;
  static Looks looks;
  // Who finds it taken need not look: another thread does, or did as this process was forked.
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock || !looks.is_due(folder)) return;
  DIR* const open = ::opendir(folder.c_str());
  if (open == nullptr) return;
  const int place = ::dirfd(open);
  for (int i = 0; i < kMostNames; ++i) {
    const dirent* const entry = ::readdir(open);
    if (entry == nullptr) break;
    if (is_abandoned_for(place, entry->d_name, kOldBeside) && is_own(place, entry->d_name)) {
      ::unlinkat(place, entry->d_name, 0);
    }
  }
  ::closedir(open);
}

}  // namespace heed::io
