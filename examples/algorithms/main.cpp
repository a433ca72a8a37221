// algorithms train | evaluate | run: see README.md.

#include <fmt/format.h>

#include "../command_line.h"
#include "solver.h"

namespace algorithms {
namespace {

struct Flags {
  ModelOptions model;
  train::FitOptions trainer = {.weight_decay = 0};
  std::string report, picture;  // files
  Index length = 0, problems = 500;
  int threads = 0;
  bool quick = false;
};

// Evaluate, print, draw, report; the last line is the one that scripts read.
void conclude(Solver& solver, const train::Training& training, const Flags& flags) {
  const Task& task = solver.task();
  const Lengths trained = solver.trained();
  const Index tested = flags.length > 0 ? flags.length : std::max(task.tested, trained.longest);
  train::Report report("Algorithms: " + task.name);
  for (const Lengths& lengths : {trained, Lengths{tested, tested}}) {
    const train::Tally found = evaluate(solver, flags.problems, lengths, flags.trainer.seed + 1);
    std::string text;
    for (const train::Figure& each : found.figures(task.unit, task.problem))
      text += fmt::format("  {} {:.{}f}", each.name, each.value, each.digits);
    const std::string of = fmt::format("lengths {} to {}", lengths.shortest, lengths.longest);
    report.add_fact(of, text);
    fmt::print("{}{}\n", of, text);
  }
  report.add_fact("model", (solver.options.plain ? "plain " : "") + task.kind);
  report.add_fact("parameters", std::to_string(solver.parameter_count()));
  train::add_curves(report, training, "step");
  const std::string path = command_line::report_path(flags.report, flags.trainer.out),
                    own = flags.trainer.out + "/" + task.name + ".png",
                    picture = flags.picture.empty() ? own : flags.picture;
  report.save(path);
  Generator generator(flags.trainer.seed + 2);
  const NoGrad scope;
  train::write_png(picture, solver.picture(tested, generator));
  fmt::print("where it looked: {}  report {}\n", picture, path);
}

void train_command(const CLI::App& app, Flags& flags) {
  std::unique_ptr<Solver> solver = make_solver(flags.model);
  const ModelOptions asked = solver->options;  // a 0 is the task's
  if (flags.trainer.resume) solver = load_solver(flags.trainer.out);
  command_line::check_resumed(app, asked, solver->options);
  if (flags.length > 0) evaluate(*solver, 1, {flags.length, flags.length}, 1);  // refused now
  solver->train();
  const Task& task = solver->task();
  if (app.count("--epochs") == 0) flags.trainer.epochs = task.epochs;
  if (app.count("--batch") == 0) flags.trainer.batch = task.batch;
  if (app.count("--lr") == 0) flags.trainer.lr = task.lr;
  if (app.count("--clip") == 0) flags.trainer.clip = task.clip;
  if (flags.quick) command_line::at_most(flags.trainer.epochs, 10);
  fmt::print("{}: {}, {} parameters\n", task.name, task.kind, solver->parameter_count());
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
    command_line::add_report(*each, flags.report);
    each->add_option("--picture", flags.picture, "the file of where it looked, a PNG");
  }
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.model, flags.trainer);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "fewer steps: a trial in seconds");
  for (CLI::App* each : {test, ask}) command_line::add_folder(*each, "--model", flags.trainer.out);
  for (CLI::App* each : {train, test, ask}) command_line::add_threads(*each, flags.threads);
  return command_line::run("algorithms", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    if (*train) train_command(*train, flags);
    if (*test) conclude(*load_solver(flags.trainer.out), {}, flags);
    if (!*ask) return;
    const auto solver = load_solver(flags.trainer.out);
    const NoGrad scope;
    command_line::for_lines("a problem a line", [&](const std::string& line) {
      fmt::print("{}\n", solver->answer(line));
      std::fflush(stdout);
    });
  });
}

}  // namespace
}  // namespace algorithms

int main(int argc, char** argv) { return algorithms::run(argc, argv); }
