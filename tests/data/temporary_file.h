// A file of its own for one test, removed at its end.
#pragma once

#include <string>
#include <string_view>

#include "../io/temporary_folder.h"
#include "../support/gzip.h"

namespace heed::data {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content, const std::string& name = "file.txt")
      : path_(folder_.write(name, content)) {}

  const std::string& path() const { return path_; }
  std::string folder() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

using heed::gzip;

}  // namespace heed::data
