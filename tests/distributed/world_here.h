// The world of this test program: one for all tests, as MPI begins and ends once.
#pragma once

#include "../../distributed/world.h"

namespace heed::distributed {

const World& world();

}  // namespace heed::distributed
