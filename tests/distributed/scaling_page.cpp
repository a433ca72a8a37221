// The program of docs/scaling.md, compiled: World may be made once a process, which main.cpp does.
#include "../../distributed/distributed.h"

namespace heed {

void program_of_the_page(int argc, char** argv) {
  const heed::distributed::World world(argc, argv);
  const heed::distributed::Processes processes(world, {.pieces = 4});
}

}  // namespace heed
