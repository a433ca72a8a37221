#include "file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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
#include "abandoned.h"
#include "read_only.h"
#include "size_limit.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

// A system call again while signals cut it short.
template <class Call>
auto uninterrupted(Call&& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

int open_file(const std::string& path, int flags, mode_t mode = 0) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
}

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
    return ::close(fd) == 0 || errno == EINTR;  // which on Linux has closed it
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  const SizeLimitIsAnError scope;
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Some file systems and devices cannot sync and say so; that is no failure to write.
bool sync(int fd) {
  return uninterrupted([&] { return ::fsync(fd); }) == 0 || errno == EINVAL || errno == ENOTSUP;
}

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

fs::path without_links(fs::path path, std::error_code& error) {
  error.clear();
  for (int links = 0; !error && fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    if (links == 40) {
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    } else {
      path = path.parent_path() / fs::read_symlink(path, error);
    }
  }
  return path;
}

std::string read_file(const std::string& path, std::size_t longest_stream) {
  Descriptor file(open_file(path, O_RDONLY));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) throw IoError(path, "cannot open", errno);
  if (S_ISDIR(info.st_mode)) throw IoError(path, "cannot read", EISDIR);
  try {
    // The size is a hint only: pipes and /proc report 0, and a file may grow meanwhile.
    std::string content(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)) + 1, '\0');
    std::size_t filled = 0;
    for (;;) {
      if (filled == content.size()) content.resize(content.size() * 2 + 4096);
      const ssize_t count = uninterrupted(
          [&] { return ::read(file.get(), content.data() + filled, content.size() - filled); });
      if (count < 0) throw IoError(path, "cannot read", errno);
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
      if (filled > longest_stream && !S_ISREG(info.st_mode)) {
        throw IoError(path, "cannot read", EFBIG);
      }
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
  if (read_only()) return;
  if (path.empty()) throw IoError(path, "cannot write", ENOENT);
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) throw IoError(path, "cannot write", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    Descriptor device(open_file(path, O_WRONLY));
    if (device.get() < 0) throw IoError(path, "cannot open", errno);
    write_pieces(device.get(), pieces, path);
    if (!device.close()) throw IoError(path, "cannot write", errno);
    return;
  }
  std::error_code error;
  const std::string target = without_links(path, error).string();
  if (error && error.value() != ENOENT) throw IoError(path, "cannot write", error.value());

  // A short name of its own: "<target>.tmp" could pass the limit on names.
  static std::atomic<unsigned> counter{0};
  const std::string folder = folder_of(target);
  std::string temporary;
  int fd = -1;
  do {
    temporary =
        fmt::format("{}/{}{}-{}{}", folder, kTemporaryBegin, ::getpid(), counter++, kTemporaryEnd);
    fd = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
  } while (fd < 0 && errno == EEXIST);
  if (fd < 0) throw IoError(path, "cannot create", errno);

  Descriptor file(fd);
  static_cast<void>(::flock(fd, LOCK_EX | LOCK_NB));  // for is_abandoned()
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
  remove_abandoned(folder);
}

void write_new_file(const std::string& path, std::string_view content) {
  Descriptor file(open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0666));
  if (file.get() < 0) throw IoError(path, "cannot create", errno);
  if (write_all(file.get(), content) && sync(file.get()) && file.close()) return;
  const int code = errno;
  ::unlink(path.c_str());
  throw IoError(path, "cannot write", code);
}

void copy_to_new_file(const std::string& from, const std::string& to) {
  Descriptor in(open_file(from, O_RDONLY | O_NOFOLLOW));
  struct stat info {};
  if (in.get() < 0 || ::fstat(in.get(), &info) != 0) throw IoError(from, "cannot open", errno);
  Descriptor out(open_file(to, O_WRONLY | O_CREAT | O_EXCL, 0600));
  if (out.get() < 0) throw IoError(to, "cannot create", errno);
  std::string block(1 << 20, '\0');
  ssize_t count = 0;
  bool written = true;
  do {
    count = uninterrupted([&] { return ::read(in.get(), block.data(), block.size()); });
    if (count > 0) {
      written = write_all(out.get(), {block.data(), static_cast<std::size_t>(count)});
    }
  } while (count > 0 && written);
  if (count == 0 && written) {
    const timespec times[2] = {info.st_atim, info.st_mtim};
    static_cast<void>(::fchmod(out.get(), info.st_mode & 07777));
    if (::futimens(out.get(), times) == 0 && sync(out.get()) && out.close()) return;
  }
  const int code = errno;
  ::unlink(to.c_str());
  throw IoError(count < 0 ? from : to, "cannot copy", code);
}

bool is_abandoned(const std::string& path) { return is_abandoned_at(AT_FDCWD, path.c_str()); }

void sync_folder(const std::string& path) {
  Descriptor folder(open_file(path, O_RDONLY | O_DIRECTORY));
  if (folder.get() < 0) {
    // A folder that may be written but not listed: its entries reach the disk a little later.
    if (errno == EACCES) return;
    throw IoError(path, "cannot open the folder", errno);
  }
  if (!sync(folder.get())) throw IoError(path, "cannot sync the folder", errno);
}

}  // namespace heed::io
