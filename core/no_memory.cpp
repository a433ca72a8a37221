#include "no_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "error.h"

namespace heed {

void throw_no_memory(std::size_t bytes, std::size_t held) {
  rlimit limit{};
  const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  throw OutOfMemory(
      fmt::format("allocate: the system has no {} bytes more: {} held{}", bytes, held,
                  limited ? fmt::format(", the process may have {} (ulimit -v)", limit.rlim_cur)
                          : std::string()));
}

void throw_no_memory(const char* op, Index count, const char* what) {
  throw OutOfMemory(fmt::format("{}: {} {} do not fit into memory", op, count, what));
}

}  // namespace heed
