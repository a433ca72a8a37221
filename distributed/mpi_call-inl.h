// MPI's calls, whose failures become errors of ours, one at a time. Internal to distributed.
#pragma once

#include <fmt/format.h>
#include <mpi.h>

#include <mutex>
#include <string>
#include <thread>

#include "../core/dtype.h"
#include "../core/error.h"

namespace heed::distributed {

/// Throws Error in the call's name.
inline void check(const char* call, int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(fmt::format("{}: {}", call, std::string(text, static_cast<std::size_t>(length))));
}

/// Held around each call of MPI while an UnderWay may have a thread, which calls it, too: they take
/// turns.
inline std::mutex one_at_a_time;

/// What begin(MPI_Request*) begins, to its end, with turns for others meanwhile: a process that waits
/// here for those behind it still sums up what they need.
template <class Begin>
void await(const char* call, const Begin& begin) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(one_at_a_time);
    check(call, begin(&request));
  }
  for (int done = 0; done == 0;) {
    {
      const std::lock_guard lock(one_at_a_time);
      check(call, MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
    if (done == 0) std::this_thread::yield();
  }
}

/// MPI counts in ints. Throws ValueError for more.
inline int count_of(const char* call, Index count) {
  if (count < 0 || count > 0x7fffffff) {
    throw ValueError(fmt::format("{}: {} elements are more than MPI sends at once", call, count));
  }
  return static_cast<int>(count);
}

inline MPI_Datatype type_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return MPI_FLOAT;
    case DType::f64: return MPI_DOUBLE;
    case DType::i64: return MPI_INT64_T;
    case DType::bf16: return MPI_UINT16_T;
    case DType::boolean: return MPI_BYTE;
  }
  return MPI_BYTE;
}

}  // namespace heed::distributed
