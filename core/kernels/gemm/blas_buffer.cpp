#include "blas_buffer.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "../../error.h"
#include "../../pages.h"

namespace heed::kernels {
namespace {

constexpr std::size_t kBuffer = std::size_t{128} << 20;
constexpr std::size_t kSlack = std::size_t{1} << 20;

constinit thread_local bool t_checked = false;

}  // namespace

void check_blas_buffer() {
  if (t_checked) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    void* pages = map_pages(kBuffer + kSlack);
    if (pages == nullptr) {
      throw OutOfMemory(
          fmt::format("matmul: OpenBLAS needs {} bytes for each thread that calls it, the process "
                      "may have {} in all (ulimit -v)",
                      kBuffer, limit.rlim_cur));
    }
    unmap_pages(pages, kBuffer + kSlack);
  }
  t_checked = true;
}

}  // namespace heed::kernels
