// What this process has open.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <iterator>

namespace heed {

inline auto open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// Files that are opened meanwhile take the number that standard input had, 0.
class WithoutStandardInput {
 public:
  WithoutStandardInput() : kept_(::dup(0)) { ::close(0); }
  ~WithoutStandardInput() {
    ::dup2(kept_, 0);
    ::close(kept_);
  }
  WithoutStandardInput(const WithoutStandardInput&) = delete;
  WithoutStandardInput& operator=(const WithoutStandardInput&) = delete;

 private:
  int kept_;
};

}  // namespace heed
