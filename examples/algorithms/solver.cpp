#include "solver.h"

#include <fmt/format.h>

#include <algorithm>

namespace algorithms {
namespace {

const std::vector<Task>& tasks() {
  static const std::vector<Task> all = {
      {"copy", "machine", "bits", "sequences", 100, {1, 20}, 40, 150, 4, 1e-3, 10, 1, 5},
      {"repeat_copy", "machine", "bits", "sequences", 100, {1, 10}, 20, 1000, 1, 1e-3, 10},
      {"recall", "machine", "bits", "sequences", 100, {2, 6}, 12, 200, 4, 1e-3, 10},
      {"sort", "machine", "bits", "sequences", 512, {20, 20}, 20, 2000, 1, 3e-4, 10, 8},
      {"parity", "ponderer", "answers", "vectors", 128, {1, 16}, 0, 100, 128, 1e-3, 10},
      {"addition", "ponderer", "digits", "sequences", 128, {1, 5}, 5, 400, 8, 1e-3, 10},
      {"pointer_sort", "pointing", "places", "lists", 64, {5, 10}, 15, 60, 64, 2e-3, 10},
      {"hull", "pointing", "places", "sets", 128, {5, 10}, 15, 100, 64, 2e-3, 10},
      {"tables", "programming", "answers", "questions", 32, {2, 8}, 120, 400, 32, 5e-3, 1},
  };
  return all;
}

}  // namespace

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
  f.size("heads", heads, 0, 64, "of the machine that read, and as many that write; 0: the task's");
  f.flag("recurrent", recurrent, "the Turing machine's controller is an LSTM, else one layer");
  f.number("ponder", ponder, 0, 1, "the price of a step of pondering");
  f.size("columns", columns, 1, data::kMostColumns, "of a table");
}

const Task& task_of(const std::string& name) {
  return *std::find_if(tasks().begin(), tasks().end(),
                       [&](const Task& each) { return each.name == name; });
}

std::unique_ptr<Solver> make_solver(ModelOptions o) {
  io::check_fields(o);
  const Task& task = task_of(o.task);
  const auto replace = [](Index& value, Index by) { value = value == 0 ? by : value; };
  replace(o.hidden, task.hidden);
  replace(o.heads, task.heads);
  replace(o.longest, std::max(task.trained.longest, o.shortest));
  replace(o.shortest, std::min(task.trained.shortest, o.longest));
  if (o.shortest > o.longest)
    throw ValueError(fmt::format("shortest {} is above longest {}", o.shortest, o.longest));
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

train::Tally evaluate(Solver& solver, Index problems, const Lengths& lengths, std::uint64_t seed) {
  const NoGrad scope;
  solver.eval();
  Generator generator(seed + 0xa1607);
  train::Tally out;
  while (out.answers < problems)
    out.add(solver.score(std::min<Index>(20, problems - out.answers), lengths, generator));
  return out;
}

}  // namespace algorithms
