// A file that holds the input, for readers that take paths: in memory, one for the whole process,
// written anew for each input.
#pragma once

#include <string>
#include <string_view>

namespace heed::fuzz {

class InputFile {
 public:
  InputFile();
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Its path.
  const std::string& write(std::string_view content);

 private:
  int file_;
  std::string path_;
};

}  // namespace heed::fuzz
