#include "shared_out.h"

#include <cstdlib>

#include "../core/error.h"
#include "../core/parallel.h"

#ifdef HEED_WITH_MPI
#include <algorithm>
#include <exception>
#include <string>
#include <thread>

#include "../distributed/processes.h"
#include "../train/team.h"
#endif

namespace command_line {

void SharedOut::add_flags(CLI::App& app) {
  app_ = &app;
  CLI::Option* const shared = app.add_flag(
      "--distributed", on_, "share the training with the other processes that mpirun began");
  app.add_option("--pieces", pieces_,
                 "of each batch, when distributed: as many as processes, or more; what comes out "
                 "depends on them, not on the processes")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str()
      ->needs(shared);
  app.add_flag("--plain-sums", plain_sums_,
               "gradients are added as MPI likes: other numbers for each number of processes")
      ->needs(shared);
}

void SharedOut::run(const char* program, const std::function<void()>& body) const {
  if (!on_) {
    const char* processes = std::getenv("OMPI_COMM_WORLD_SIZE");
    if (processes != nullptr && std::atoi(processes) > 1) {
      throw heed::ValueError("mpirun began several of these: that is for train --distributed");
    }
    return body();
  }
#ifdef HEED_WITH_MPI
  const heed::distributed::World world;
  try {
    const heed::distributed::Processes processes(
        world,
        {.pieces = pieces_,
         .sums = plain_sums_ ? heed::distributed::Sums::plain : heed::distributed::Sums::exact});
    const auto here = static_cast<int>(world.size_here());
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    if (heed::num_threads() * here > cores) heed::set_num_threads(std::max(1, cores / here));
    heed::train::check_alike("options", world.gather(app_->config_to_str(true)));
    body();
  } catch (const std::exception& error) {
    world.fail(std::string(program) + ": " + error.what());
  }
#else
  static_cast<void>(program);
  throw heed::ValueError("--distributed: the library was built without MPI (HEED_WITH_MPI)");
#endif
}

}  // namespace command_line
