#include "parallel.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "error.h"

namespace heed {

int num_threads() { return omp_get_max_threads(); }

void set_num_threads(int threads) {
  if (threads < 1 || threads > 1024) {
    throw ValueError(fmt::format("set_num_threads: {} is not in [1, 1024]", threads));
  }
  omp_set_num_threads(threads);
}

namespace detail {

void run_chunks(Index count, Index grain, ChunkBody body, void* context) {
  if (grain < 1) throw ValueError(fmt::format("parallel_for: grain {} must be positive", grain));
  const Index chunks = (count - 1) / grain + 1;
  const int threads =
      omp_in_parallel() ? 1 : static_cast<int>(std::min<Index>(chunks, num_threads()));
  if (threads == 1) {
    for (Index c = 0; c < chunks; ++c) body(context, c * grain, std::min(count, (c + 1) * grain));
    return;
  }
  std::mutex mutex;
  std::exception_ptr error;
  Index failed = chunks;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index c = 0; c < chunks; ++c) {
    try {
      body(context, c * grain, std::min(count, (c + 1) * grain));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (c < failed) {
        failed = c;
        error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace detail
}  // namespace heed
