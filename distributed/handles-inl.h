// MPI's handles behind a World. Internal to distributed.
#pragma once

#include "mpi_call-inl.h"
#include "world.h"

namespace heed::distributed {

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
