// The program of docs/scaling.md, compiled: World may be made once a process, which main.cpp does.
#include "../../data/shards.h"
#include "../../data/stream.h"
#include "../../distributed/distributed.h"

namespace heed {

void program_of_the_page(int argc, char** argv) {
  const heed::distributed::World world(argc, argv);
  const heed::distributed::Processes processes(world, {.pieces = 4});
}

void data_of_the_page(const data::Shards<std::string>& reviews) {
  const auto batch_of = [](std::vector<std::string> some) { return some; };
  auto batches = data::streamed(reviews, batch_of, {.size = 64, .buffer = 100000, .parts = 4});
}

}  // namespace heed
