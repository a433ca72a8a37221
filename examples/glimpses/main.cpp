// glimpses train | evaluate: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../command_line.h"
#include "evaluation.h"
#include "trainer.h"

namespace glimpses {
namespace {

using command_line::add_size;
using command_line::at_most;

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  Index runs = 10;  // of the last evaluation
  Index rows = 2, columns = 6;
  int threads = 0;
  bool quick = false;
  std::string report;
};

void set_up(Flags& flags) {
  command_line::set_up(flags.threads, flags.trainer.seed);
  flags.corpus.seed = flags.trainer.seed;
}

// Evaluate, print, write picture and report; the last line is the one that scripts read.
void conclude(GlimpseModel& model, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const ModelOptions& options = model.options;
  const std::string& folder = flags.trainer.out;
  const auto figures_of = [&](Index runs) {
    return evaluate(model, corpus.test, runs, flags.trainer.seed);
  };
  const auto in_words = [](const train::Confusion& found) {
    return train::percent(1 - found.accuracy(), 2) + " %";
  };
  train::Report report("The recurrent attention model");
  const train::Confusion one = figures_of(1);
  report.add_fact("test error", in_words(one));
  const std::string means = in_words(figures_of(0));
  std::string more = "at the means of the places " + means;
  report.add_fact("at the means of the places", means);
  if (flags.runs > 1) {
    const std::string several = in_words(figures_of(flags.runs));
    report.add_fact(fmt::format("mean of {} runs", flags.runs), several);
    more += fmt::format(", the mean of {} runs {}", flags.runs, several);
  }
  report.add_fact("glimpses",
                  fmt::format("{} of {} x {}", options.count, options.glimpse, options.glimpse));
  report.add_fact("images", fmt::format("{} x {}", options.size, options.size));
  report.add_fact("parameters", std::to_string(model.parameter_count()));
  train::add_curves(report, training);
  std::vector<std::string> names;
  for (Index c = 0; c < kClasses; ++c) names.push_back(std::to_string(c));
  report.add_confusion(one, names);
  const std::string path = command_line::report_path(flags.report, folder);
  report.save(path);
  if (flags.rows > 0) {
    const std::string picture = folder + "/glimpses.png";
    train::write_png(picture,
                     draw_paths(model, corpus.test, flags.rows, flags.columns, flags.trainer.seed));
    fmt::print("where it looked: {}\n", picture);
  }
  fmt::print("{}\ntest error {}  report {}\n", more, in_words(one), path);
}

void train_command(const CLI::App& app, Flags& flags) {
  set_up(flags);
  if (flags.quick) {
    at_most(flags.trainer.epochs, 20);
    at_most(flags.trainer.batch, 32);
    at_most(flags.corpus.drawn, 3000);
    at_most(flags.model.hidden, 64);
    at_most(flags.model.width, 128);
  }
  const auto model =
      flags.trainer.resume ? load(flags.trainer.out) : std::make_unique<GlimpseModel>(flags.model);
  if (flags.trainer.resume) command_line::check_resumed(app, flags.model, model->options);
  const Corpus corpus = load_corpus(flags.corpus);
  fmt::print("digits: {} to train on, {} to validate, {} to test; parameters {}\n",
             corpus.train.count(), corpus.validation.count(), corpus.test.count(),
             model->parameter_count());
  std::fflush(stdout);
  const auto training = train_model(*model, corpus.train, corpus.validation, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(*model, corpus, training, flags);
}

void evaluate_command(Flags& flags) {
  set_up(flags);
  const auto model = load(flags.trainer.out);
  conclude(*model, load_corpus(flags.corpus), {}, flags);
}

void add_common_flags(CLI::App& app, Flags& flags) {
  command_line::add_seed(app, flags.trainer.seed);
  command_line::add_threads(app, flags.threads);
  command_line::add_fields(app, flags.corpus);
  add_size(app, "--runs", flags.runs, 1, 1000, "over each test image, to be averaged");
  add_size(app, "--rows", flags.rows, 0, 100, "of digits in the picture; 0: none");
  add_size(app, "--columns", flags.columns, 1, 100, "of digits in the picture");
  command_line::add_report(app, flags.report);
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("The recurrent attention model");
  CLI::App* train = app.add_subcommand("train", "learn from digits, evaluate, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "evaluate a trained model, draw, report");
  add_common_flags(*train, flags);
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.model, flags.trainer);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick,
                  "fewer digits and epochs, a smaller network: a trial in seconds");
  add_common_flags(*test, flags);
  command_line::add_folder(*test, "--model", flags.trainer.out);
  return command_line::run("glimpses", app, argc, argv, [&] {
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
  });
}

}  // namespace
}  // namespace glimpses

int main(int argc, char** argv) { return glimpses::run(argc, argv); }
