#include "solver.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../core/error.h"
#include "../../io/saved_model.h"

namespace algorithms {

const std::vector<Task>& tasks() {
  static const std::vector<Task> all = {
      {"copy", "machine", "bits", "sequences", 100, 1, 20, 40, 4000, 16, 1e-3},
      {"repeat_copy", "machine", "bits", "sequences", 100, 1, 10, 20, 4000, 16, 1e-3},
      {"recall", "machine", "bits", "sequences", 100, 2, 6, 12, 10000, 16, 1e-3},
      {"sort", "machine", "bits", "sequences", 100, 20, 20, 20, 10000, 16, 1e-3},
      {"parity", "ponderer", "answers", "vectors", 128, 1, 16, 16, 10000, 128, 1e-3},
      {"addition", "ponderer", "digits", "sequences", 512, 1, 5, 5, 10000, 32, 1e-3},
      {"pointer_sort", "pointing", "places", "lists", 64, 5, 10, 15, 4000, 64, 2e-3},
      {"hull", "pointing", "places", "sets", 128, 5, 20, 30, 10000, 64, 1e-3},
      {"tables", "programming", "answers", "questions", 64, 30, 100, 120, 10000, 32, 2e-3},
  };
  return all;
}

const Task& task_of(const std::string& name) {
  const auto found = std::find_if(tasks().begin(), tasks().end(),
                                  [&](const Task& task) { return task.name == name; });
  if (found == tasks().end()) throw ValueError(fmt::format("there is no task {}", name));
  return *found;
}

void ModelOptions::fields(io::Fields& f) {
  std::vector<std::string> names;
  for (const Task& each : tasks()) names.push_back(each.name);
  f.choice("task", task, names, "what is learned");
  f.flag("plain", plain, "the baseline: without memory, pondering, pointers or operations");
  f.size("hidden", hidden, 0, 1 << 12, "units of the networks; 0: the task's own number");
  f.size("shortest", shortest, 0, 1 << 10, "problem to train on; 0: the task's");
  f.size("longest", longest, 0, 1 << 10, "problem to train on; 0: the task's");
  f.size("bits", bits, 1, 64, "of a vector");
  f.size("slots", slots, 1, 1 << 12, "of the Turing machine's memory");
  f.size("slot_width", slot_width, 1, 1 << 10, "numbers in each");
  f.flag("recurrent", recurrent, "the Turing machine's controller is an LSTM, else one layer");
  f.number("ponder", ponder, 0, 1, "the price of a step of pondering");
  f.size("most_steps", most_steps, 1, 1000, "that it may ponder");
  f.size("columns", columns, 1, 20, "of a table");
  f.size("operations", operations, 1, 20, "that a neural programmer does, one after the other");
}

void Score::add(const Score& more) {
  wrong += more.wrong;
  count += more.count;
  failed += more.failed;
  problems += more.problems;
  extra = more.extra;
  extra_sum += more.extra_sum;
}

std::unique_ptr<Solver> make_solver(ModelOptions o) {
  const Task& task = task_of(o.task);
  if (o.hidden == 0) o.hidden = task.hidden;
  if (o.shortest == 0)
    o.shortest = o.longest == 0 ? task.shortest : std::min(task.shortest, o.longest);
  if (o.longest == 0) o.longest = std::max(task.longest, o.shortest);
  io::check_fields(o);
  if (o.shortest > o.longest) {
    throw ValueError(fmt::format("shortest {} is above longest {}", o.shortest, o.longest));
  }
  if (task.kind == "machine") return make_machine(o);
  if (task.kind == "ponderer") return make_ponderer(o);
  if (task.kind == "pointing") return make_pointing(o);
  return make_programming(o);
}

io::DirectoryFiles files_of(const Solver& solver) {
  return io::ModelFiles("algorithms").options(solver.options).weights(solver);
}

std::unique_ptr<Solver> load_solver(const std::string& folder) {
  const io::ModelFolder saved(folder, "algorithms");
  return saved.make_by([&] { return make_solver(saved.options<ModelOptions>()); });
}

Score evaluate(Solver& solver, Index problems, const Lengths& lengths, std::uint64_t seed) {
  const NoGrad scope;
  solver.eval();
  Generator generator(seed + 0xa1607);
  Score out;
  constexpr Index kBatch = 20;
  for (Index done = 0; done < problems; done += kBatch) {
    out.add(solver.score(std::min(kBatch, problems - done), lengths, generator));
  }
  return out;
}

}  // namespace algorithms
