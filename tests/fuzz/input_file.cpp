#include "input_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checks.h"

namespace heed::fuzz {

InputFile::InputFile() : file_(memfd_create("input", MFD_CLOEXEC)) {
  require(file_ >= 0, "there is memory for a file");
  path_ = fmt::format("/proc/self/fd/{}", file_);
}

InputFile::~InputFile() { close(file_); }

const std::string& InputFile::write(std::string_view content) {
  require(ftruncate(file_, 0) == 0 && pwrite(file_, content.data(), content.size(), 0) ==
                                          static_cast<ssize_t>(content.size()),
          "the input can be written");
  return path_;
}

}  // namespace heed::fuzz
