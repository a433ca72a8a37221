// babi train | ask: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../core/number_in.h"
#include "../../data/generated/stories.h"
#include "../../data/line_reader.h"
#include "../../train/interrupt.h"
#include "../../train/percent.h"
#include "../command_line.h"
#include "listener.h"
#include "trials.h"

namespace babi {
namespace {

struct Flags {
  CorpusOptions corpus;
  TrialOptions trials;
  std::string task = "joint";
  int threads = 0;
  bool quick = false;
  std::string folder = "model";
};

std::vector<int> numbers_of(const Flags& flags) {
  std::vector<int> out;
  if (flags.task == "all" || flags.task == "joint") {
    const int count = flags.corpus.path.empty() ? data::kGeneratedTasks : kTasks;
    for (int number = 1; number <= count; ++number) out.push_back(number);
    return out;
  }
  const auto number = number_in<int>(flags.task);
  if (!number)
    throw ValueError("--task: '" + flags.task + "' is no number of a task, nor all or joint");
  return {*number};
}

std::vector<Subject> subjects_of(const Flags& flags) {
  std::vector<Subject> out;
  if (flags.task == "joint") out.push_back({"joint", {}, flags.folder});
  for (const int number : numbers_of(flags)) {
    Task task = load_task(flags.corpus, number);
    if (flags.task != "joint") {
      const std::string within = flags.task == "all" ? fmt::format("/qa{}", number) : "";
      out.push_back({fmt::format("task {}", number), {}, flags.folder + within});
    }
    out.back().tasks.push_back(std::move(task));
  }
  return out;
}

// What is not said is the paper's, which differs for joint training.
void fill_in(const CLI::App& app, Flags& flags) {
  const auto otherwise = [&](const char* flag, Index& value, Index unsaid) {
    if (app.count(flag) == 0) value = unsaid;
  };
  TrainerOptions& trainer = flags.trials.trainer;
  if (flags.quick && flags.task == "joint") flags.task = "1";
  if (flags.task == "joint") {
    otherwise("--width", flags.trials.model.width, 50);
    otherwise("--epochs", trainer.epochs, 60);
    otherwise("--halving", trainer.halving, 15);
    otherwise("--linear-epochs", trainer.linear_epochs, 30);
  }
  if (flags.quick) {
    otherwise("--epochs", trainer.epochs, 30);
    otherwise("--halving", trainer.halving, 10);
    flags.trials.seeds = std::min<Index>(flags.trials.seeds, 2);
  }
  flags.corpus.seed = flags.trials.seed;
}

void train_command(const CLI::App& app, Flags& flags) {
  command_line::set_up(flags.threads, flags.trials.seed);
  fill_in(app, flags);
  const std::vector<Subject> subjects = subjects_of(flags);
  const train::InterruptGuard guard;
  const Trials trials = run_trials(subjects, flags.trials);
  if (trials.interrupted) {
    fmt::print("interrupted; {}\n", trials.saved ? "the best models so far are in " + flags.folder
                                                 : "no trial was finished, and nothing is saved");
    return;
  }
  const Published published = flags.corpus.path.empty() ? Published::none
                              : flags.task == "joint"   ? Published::joint
                                                        : Published::alone;
  fmt::print("\n{}\n", table_of(trials.results, published));
  fmt::print("{:.1f} minutes\n", trials.minutes);
  fmt::print("mean test error {} %  model {}\n", train::percent(mean_error(trials.results)),
             flags.folder);
}

// 2 when a line was refused.
int ask_command(const Flags& flags) {
  const Reader reader = load(flags.folder);
  const train::ShadeStyle style = train::detect_shade_style(stdout);
  Listener listener(reader);
  bool refused = false;
  std::size_t number = 0;
  const auto guarded = [&](auto&& body) {
    try {
      body();
    } catch (const ValueError& error) {
      refused = true;
      fmt::print(stderr, "babi: line {}: {}\n", number, error.what());
    }
  };
  data::LineReader lines("");
  for (std::string line; lines.next(line);) {
    ++number;
    guarded([&] {
      fmt::print("{}", listener.hear(line, style));
      std::fflush(stdout);
    });
  }
  guarded([&] { listener.end(); });
  if (number == 0) throw ValueError("ask: standard input has no story");
  return refused ? 2 : 0;
}

void add_train_flags(CLI::App& app, Flags& flags) {
  app.add_option("--data", flags.corpus.path,
                 "a folder of bAbI's files, qa1_..._train.txt and so on; left out: generated "
                 "stories, tasks 1 and 2");
  app.add_option("--task", flags.task,
                 "its number; or all, a model each; or joint, one model of all")
      ->capture_default_str();
  command_line::add_size(app, "--seeds", flags.trials.seeds, 1, 1000,
                         "trials of each model, of which that of the lowest training loss is kept");
  command_line::add_seed(app, flags.trials.seed);
  command_line::add_threads(app, flags.threads);
  command_line::add_size(app, "--stories", flags.corpus.stories, 2, "generated ones, to train on");
  app.add_option("--save,--out", flags.folder, "the model's folder; of all, qa1, qa2 ... in it")
      ->capture_default_str();
  command_line::add_fields(app, flags.trials.model, flags.trials.trainer);
  app.add_flag("--quick", flags.quick, "task 1, 30 epochs, two seeds at most: a trial in seconds");
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("The end-to-end memory network on bAbI");
  CLI::App* train = app.add_subcommand("train", "learn tasks, test, print the table");
  CLI::App* ask = app.add_subcommand(
      "ask", "answer questions on a story from standard input, a sentence or question a line");
  add_train_flags(*train, flags);
  command_line::add_folder(*ask, "--model", flags.folder);
  int code = 0;
  const int failed = command_line::run("babi", app, argc, argv, [&] {
    if (*train) train_command(*train, flags);
    if (*ask) code = ask_command(flags);
  });
  return failed != 0 ? failed : code;
}

}  // namespace
}  // namespace babi

int main(int argc, char** argv) { return babi::run(argc, argv); }
