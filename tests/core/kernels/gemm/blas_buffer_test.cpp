// What a thread's first call of BLAS needs, where the process may have little.
#include "../../../../core/kernels/gemm/blas_buffer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <thread>

#include "../../../../core/error.h"
#include "../../../../core/pages.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// This process's address space, and no more than so many bytes beside it, while it lives.
class Room {
 public:
  explicit Room(std::uint64_t bytes) : limit(address_space() + bytes) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{limit, before_.rlim_max};
    kept = limit > bytes && setrlimit(RLIMIT_AS, &now) == 0;
  }
  ~Room() { setrlimit(RLIMIT_AS, &before_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  std::uint64_t limit;
  bool kept;

 private:
  rlimit before_{};
};

constexpr std::uint64_t kMegabyte = 1048576;

bool limits_are_kept() {
  const Room room(64 * kMegabyte);
  void* const pages = room.kept ? map_pages(1 << 30) : nullptr;
  if (pages != nullptr) unmap_pages(pages, 1 << 30);
  return room.kept && pages == nullptr;
}

TEST(BlasBuffer, IsAskedForOnceByEachThreadAndGivenBack) {
  if (!limits_are_kept()) GTEST_SKIP() << "a limit of address space is not kept here";
  for (int thread = 0; thread < 3; ++thread) {
    std::thread([] {
      {
        const Room room(64 * kMegabyte);
        EXPECT_ERROR(OutOfMemory,
                     fmt::format("matmul: OpenBLAS needs 134217728 bytes for each thread that "
                                 "calls it, the process may have {} in all (ulimit -v)",
                                 room.limit),
                     check_blas_buffer());
      }
      {
        const std::uint64_t before = address_space();
        const Room room(224 * kMegabyte);
        EXPECT_NO_THROW(check_blas_buffer());
        EXPECT_LT(address_space(), before + 64 * kMegabyte);
      }
      const Room room(64 * kMegabyte);
      EXPECT_NO_THROW(check_blas_buffer());  // the thread has its buffer
    }).join();
  }
}

}  // namespace
}  // namespace heed::kernels
