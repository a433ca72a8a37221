// A folder of the test's own, gone at its end.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heed {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& above = std::filesystem::temp_directory_path()) {
    // Without symbolic links: what a descriptor's file is called has none either.
    std::string name = (std::filesystem::canonical(above) / "heed-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no folder " + name + " can be made: " + std::strerror(errno));
    }
    path_ = name;
  }
  /// Where thousands of saves take no time, if there is such a place.
  static std::filesystem::path memory() {
    std::error_code ignored;
    return std::filesystem::is_directory("/dev/shm", ignored)
               ? "/dev/shm"
               : std::filesystem::temp_directory_path();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

  /// Plain streams, so that what is tested does not test itself.
  static void put(const std::string& path, std::string_view content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  /// Of a file here; returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    put(*this / name, content);
    return *this / name;
  }
  static std::string get(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heed
