#include "file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "../core/error.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

// An open descriptor, closed in any case; close() reports what a late write-back had to say.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Some file systems and devices cannot sync and say so; that is no failure to write.
bool sync(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Errors carry the path that the caller gave, which for a link is not the one written.
void write_pieces(int fd, const std::vector<std::string_view>& pieces, const std::string& path) {
  for (const std::string_view piece : pieces) {
    if (!write_all(fd, piece)) throw IoError(path, "cannot write", errno);
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) throw IoError(path, "cannot open", errno);
  if (S_ISDIR(info.st_mode)) throw IoError(path, "cannot read", EISDIR);
  try {
    // The size is a hint only: pipes and /proc report 0, and a file may grow meanwhile.
    std::string content(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)) + 1, '\0');
    std::size_t filled = 0;
    for (;;) {
      if (filled == content.size()) content.resize(content.size() * 2 + 4096);
      const ssize_t count = ::read(file.get(), content.data() + filled, content.size() - filled);
      if (count == 0) break;
      if (count < 0 && errno != EINTR) throw IoError(path, "cannot read", errno);
      if (count > 0) filled += static_cast<std::size_t>(count);
    }
    content.resize(filled);
    return content;
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("{}: {} bytes do not fit into memory", path, info.st_size));
  } catch (const std::length_error&) {
    throw OutOfMemory(fmt::format("{}: {} bytes do not fit into memory", path, info.st_size));
  }
}

void write_file_atomically(const std::string& path, std::string_view content) {
  write_file_atomically(path, std::vector<std::string_view>{content});
}

void write_file_atomically(const std::string& path, const std::vector<std::string_view>& pieces) {
  std::error_code ignored;
  const std::string target =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored).string() : path;
  if (target.empty()) throw IoError(path, "cannot write", path.empty() ? ENOENT : ELOOP);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) throw IoError(path, "cannot write", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    Descriptor device(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0) throw IoError(path, "cannot open", errno);
    write_pieces(device.get(), pieces, path);
    if (!device.close()) throw IoError(path, "cannot write", errno);
    return;
  }

  // A short name of its own: "<target>.tmp" could pass the limit on names.
  static std::atomic<unsigned> counter{0};
  const std::string folder = folder_of(target);
  std::string temporary;
  int fd = -1;
  do {
    temporary = fmt::format("{}/.heed-{}-{}.tmp", folder, ::getpid(), counter++);
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EEXIST);
  if (fd < 0) throw IoError(path, "cannot create", errno);

  Descriptor file(fd);
  try {
    // Best effort: a file system without permissions refuses, and the content matters more.
    if (exists) static_cast<void>(::fchmod(fd, old.st_mode & 07777));
    write_pieces(fd, pieces, path);
    if (!sync(fd) || !file.close()) throw IoError(path, "cannot write", errno);
    if (std::rename(temporary.c_str(), target.c_str()) != 0) {
      throw IoError(path, "cannot replace", errno);
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(folder);
}

void sync_folder(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) {
    // A folder that may be written but not listed: its entries reach the disk a little later.
    if (errno == EACCES) return;
    throw IoError(path, "cannot open the folder", errno);
  }
  if (!sync(folder.get())) throw IoError(path, "cannot sync the folder", errno);
}

}  // namespace heed::io
