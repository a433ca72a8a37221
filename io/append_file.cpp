#include "append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "../core/error.h"
#include "read_only.h"
#include "size_limit.h"

namespace heed::io {

AppendFile::AppendFile(const std::string& path) : path_(path) {
  if (read_only()) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code code;
  if (!folder.empty()) std::filesystem::create_directories(folder, code);
  if (code) throw IoError(folder.string(), "cannot create the folder", code.value());
  reopen();
}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

void AppendFile::reopen() {
  if (read_only()) return;
  const int fd = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) throw IoError(path_, "cannot open", errno);
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

void AppendFile::take_back(std::size_t bytes) {
  if (bytes == 0 || fd_ < 0 || read_only()) return;
  const off_t end = ::lseek(fd_, 0, SEEK_END), most = static_cast<off_t>(bytes);
  if (end >= most && ::ftruncate(fd_, end - most) != 0) {
    throw IoError(path_, "cannot write", errno);
  }
}

void AppendFile::append(std::string_view bytes) {
  if (fd_ < 0 || read_only()) return;
  const off_t before = ::lseek(fd_, 0, SEEK_END);  // -1 for a pipe, where nothing is taken back
  const SizeLimitIsAnError scope;
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int why = errno;
      if (before >= 0 && ::ftruncate(fd_, before) != 0) {
        // What is there of it stays: the error that is thrown says that the file is not whole.
      }
      throw IoError(path_, "cannot write", why);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace heed::io
