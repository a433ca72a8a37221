// algorithms train | evaluate | run: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../autograd/grad_mode.h"
#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "trainer.h"

namespace algorithms {
namespace {

using command_line::at_most;

struct Flags {
  ModelOptions model;
  TrainerOptions trainer;
  std::string report, picture;  // files
  Index length = 0, problems = 500, shown = 0;
  int threads = 0;
  bool quick = false;
};

// Evaluate, print, draw, report; the last line is the one that scripts read.
void conclude(Solver& solver, const train::Training& training, const Flags& flags) {
  const Task& task = task_of(solver.options.task);
  const Lengths trained = solver.trained();
  const Index tested = flags.length > 0 ? flags.length : std::max(task.tested, trained.longest);
  train::Report report("Algorithms: " + task.name);
  std::string last;
  const auto look = [&](const Lengths& lengths) {
    const Score found = evaluate(solver, flags.problems, lengths, flags.trainer.seed + 1);
    const std::string of = lengths.shortest == lengths.longest
                               ? fmt::format("length {}", lengths.longest)
                               : fmt::format("lengths {} to {}", lengths.shortest, lengths.longest);
    last = fmt::format("{}: {} wrong {} %, {} wrong {} %", of, task.unit,
                       train::percent(found.errors(), 3), task.problem,
                       train::percent(found.failures(), 2));
    if (!found.extra.empty()) {
      last += fmt::format(", {} {:.3f}", found.extra,
                          found.extra_sum / static_cast<double>(found.problems));
    }
    report.add_fact(of, last.substr(of.size() + 2));
  };
  look(trained);
  if (trained.shortest < tested || trained.longest > tested) {
    fmt::print("{}\n", last);
    look({tested, tested});
  }
  report.add_fact("model", solver.options.plain ? "plain " + task.kind : task.kind);
  report.add_fact("parameters", std::to_string(solver.parameter_count()));
  train::add_curves(report, training, "step");
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  const std::string picture =
      flags.picture.empty() ? flags.trainer.out + "/" + task.name + ".png" : flags.picture;
  Generator generator(flags.trainer.seed + 2);
  const NoGrad scope;
  train::write_png(picture, solver.picture(flags.shown > 0 ? flags.shown : tested, generator));
  fmt::print("where it looked: {}\n{}  report {}\n", picture, last, path);
}

void train_command(Flags& flags) {
  std::unique_ptr<Solver> solver =
      flags.trainer.resume ? load_solver(flags.trainer.out) : make_solver(flags.model);
  solver->train();
  const Task& task = task_of(solver->options.task);
  fmt::print("{}: lengths {} to {}, {}{}, {} parameters\n", task.name, solver->options.shortest,
             solver->options.longest, solver->options.plain ? "plain " : "", task.kind,
             solver->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_solver(*solver, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(*solver, training, flags);
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Networks that learn algorithms");
  CLI::App* train = app.add_subcommand("train", "learn a task, evaluate, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "evaluate a trained model, draw, report");
  CLI::App* ask = app.add_subcommand("run", "answer problems, one a line; README.md says how");
  for (CLI::App* each : {train, test}) {
    command_line::add_seed(*each, flags.trainer.seed);
    command_line::add_size(*each, "--length", flags.length, 0, 1 << 10,
                           "of the problems to test on; 0: the task's");
    command_line::add_size(*each, "--problems", flags.problems, 1, "to test on");
    command_line::add_size(*each, "--shown", flags.shown, 0, 1 << 10,
                           "length of the problem in the picture; 0: as --length");
    command_line::add_report(*each, flags.report);
    each->add_option("--picture", flags.picture, "the file of where it looked, a PNG");
  }
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.model, flags.trainer);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "shorter problems and fewer steps: a trial in seconds");
  for (CLI::App* each : {test, ask}) command_line::add_folder(*each, "--model", flags.trainer.out);
  for (CLI::App* each : {train, test, ask}) command_line::add_threads(*each, flags.threads);
  return command_line::run("algorithms", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    if (*train) train_command(flags);
    if (*test) conclude(*load_solver(flags.trainer.out), {}, flags);
    if (*ask) {
      const auto solver = load_solver(flags.trainer.out);
      const NoGrad scope;
      command_line::for_lines("a problem a line", [&](const std::string& line) {
        fmt::print("{}\n", solver->answer(line));
        std::fflush(stdout);
      });
    }
  });
}

}  // namespace
}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run(argc, argv); }
