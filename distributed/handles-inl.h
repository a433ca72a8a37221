// MPI's handles behind a World. Internal to distributed.
#pragma once

#include "mpi_call-inl.h"
#include "world.h"

namespace heed::distributed {

struct World::Handles {
  MPI_Comm talk = MPI_COMM_NULL;     ///< small things, one after the other
  MPI_Comm numbers = MPI_COMM_NULL;  ///< gradients, while small things are said
  /// An error left gradients on their way: those that set out now might meet them.
  mutable bool left = false;
};

}  // namespace heed::distributed
