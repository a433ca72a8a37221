// Our side of the row mpi: the row transformer's step in each of several processes, every one with
// a batch of its own, their gradients summed. Rows link_N: N bytes from each of two to the other.
#include <cstdio>
#include <thread>

#include "../distributed/gradient_sum.h"
#include "../distributed/handles-inl.h"
#include "../optim/adam.h"
#include "mpi.h"
#include "protocol.h"
#include "transformer_network.h"

namespace {

using namespace heed;
using distributed::World;

// What the first was asked, said on; the others wait without spinning, so that what takes turns
// with them finds the processors free.
bool more(const World& world, bool wanted) {
  char said = wanted ? 1 : 0;
  MPI_Comm all = world.handles().talk;
  if (world.rank() == 0) {
    for (int to = 1; to < static_cast<int>(world.size()); ++to)
      MPI_Send(&said, 1, MPI_CHAR, to, 1, all);
    return wanted;
  }
  for (int there = 0; there == 0;) {
    MPI_Iprobe(0, 1, all, &there, MPI_STATUS_IGNORE);
    if (there == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  MPI_Recv(&said, 1, MPI_CHAR, 0, 1, all, MPI_STATUS_IGNORE);
  return said != 0;
}

template <class Step>
int serve_all(const World& world, const bench::Options& options, const Step& step) {
  if (world.rank() > 0) {
    while (more(world, false)) step();
    return 0;
  }
  const int code = bench::serve(options, [&] {
    more(world, true);
    return step();
  });
  more(world, false);
  return code;
}

// As many times as takes some milliseconds.
int exchange(const World& world, const bench::Options& options, std::size_t bytes) {
  const std::vector<char> out(bytes, 1);
  std::vector<char> in(bytes);
  const int other = world.rank() == 0 ? 1 : 0;
  return serve_all(world, options, [&] {
    for (int i = 0; i < bench::mpi::times(bytes); ++i) {
      MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_CHAR, other, 2, in.data(),
                   static_cast<int>(bytes), MPI_CHAR, other, 2, world.handles().numbers,
                   MPI_STATUS_IGNORE);
    }
    return 0.0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  const World world(argc, argv);
  if (options.row.starts_with("link_")) {
    return exchange(world, options, std::stoul(options.row.substr(5)));
  }
  bench::transformer::Network network;
  bench::fill_weights(network, bench::transformer::weights());
  const bench::transformer::Batch batch;
  optim::Adam adam(network.parameters(), {.lr = bench::transformer::kLearningRate});
  distributed::GradientKinds kinds;
  const auto step = [&] {
    adam.zero_grad();
    const Tensor loss = batch.loss(network) * (1.0 / static_cast<double>(world.size()));
    distributed::GradientSum sum(world, network.parameters(), world.size(), kinds);
    sum.add(loss, world.rank());
    kinds = sum.finish();
    adam.step();
    return loss.item() * static_cast<double>(world.size());
  };
  return serve_all(world, options, step);
}
