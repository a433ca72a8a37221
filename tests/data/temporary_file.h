// A file of its own for one test, removed at its end.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "../support/gzip.h"

namespace heed::data {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content, const std::string& name = "file.txt")
      : folder_(std::filesystem::temp_directory_path() /
                ("heed_data_" + std::to_string(getpid()) + "_" + std::to_string(counter_++))) {
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / name).string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  std::string folder() const { return folder_.string(); }

 private:
  static inline int counter_ = 0;
  std::filesystem::path folder_;
  std::string path_;
};

using heed::gzip;

}  // namespace heed::data
