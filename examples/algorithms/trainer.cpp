#include "trainer.h"

#include <fmt/format.h>

#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../optim/rate.h"
#include "../../train/run.h"

namespace algorithms {

train::Training train_solver(Solver& solver, TrainerOptions options) {
  const Task& task = task_of(solver.options.task);
  if (options.steps == 0) options.steps = task.steps;
  if (options.batch == 0) options.batch = task.batch;
  if (options.lr == 0) options.lr = task.lr;
  auto seeds =
      data::drawn([](Generator& generator) { return generator.next(); }, options.seed + 17);
  optim::AdamW adam(solver.parameters(), {.lr = options.lr, .weight_decay = options.weight_decay});
  train::RunOptions how = options.run({train::lowest(task.unit + " wrong %")},
                                      fmt::format("{}, --steps {}", task.name, options.steps));
  how.epochs = 0;
  how.steps = options.steps;
  train::Run run(solver, adam, how);
  run.schedule(optim::rate::cosine(options.steps, options.lr / 100))
      .files([&] { return files_of(solver); })
      .validate([&]() -> train::Figures {
        const Score found = evaluate(solver, options.validated, solver.trained(), options.seed);
        train::Figures out = {{task.unit + " wrong %", 100 * found.errors(), 3},
                              {task.problem + " wrong %", 100 * found.failures(), 2}};
        if (!found.extra.empty()) {
          out.push_back({found.extra, found.extra_sum / static_cast<double>(found.problems), 3});
        }
        return out;
      });
  return run(seeds, [&](std::uint64_t seed) {
    Generator generator(seed);
    return solver.loss(options.batch, solver.trained(), generator);
  });
}

}  // namespace algorithms
