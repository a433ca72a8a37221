// captioning train | evaluate | describe: see README.md.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../command_line.h"
#include "trainer.h"
#include "writing.h"

namespace captioning {
namespace {

using command_line::add_size;

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  int threads = 0;
  bool quick = false;
  std::string pictures;
  Index describe = 6;
  std::vector<std::string> files;
};

// What the model says of scenes, and where it looked.
void describe(const Describer& describer, std::vector<Scene> scenes, const Flags& flags) {
  scenes.resize(std::min(scenes.size(), static_cast<std::size_t>(flags.describe)));
  if (scenes.empty()) return;
  const std::vector<Caption> captions = write_captions(describer, scenes);
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    fmt::print("{}\n", fmt::join(captions[i].words, " "));
    if (scenes[i].words.empty() || captions[i].words == scenes[i].words) continue;
    fmt::print("  but it is {}\n", fmt::join(scenes[i].words, " "));
  }
  const std::string path =
      flags.pictures.empty() ? flags.trainer.out + "/looks.png" : flags.pictures;
  train::write_png(path, looks_of(scenes, captions, !describer.model->options.hard()));
  fmt::print("where it looked: {}\n", path);
}

// Measures, draws, reports, prints; the last line is the one that scripts read.
void conclude(const Describer& describer, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  describe(describer, corpus.test, flags);
  const Measures found = measure(describer, corpus.test);
  train::Report report("Describing scenes");
  report.add_fact("attention", describer.model->options.attention);
  report.add_fact("exact", train::percent(found.exact) + " %");
  report.add_fact("pointing", train::percent(found.pointing) + " %");
  report.add_fact("parameters", std::to_string(describer.model->parameter_count()));
  train::add_curves(report, training, "step");
  const std::string path = flags.trainer.out + "/report.html";
  report.save(path);
  fmt::print("test scenes {}  exact {:.4f}  pointing {:.4f}  loss {:.4f}  report {}\n",
             corpus.test.size(), found.exact, found.pointing, found.loss, path);
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.quick) {
    command_line::at_most(flags.trainer.steps, 60);
    command_line::at_most(flags.trainer.warm_up, 10);
    command_line::at_most(flags.corpus.scenes, 500);
    command_line::at_most(flags.corpus.validation, 50);
    command_line::at_most(flags.corpus.test, 50);
  }
  Describer describer;
  if (flags.trainer.resume) {
    describer = load(flags.trainer.out);
    command_line::check_resumed(app, flags.model, describer.model->options);
  } else {
    describer.vocabulary = vocabulary_of(flags.model.data);
    flags.model.vocabulary = describer.vocabulary.size();
    describer.model = std::make_unique<Captioner>(flags.model);
  }
  flags.corpus.data = describer.model->options.data;
  const Corpus corpus = load_corpus(flags.corpus);
  fmt::print("scenes: {} to learn from, {} to validate, {} to test; {} attention; parameters {}\n",
             corpus.train.size(), corpus.validation.size(), corpus.test.size(),
             describer.model->options.attention, describer.model->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_describer(describer, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(describer, corpus, training, flags);
}

// Test scenes of the model's kind.
Corpus tested(const Describer& describer, CorpusOptions options) {
  options.data = describer.model->options.data;
  options.scenes = options.validation = 0;
  return load_corpus(options);
}

void evaluate_command(const Flags& flags) {
  const Describer describer = load(flags.trainer.out);
  conclude(describer, tested(describer, flags.corpus), {}, flags);
}

void describe_command(Flags& flags) {
  const Describer describer = load(flags.trainer.out);
  std::vector<Scene> scenes;
  if (flags.files.empty()) {
    flags.corpus.test = flags.describe;
    scenes = tested(describer, flags.corpus).test;
  }
  for (const std::string& file : flags.files) scenes.push_back(data::picture_scene(file));
  flags.describe = static_cast<Index>(scenes.size());
  describe(describer, std::move(scenes), flags);
}

void add_common_flags(CLI::App& app, Flags& flags, const std::string& folder) {
  command_line::add_folder(app, folder, flags.trainer.out);
  command_line::add_seed_and_threads(app, flags);
  app.add_option("--path", flags.corpus.path, "the folder of MNIST's files, for --data mnist");
  app.add_option("--pictures", flags.pictures,
                 "file of the pictures of where it looked; left out: looks.png in the model's "
                 "folder");
  add_size(app, "--describe", flags.describe, 0, "test scenes to print and draw");
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Describes scenes, and shows where it looked");
  CLI::App* train = app.add_subcommand("train", "learn to describe scenes, measure, draw");
  CLI::App* test = app.add_subcommand("evaluate", "measure a trained model");
  CLI::App* say = app.add_subcommand("describe", "let a trained model describe pictures, and draw");
  add_common_flags(*train, flags, "--save,--out");
  command_line::add_fields(*train, flags.model, flags.trainer);
  add_size(*train, "--scenes", flags.corpus.scenes, 1, "scenes to learn from");
  add_size(*train, "--validation", flags.corpus.validation, 1, "scenes to choose the model by");
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "fewer steps and scenes: a trial in seconds");
  say->add_option("files", flags.files, "pictures to describe, PNG or JPEG; left out: test scenes");
  for (CLI::App* other : {test, say}) add_common_flags(*other, flags, "--model");
  for (CLI::App* each : {train, test}) {
    add_size(*each, "--test", flags.corpus.test, 1, "scenes for the last figures");
  }
  return command_line::run("captioning", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    flags.corpus.seed = flags.trainer.seed;
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
    if (*say) describe_command(flags);
  });
}

}  // namespace
}  // namespace captioning

int main(int argc, char** argv) { return captioning::run(argc, argv); }
