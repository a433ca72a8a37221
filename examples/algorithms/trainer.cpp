// Fresh problems at each step, AdamW with a rate that falls as a cosine, the model with the fewest
// errors on problems held back kept.
#include "solver.h"

namespace algorithms {

train::Training train_solver(Solver& solver, const train::FitOptions& fit) {
  const Task& task = solver.task();
  auto batches = data::seeded_rows(fit.batch, fit.seed + 17);
  optim::AdamW adam(solver.parameters(), {.lr = fit.lr, .weight_decay = fit.weight_decay});
  train::RunOptions how = fit.run({train::lowest(task.unit + " wrong %")}, task.name);
  how.epochs = 0;
  how.steps = kEpoch * fit.epochs;
  how.every = kEpoch * task.look;
  train::Run run(solver, adam, how);
  run.schedule(optim::rate::cosine(how.steps, fit.lr / 100))
      .files([&] { return files_of(solver); })
      .validate([&] {
        return evaluate(solver, 200, solver.trained(), fit.seed).figures(task.unit, task.problem);
      });
  return run(batches, [&](const data::SeededRows& batch, const train::Moment& moment) {
    solver.done = moment.done;
    Generator generator(batch.seed);
    return solver.loss(batch.count, solver.trained(), generator);
  });
}

}  // namespace algorithms
