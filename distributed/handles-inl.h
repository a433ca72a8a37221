// MPI's handles behind a World. Internal to distributed.
#pragma once

#include <mutex>
#include <thread>

#include "mpi_call-inl.h"
#include "world.h"

namespace heed::distributed {

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

struct World::Handles {
  MPI_Comm talk = MPI_COMM_NULL;     ///< small things, one after the other
  MPI_Comm numbers = MPI_COMM_NULL;  ///< gradients, while small things are said
  MPI_Comm sums = MPI_COMM_NULL;     ///< of them, while further ones set out
  bool threads = false;              ///< another than the one that made the world may call
  /// An error left gradients on their way: those that set out now might meet them.
  mutable bool left = false;
  /// Gradients are under way, and no others may set out beside them.
  mutable bool under_way = false;

  std::vector<MPI_Comm*> all() { return {&talk, &numbers, &sums}; }
};

/// MPI has numbers below 0 for anybody, and for nobody. Throws ValueError.
void check_process(const char* op, Index process, Index size);

/// World::broadcast() of numbers that are alike everywhere, which nobody compares.
void spread(const World& world, Array& numbers, Index from);

}  // namespace heed::distributed
