// babi train | ask: see README.md.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <iostream>

#include "../../core/error.h"
#include "../../train/interrupt.h"
#include "../../train/percent.h"
#include "../command_line.h"
#include "listener.h"
#include "trials.h"
#include "world.h"

namespace babi {
namespace {

using command_line::add_number;
using command_line::add_size;

struct Flags {
  CorpusOptions corpus;
  TrialOptions trials;
  std::string task = "joint";
  // Negative and 0: the paper's, which differ for joint training.
  Index width = 0, epochs = 0, halving = 0, linear_epochs = -1;
  int threads = 0;
  std::string encoding = "centred";
  bool quick = false;
  std::string folder = "model";
};

std::vector<int> numbers_of(const Flags& flags) {
  std::vector<int> out;
  if (flags.task == "all" || flags.task == "joint") {
    const int count = flags.corpus.path.empty() ? kGeneratedTasks : kTasks;
    for (int number = 1; number <= count; ++number) out.push_back(number);
    return out;
  }
  const char* end = flags.task.data() + flags.task.size();
  int number = 0;
  const auto read = std::from_chars(flags.task.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) {
    throw ValueError("--task: '" + flags.task + "' is no number of a task, nor all or joint");
  }
  return {number};
}

std::vector<Subject> subjects_of(const Flags& flags) {
  std::vector<Subject> out;
  if (flags.task == "joint") out.push_back({"joint", {}, flags.folder});
  for (const int number : numbers_of(flags)) {
    Task task = load_task(flags.corpus, number);
    if (flags.task != "joint") {
      const bool several = flags.task == "all";
      out.push_back({fmt::format("task {}", number),
                     {},
                     several ? fmt::format("{}/qa{}", flags.folder, number) : flags.folder});
    }
    out.back().tasks.push_back(std::move(task));
  }
  return out;
}

void train_command(Flags& flags) {
  command_line::set_up(flags.threads, flags.trials.seed);
  if (flags.quick) {
    flags.epochs = flags.epochs > 0 ? flags.epochs : 30;
    flags.halving = flags.halving > 0 ? flags.halving : 10;
    flags.trials.seeds = std::min<Index>(flags.trials.seeds, 2);
    if (flags.task == "joint") flags.task = "1";
  }
  const bool joint = flags.task == "joint";
  const auto either = [&](Index given, Index alone, Index jointly) {
    return given > 0 ? given : joint ? jointly : alone;
  };
  flags.trials.model.width = either(flags.width, 20, 50);
  flags.trials.trainer.epochs = either(flags.epochs, 100, 60);
  flags.trials.trainer.halving = either(flags.halving, 25, 15);
  flags.trials.trainer.linear_epochs = flags.linear_epochs >= 0 ? flags.linear_epochs
                                       : joint                  ? 30
                                                                : 20;
  flags.trials.model.position_encoding = kEncodings.at(flags.encoding);
  flags.corpus.seed = flags.trials.seed;
  const std::vector<Subject> subjects = subjects_of(flags);
  const train::InterruptGuard guard;
  const Trials trials = run_trials(subjects, flags.trials);
  if (trials.interrupted) {
    fmt::print("interrupted; the best models so far are in {}\n", flags.folder);
    return;
  }
  fmt::print("\n{}\n", table_of(trials.results, !flags.corpus.path.empty()));
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
  std::string line;
  while (std::getline(std::cin, line)) {
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
  MemoryNetworkOptions& model = flags.trials.model;
  TrainerOptions& trainer = flags.trials.trainer;
  app.add_option("--data", flags.corpus.path,
                 "a folder of bAbI's files, qa1_..._train.txt and so on; left out: generated "
                 "stories, tasks 1 and 2");
  app.add_option("--task", flags.task,
                 "its number; or all, a model each; or joint, one model of all")
      ->capture_default_str();
  add_size(app, "--seeds", flags.trials.seeds, 1, 1000,
           "trials of each model, of which that of the lowest training loss is kept");
  app.add_option("--seed", flags.trials.seed, "the first")->capture_default_str();
  add_size(app, "--threads", flags.threads, 1, 1024, "trials side by side; left out: all cores")
      ->default_str("");
  add_size(app, "--stories", flags.corpus.stories, 2, "generated ones, to train on");
  app.add_option("--save,--out", flags.folder, "the model's folder; of all, qa1, qa2 ... in it")
      ->capture_default_str();
  add_size(app, "--width", flags.width, 1, 1 << 14, "of the embeddings; left out: 20, joint 50")
      ->default_str("");
  add_size(app, "--hops", model.hops, 1, 100, "over the story");
  add_size(app, "--memory", model.slots, 1, 1 << 16, "last sentences that it may look at");
  add_number(app, "--noise", model.noise, CLI::Range(0.0, 1.0),
             "share of empty memories in training");
  app.add_option("--position-encoding", flags.encoding,
                 "centred: 1 on average; published: the paper's formula; none: bags of words")
      ->check(CLI::IsMember(kEncodings))
      ->capture_default_str();
  app.add_flag("!--no-empty-memories", model.empty_memories,
               "a hop looks at sentences alone, not at what is left of the memory");
  add_size(app, "--epochs", flags.epochs, 1, "left out: 100, joint 60")->default_str("");
  add_size(app, "--halving", flags.halving, 1,
           "epochs after which the learning rate halves; left out: 25, joint 15")
      ->default_str("");
  add_size(app, "--linear-epochs", flags.linear_epochs, 0,
           "most of the linear start, before the others; 0: none; left out: 20, joint 30")
      ->default_str("");
  add_size(app, "--patience", trainer.patience, 1,
           "epochs without a fall of the validation loss that end the linear start");
  add_size(app, "--batch", trainer.batch_size, 1, "questions a step");
  add_number(app, "--lr", trainer.learning_rate, CLI::PositiveNumber, "the first learning rate");
  add_number(app, "--clip", trainer.clip, CLI::PositiveNumber, "largest norm of a gradient");
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
    if (*train) train_command(flags);
    if (*ask) code = ask_command(flags);
  });
  return failed != 0 ? failed : code;
}

}  // namespace
}  // namespace babi

int main(int argc, char** argv) { return babi::run(argc, argv); }
