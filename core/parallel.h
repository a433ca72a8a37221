// Work split by shape. A chunk is always `grain` items, whatever the number of threads, so results
// are the same bits for any number of them. One pool for the whole process: see thread_pool.h.
#pragma once

#include <type_traits>

#include "shape.h"

namespace heed {
/// Threads a parallel region may use: at first HEED_NUM_THREADS, else OMP_NUM_THREADS, else what
/// processors.h finds. Throws ValueError where HEED_NUM_THREADS is not in [1, 1024].
int num_threads();
/// For all threads of the process. Throws ValueError unless `threads` is in [1, 1024].
void set_num_threads(int threads);

namespace detail {
using ChunkBody = void (*)(void* context, Index begin, Index end);
void run_chunks(Index count, Index grain, ChunkBody body, void* context);
}  // namespace detail

/// Calls body(begin, end) for [0, grain), [grain, 2 grain), ... up to `count`, on any threads and
/// in any order. One chunk, or a call from inside a parallel region, runs on the calling thread,
/// and so may all chunks, one after another: a body must not wait for what another one does. If
/// bodies throw, the exception of the first such chunk comes out after all have ended.
template <class Body>
void parallel_for(Index count, Index grain, Body&& body) {
  if (count <= 0) return;
  if (count <= grain) {
    body(Index{0}, count);
    return;
  }
  using Plain = std::remove_reference_t<Body>;
  detail::run_chunks(
      count, grain,
      [](void* context, Index begin, Index end) { (*static_cast<Plain*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace heed
