#include "parallel.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
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
  // Each thread begins in a part of its own, the same one from call to call, so that what it used
  // last is still in its cache; then it helps with the others' parts.
  constexpr int kMostParts = 64;
  struct alignas(64) Part {
    std::atomic<Index> next;
    Index end;
  };
  Part parts[kMostParts];
  const int ways = std::min(threads, kMostParts);
  for (int p = 0; p < ways; ++p) {
    parts[p].next.store(chunks * p / ways, std::memory_order_relaxed);
    parts[p].end = chunks * (p + 1) / ways;
  }
  std::mutex mutex;
  std::exception_ptr error;
  Index failed = chunks;
#pragma omp parallel num_threads(threads)
  for (int turn = 0; turn < ways; ++turn) {
    Part& part = parts[(omp_get_thread_num() + turn) % ways];
    for (Index c; (c = part.next.fetch_add(1, std::memory_order_relaxed)) < part.end;) {
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
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace detail
}  // namespace heed
