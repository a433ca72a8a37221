// captioning train | evaluate | describe: see README.md.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../train/chart.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "pictures.h"
#include "trainer.h"

namespace captioning {
namespace {

using command_line::add_choice;
using command_line::add_number;
using command_line::add_size;

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  std::string look = "soft";
  int threads = 0;
  bool quick = false;
  std::string folder = "model";
  std::string pictures;
  Index describe = 6;
};

void set_up(const Flags& flags) { command_line::set_up(flags.threads, flags.trainer.seed); }

// The first test scenes: what the model says, and where it looked.
void describe(const Describer& describer, const Corpus& corpus, const Flags& flags) {
  const auto count = std::min(corpus.test.size(), static_cast<std::size_t>(flags.describe));
  if (count == 0) return;
  const std::vector<Scene> scenes(corpus.test.begin(),
                                  corpus.test.begin() + static_cast<std::ptrdiff_t>(count));
  const std::vector<Caption> captions = write_captions(describer, scenes);
  for (std::size_t i = 0; i < count; ++i) {
    fmt::print("{}\n", fmt::join(captions[i].words, " "));
    if (captions[i].words == scenes[i].words) continue;
    fmt::print("  but it is {}\n", fmt::join(scenes[i].words, " "));
  }
  const std::string path = flags.pictures.empty() ? flags.folder + "/looks.png" : flags.pictures;
  heed::train::write_png(path,
                         looks_of(scenes, captions, describer.model->options.look == Look::soft));
  fmt::print("where it looked: {}\n", path);
}

void write_report(const Describer& describer, const Measures& measures, const Training* training,
                  const Flags& flags) {
  heed::train::Report report("Describing scenes");
  report.add_fact("attention", name(describer.model->options.look));
  report.add_fact("exact", heed::train::percent(measures.exact) + " %");
  report.add_fact("pointing", heed::train::percent(measures.pointing) + " %");
  report.add_fact("parameters", std::to_string(describer.model->parameter_count()));
  if (training != nullptr && !training->curve.empty()) {
    heed::train::Series loss{"training", {}, {}}, validation{"validation", {}, {}};
    heed::train::Series exact{"exact", {}, {}}, pointing{"pointing", {}, {}};
    for (const Figures& row : training->curve) {
      for (auto* series : {&loss, &validation, &exact, &pointing}) series->x.push_back(row.step);
      loss.y.push_back(row.train_loss);
      validation.y.push_back(row.loss);
      exact.y.push_back(row.exact);
      pointing.y.push_back(row.pointing);
    }
    report.add_chart(heed::train::line_chart(
        {loss, validation}, {.title = "Loss", .x_label = "step", .y_label = "nats a word"}));
    report.add_chart(heed::train::line_chart(
        {exact, pointing}, {.title = "Validation scenes", .x_label = "step", .y_label = "share"}));
  }
  report.save(flags.folder + "/report.html");
}

// Measures, prints, draws; the last line is the one that scripts read.
void conclude(const Describer& describer, const Corpus& corpus, const Training* training,
              const Flags& flags) {
  describe(describer, corpus, flags);
  const Measures measures = measure(describer, corpus.test);
  write_report(describer, measures, training, flags);
  fmt::print("test scenes {}  exact {:.4f}  pointing {:.4f}  loss {:.4f}  report {}\n",
             corpus.test.size(), measures.exact, measures.pointing, measures.loss,
             flags.folder + "/report.html");
}

void train_command(Flags& flags) {
  set_up(flags);
  if (flags.quick) {
    flags.trainer.steps = std::min<Index>(flags.trainer.steps, 60);
    flags.trainer.warm_up = std::min<Index>(flags.trainer.warm_up, 10);
    flags.corpus.scenes = std::min<Index>(flags.corpus.scenes, 500);
    flags.corpus.validation = std::min<Index>(flags.corpus.validation, 50);
    flags.corpus.test = std::min<Index>(flags.corpus.test, 50);
  }
  flags.trainer.out = flags.folder;
  Describer describer;
  if (flags.trainer.resume) {
    describer = load(flags.folder);
    flags.corpus.data = describer.data;
  } else {
    describer.data = flags.corpus.data;
    describer.vocabulary = vocabulary_of(describer.data);
    flags.model.vocabulary = describer.vocabulary.size();
    flags.model.look = look_of(flags.look);
    describer.model = std::make_unique<Captioner>(flags.model);
  }
  const Corpus corpus = load_corpus(flags.corpus);
  fmt::print("scenes: {} to learn from, {} to validate, {} to test; {} attention; parameters {}\n",
             corpus.train.size(), corpus.validation.size(), corpus.test.size(),
             name(describer.model->options.look), describer.model->parameter_count());
  std::fflush(stdout);
  const Training training = train_describer(describer, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.folder);
  conclude(describer, corpus, &training, flags);
}

void evaluate_command(Flags& flags) {
  set_up(flags);
  const Describer describer = load(flags.folder);
  flags.corpus.data = describer.data;
  flags.corpus.scenes = flags.corpus.validation = 0;
  conclude(describer, load_corpus(flags.corpus), nullptr, flags);
}

void describe_command(Flags& flags) {
  set_up(flags);
  const Describer describer = load(flags.folder);
  flags.corpus.data = describer.data;
  flags.corpus.scenes = flags.corpus.validation = 0;
  flags.corpus.test = flags.describe;
  describe(describer, load_corpus(flags.corpus), flags);
}

void add_common_flags(CLI::App& app, Flags& flags) {
  app.add_option_function<std::uint64_t>(
         "--seed",
         [&flags](const std::uint64_t& seed) { flags.corpus.seed = flags.trainer.seed = seed; },
         "of everything random")
      ->default_str("1");
  command_line::add_threads(app, flags.threads);
  app.add_option("--path", flags.corpus.path, "the folder of MNIST's files, for --data mnist");
  app.add_option("--pictures", flags.pictures,
                 "file of the pictures of where it looked; left out: looks.png in the model's "
                 "folder");
  add_size(app, "--describe", flags.describe, 0, "test scenes to print and draw");
}

void add_train_flags(CLI::App& app, Flags& flags) {
  add_common_flags(app, flags);
  command_line::add_folder(app, "--save,--out", flags.folder);
  add_choice(app, "--attention", flags.look, {"soft", "hard"}, "soft or hard");
  add_choice(app, "--data", flags.corpus.data, {"shapes", "mnist"},
             "shapes, generated, or mnist, digits of --path");
  add_size(app, "--scenes", flags.corpus.scenes, 1, "scenes to learn from");
  add_size(app, "--validation", flags.corpus.validation, 1, "scenes to choose the model by");
  add_size(app, "--test", flags.corpus.test, 1, "scenes for the last figures");
  add_size(app, "--channels", flags.model.channels, 1, "of the first convolution")
      ->check(CLI::Range(1, 1 << 12));
  add_size(app, "--width", flags.model.width, 1, "of a word")->check(CLI::Range(1, 1 << 14));
  add_size(app, "--hidden", flags.model.hidden, 1, "of the LSTM")->check(CLI::Range(1, 1 << 14));
  add_number(app, "--mean", flags.model.mean_probability, CLI::Range(0.0, 1.0),
             "hard attention: probability with which a scene is looked at as a whole");
  add_size(app, "--steps", flags.trainer.steps, 1, "of the training");
  add_size(app, "--batch", flags.trainer.batch_size, 1, "scenes a step");
  add_number(app, "--lr", flags.trainer.learning_rate, CLI::PositiveNumber,
             "Adam's highest learning rate; a cosine takes it down to a tenth");
  add_size(app, "--warm-up", flags.trainer.warm_up, 0, "steps in which the learning rate rises");
  add_number(app, "--clip", flags.trainer.clip, CLI::PositiveNumber, "largest norm of a gradient");
  add_number(app, "--lambda", flags.trainer.lambda, CLI::NonNegativeNumber,
             "soft attention: of the doubly stochastic penalty");
  add_number(app, "--lambda-r", flags.trainer.lambda_r, CLI::PositiveNumber,
             "hard attention: of the score function");
  add_number(app, "--lambda-e", flags.trainer.lambda_e, CLI::NonNegativeNumber,
             "hard attention: of the entropy");
  add_size(
      app, "--draws", flags.trainer.draws, 1,
      "hard attention: of each scene, every one's baseline the mean of the others; 1: a moving "
      "average")
      ->check(CLI::Range(1, 1 << 10));
  add_number(app, "--decay", flags.trainer.decay, CLI::Range(0.0, 0.9999),
             "hard attention with one draw: of the moving averages");
  add_size(app, "--interval", flags.trainer.interval, 1, "steps between two measurements");
  command_line::add_stop_and_resume(app, flags.trainer.stop_after, flags.trainer.resume);
  app.add_flag("--quick", flags.quick, "fewer steps and scenes: a trial in seconds");
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Describes scenes, and shows where it looked");
  CLI::App* train = app.add_subcommand("train", "learn to describe scenes, measure, draw");
  CLI::App* test = app.add_subcommand("evaluate", "measure a trained model");
  CLI::App* say = app.add_subcommand("describe", "let a trained model describe scenes, and draw");
  add_train_flags(*train, flags);
  for (CLI::App* other : {test, say}) {
    add_common_flags(*other, flags);
    command_line::add_folder(*other, "--model", flags.folder);
  }
  add_size(*test, "--test", flags.corpus.test, 1, "scenes to measure on");
  return command_line::run("captioning", app, argc, argv, [&] {
    if (*train) train_command(flags);
    if (*test) evaluate_command(flags);
    if (*say) describe_command(flags);
  });
}

}  // namespace
}  // namespace captioning

int main(int argc, char** argv) { return captioning::run(argc, argv); }
