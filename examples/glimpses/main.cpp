// glimpses train | evaluate: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../train/chart.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "evaluation.h"
#include "paths.h"
#include "trainer.h"

namespace glimpses {
namespace {

using command_line::add_number;
using command_line::add_size;

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  std::string core = "rnn";
  Index runs = 10;  // of the last evaluation
  Index rows = 2, columns = 6;
  int threads = 0;
  bool quick = false;
  std::string folder = "model";
  std::string report;
};

void set_up(Flags& flags) {
  command_line::set_up(flags.threads, flags.trainer.seed);
  flags.corpus.seed = flags.trainer.seed;
}

void add_curves(train::Report& report, const Training& training) {
  train::Series seen{"training", {}, {}}, unseen{"validation", {}, {}};
  for (const Figures& row : training.curve) {
    seen.x.push_back(row.epoch);
    seen.y.push_back(100 * row.train_error);
    unseen.x.push_back(row.epoch);
    unseen.y.push_back(100 * row.validation_error);
  }
  report.add_chart(train::line_chart(
      {seen, unseen}, {.title = "Error", .x_label = "epoch", .y_label = "per cent"}));
}

// Evaluate, print, write picture and report; the last line is the one that scripts read.
void conclude(GlimpseModel& model, const Corpus& corpus, const Training* training,
              const Flags& flags) {
  const auto figures_of = [&](Index runs) {
    return evaluate(model, corpus.test, {.runs = runs, .seed = flags.trainer.seed});
  };
  const auto in_words = [](const train::Confusion& found) {
    return train::percent(1 - found.accuracy(), 2) + " %";
  };
  train::Report report("The recurrent attention model");
  const ModelOptions& options = model.options;
  const train::Confusion one = figures_of(1);
  report.add_fact("test error", in_words(one));
  std::string more = fmt::format("at the means of the places {}", in_words(figures_of(0)));
  report.add_fact("at the means of the places", in_words(figures_of(0)));
  if (flags.runs > 1) {
    const std::string several = in_words(figures_of(flags.runs));
    report.add_fact(fmt::format("mean of {} runs", flags.runs), several);
    more += fmt::format(", the mean of {} runs {}", flags.runs, several);
  }
  report.add_fact("glimpses",
                  fmt::format("{} of {} x {}", options.count, options.glimpse, options.glimpse));
  report.add_fact("images", fmt::format("{} x {}", options.size, options.size));
  report.add_fact("parameters", std::to_string(model.parameter_count()));
  if (training && !training->curve.empty()) add_curves(report, *training);
  std::vector<std::string> names;
  for (Index c = 0; c < kClasses; ++c) names.push_back(std::to_string(c));
  report.add_confusion(one, names);
  const std::string path = flags.report.empty() ? flags.folder + "/report.html" : flags.report;
  report.save(path);
  if (flags.rows > 0) {
    const std::string picture = flags.folder + "/glimpses.png";
    train::write_png(picture,
                     draw_paths(model, corpus.test, flags.rows, flags.columns, flags.trainer.seed));
    fmt::print("where it looked: {}\n", picture);
  }
  fmt::print("{}\n", more);
  fmt::print("test error {}  report {}\n", in_words(one), path);
}

void train_command(Flags& flags) {
  set_up(flags);
  if (flags.quick) {
    flags.trainer.epochs = std::min<Index>(flags.trainer.epochs, 20);
    flags.trainer.batch_size = std::min<Index>(flags.trainer.batch_size, 32);
    flags.corpus.drawn = std::min<Index>(flags.corpus.drawn, 3000);
    flags.model.hidden = std::min<Index>(flags.model.hidden, 64);
    flags.model.width = std::min<Index>(flags.model.width, 128);
  }
  flags.trainer.out = flags.folder;
  flags.model.core = core_of(flags.core);
  std::unique_ptr<GlimpseModel> model =
      flags.trainer.resume ? load(flags.folder) : std::make_unique<GlimpseModel>(flags.model);
  const Corpus corpus = load_corpus(flags.corpus);
  fmt::print("digits: {} to train on, {} to validate, {} to test; parameters {}\n",
             corpus.train.count(), corpus.validation.count(), corpus.test.count(),
             model->parameter_count());
  std::fflush(stdout);
  const Training training = train_model(*model, corpus.train, corpus.validation, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.folder);
  conclude(*model, corpus, &training, flags);
}

void evaluate_command(Flags& flags) {
  set_up(flags);
  const std::unique_ptr<GlimpseModel> model = load(flags.folder);
  conclude(*model, load_corpus(flags.corpus), nullptr, flags);
}

void add_data_flags(CLI::App& app, Flags& flags) {
  command_line::add_seed(app, flags.trainer.seed);
  command_line::add_threads(app, flags.threads);
  app.add_option("--data", flags.corpus.path,
                 "a folder with the four MNIST files; left out: drawn digits");
  add_size(app, "--drawn", flags.corpus.drawn, 12, 1 << 20, "digits drawn to train on");
  add_size(app, "--runs", flags.runs, 1, 1000, "over each test image, to be averaged");
  add_size(app, "--rows", flags.rows, 0, 100, "of digits in the picture; 0: none");
  add_size(app, "--columns", flags.columns, 1, 100, "of digits in the picture");
  command_line::add_report(app, flags.report);
}

void add_train_flags(CLI::App& app, Flags& flags) {
  add_data_flags(app, flags);
  command_line::add_folder(app, "--save,--out", flags.folder);
  add_size(app, "--size", flags.model.size, kSide, 1024,
           "of the images; above 28 each digit is at a place of its own, drawn anew each time");
  add_size(app, "--glimpses", flags.model.count, 1, 1000, "of each image");
  add_size(app, "--glimpse", flags.model.glimpse, 1, 1024, "pixels across");
  add_size(app, "--scales", flags.model.scales, 1, 8, "patches a glimpse, each twice as wide");
  add_size(app, "--hidden", flags.model.hidden, 1, 1 << 14, "of what and of where");
  add_size(app, "--width", flags.model.width, 1, 1 << 14, "of the core");
  command_line::add_choice(app, "--core", flags.core, {"rnn", "lstm"}, "rnn or lstm");
  add_number(app, "--sigma", flags.model.sigma, CLI::PositiveNumber, "deviation of the places");
  add_size(app, "--epochs", flags.trainer.epochs, 1, 1 << 20, "of the training");
  add_size(app, "--batch", flags.trainer.batch_size, 1, 1 << 20, "images a step");
  add_size(app, "--samples", flags.trainer.runs, 1, 1000, "runs over each image of a step");
  add_number(app, "--lr", flags.trainer.learning_rate, CLI::PositiveNumber,
             "Adam's first learning rate; a cosine takes it down to a hundredth");
  add_number(app, "--every", flags.trainer.every, CLI::NonNegativeNumber,
             "weight of the classes guessed before the last glimpse");
  add_number(app, "--clip", flags.trainer.clip, CLI::PositiveNumber, "largest norm of a gradient");
  add_size(app, "--stop-after", flags.trainer.stop_after, 0, Index{1} << 40,
           "stop after this step, to be resumed; 0: not");
  app.add_flag("--resume", flags.trainer.resume, "go on with the run in --save");
  app.add_flag("--quick", flags.quick,
               "fewer digits and epochs, a smaller network: a trial in seconds");
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("The recurrent attention model");
  CLI::App* train = app.add_subcommand("train", "learn from digits, evaluate, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "evaluate a trained model, draw, report");
  add_train_flags(*train, flags);
  add_data_flags(*test, flags);
  command_line::add_folder(*test, "--model", flags.folder);
  return command_line::run("glimpses", app, argc, argv, [&] {
    if (*train) train_command(flags);
    if (*test) evaluate_command(flags);
  });
}

}  // namespace
}  // namespace glimpses

int main(int argc, char** argv) { return glimpses::run(argc, argv); }
