// Fresh problems at each step, AdamW with a rate that falls as a cosine, the model with the fewest
// errors on problems held back kept.
#include <algorithm>

#include "solver.h"

namespace algorithms {
namespace {

// Of a task that begins with short problems: the longest come in the second half of the training.
Lengths lengths_at(const Solver& solver) {
  Lengths out = solver.trained();
  const auto more = static_cast<double>(out.longest - out.shortest);
  if (solver.task().grows) {
    const auto so_far = static_cast<Index>(more * 2 * solver.done);
    out.longest = std::min(out.longest, out.shortest + std::max<Index>(1, so_far));
  }
  return out;
}

}  // namespace

train::Training train_solver(Solver& solver, const train::FitOptions& fit) {
  const Task& task = solver.task();
  auto seeds = data::drawn([](Generator& generator) { return generator.next(); }, fit.seed + 17);
  optim::AdamW adam(solver.parameters(), {.lr = fit.lr, .weight_decay = fit.weight_decay});
  train::RunOptions how = fit.run({train::lowest(task.unit + " wrong %")}, task.name);
  how.epochs = 0;
  how.steps = kEpoch * fit.epochs;
  how.every = kEpoch;
  train::Run run(solver, adam, how);
  run.schedule(optim::rate::cosine(how.steps, fit.lr / 100))
      .files([&] { return files_of(solver); })
      .validate([&] {
        return evaluate(solver, 200, solver.trained(), fit.seed).figures(task.unit, task.problem);
      });
  return run(seeds, [&](std::uint64_t seed, const train::Moment& moment) {
    solver.done = moment.done;
    Generator generator(seed);
    return solver.loss(fit.batch, lengths_at(solver), generator);
  });
}

}  // namespace algorithms
