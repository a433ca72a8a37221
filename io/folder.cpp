#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "../core/error.h"
#include "file.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

bool is_later(const struct stat& a, const struct stat& b) {
  return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
                                              : a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

// Under a name of its own until it is whole: whoever finds it there knows what it is.
constexpr const char* kCopying = ".heed-copying";

void copy(const fs::path& from, const fs::path& to, const struct stat& info) {
  const fs::path copying = to.parent_path() / kCopying;
  if (S_ISREG(info.st_mode)) {
    try {
      copy_to_new_file(from.string(), copying.string());
    } catch (const IoError& error) {
      if (error.code() == EACCES || error.code() == EPERM) throw CannotBeCarried{};
      throw;
    }
  } else if (S_ISLNK(info.st_mode)) {
    std::error_code error;
    fs::copy_symlink(from, copying, error);
    if (error) throw IoError(from.string(), "cannot copy the link", error.value());
    const timespec times[2] = {info.st_atim, info.st_mtim};
    ::utimensat(AT_FDCWD, copying.c_str(), times, AT_SYMLINK_NOFOLLOW);
  } else {
    throw CannotBeCarried{};
  }
  if (std::rename(copying.c_str(), to.c_str()) != 0) {
    throw IoError(from.string(), "cannot copy", errno);
  }
}

void carry_entry(const fs::path& from, const fs::path& to, const struct stat& info) {
  if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0) == 0 || errno == ENOENT) return;
  switch (errno) {
    case EXDEV:  // another mount of the same file system
      throw CannotBeCarried{};
    case EPERM:
    case EACCES:
    case EMLINK:
    case ENOSYS:
    case EOPNOTSUPP: return copy(from, to, info);
    default: throw IoError(from.string(), "cannot link", errno);
  }
}

void move(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  fs::create_directories(to.parent_path(), ignored);
  fs::rename(from, to, ignored);
}

void settle_entry(const fs::path& left, const fs::path& place, bool crashed) {
  const auto a = entry_at(left), b = entry_at(place);
  if (!a) return;
  if (S_ISDIR(a->st_mode)) {
    if (b && !S_ISDIR(b->st_mode)) return;
    // The folder itself comes back, for whoever works in it; what was made anew for it goes.
    if (b && !crashed) {
      ::renameat2(AT_FDCWD, left.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE);
    }
    return b || crashed ? settle(left, place, {}, crashed) : move(left, place);
  }
  if (!b) {
    if (crashed && a->st_nlink > 1) {
      ::unlink(left.c_str());
    } else {
      move(left, place);
    }
  } else if (same_entry(*a, *b) || is_later(*b, *a) || (crashed && !is_later(*a, *b))) {
    ::unlink(left.c_str());
  } else if (!crashed) {
    move(left, place);  // the later one, or what the one at the place is a copy of
  }
}

}  // namespace

std::vector<std::string> names_in(const fs::path& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) throw IoError(folder.string(), "cannot list the folder", errno);
  std::vector<std::string> out;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (!entry) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back(name);
  }
  if (errno != 0) throw IoError(folder.string(), "cannot list the folder", errno);
  return out;
}

std::optional<struct stat> entry_at(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return info;
  if (errno == ENOENT) return std::nullopt;
  throw IoError(path.string(), "cannot look at", errno);
}

bool same_entry(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

HeldFolder::HeldFolder(HeldFolder&& other) noexcept : fd_(other.fd_), locked_(other.locked_) {
  other.fd_ = -1;
}

HeldFolder& HeldFolder::operator=(HeldFolder&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(locked_, other.locked_);
  return *this;
}

HeldFolder::~HeldFolder() {
  if (fd_ < 0) return;
  // A child that another thread forked meanwhile has the same open folder, and closing it here
  // alone would leave the lock with the child: opened, it is open for all of them.
  if (locked_) ::flock(fd_, LOCK_UN);
  ::close(fd_);
}

bool HeldFolder::is_at(const fs::path& path) const {
  struct stat mine {
  }, there{};
  return ::fstat(fd_, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && same_entry(mine, there);
}

std::optional<HeldFolder> HeldFolder::wait(const fs::path& path) {
  for (;;) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == EINTR) continue;
    if (fd < 0 && errno == ENOENT) return std::nullopt;
    if (fd < 0) throw IoError(path.string(), "cannot open the folder", errno);
    HeldFolder folder(fd, false);
    int code = 0;
    do {
      code = ::flock(fd, LOCK_EX);
    } while (code != 0 && errno == EINTR);
    folder.locked_ = code == 0;
    if (folder.is_at(path)) return folder;  // or else another has taken its place meanwhile
  }
}

std::optional<HeldFolder> HeldFolder::attempt(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  HeldFolder folder(fd, ::flock(fd, LOCK_EX | LOCK_NB) == 0);
  if (!folder.locked_ && errno == EWOULDBLOCK) return std::nullopt;
  if (!folder.is_at(path)) return std::nullopt;
  return folder;
}

void carry(const fs::path& from, const fs::path& to, const std::set<std::string>& except) {
  const auto top = entry_at(from);
  if (!top) return;
  for (const std::string& name : names_in(from)) {
    const auto info = entry_at(from / name);
    if (!info || except.contains(name) || is_abandoned((from / name).string())) continue;
    if (info->st_dev != top->st_dev) throw CannotBeCarried{};
    if (!S_ISDIR(info->st_mode)) {
      carry_entry(from / name, to / name, *info);
      continue;
    }
    if (::mkdir((to / name).c_str(), 0700) != 0) {
      throw IoError((to / name).string(), "cannot make the folder", errno);
    }
    if (::access((from / name).c_str(), R_OK | X_OK) != 0) throw CannotBeCarried{};
    carry(from / name, to / name, {});
    ::chmod((to / name).c_str(), info->st_mode & 07777);
  }
  sync_folder(to.string());
}

void settle(const fs::path& left, const fs::path& place, const std::set<std::string>& ours,
            bool crashed) {
  ::chmod(left.c_str(), 0700);  // it goes: that its owner may not write in it must not keep it
  try {
    for (const std::string& name : names_in(left)) {
      if (ours.contains(name) || name == kCopying || is_abandoned((left / name).string())) {
        ::unlink((left / name).c_str());
      } else {
        settle_entry(left / name, place / name, crashed);
      }
    }
  } catch (const IoError&) {
    return;  // the next save looks again
  }
  ::rmdir(left.c_str());
}

}  // namespace heed::io
