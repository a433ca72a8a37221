// images train | evaluate | look: see README.md.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "../../core/error.h"
#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "evaluation.h"

namespace images {
namespace {

using command_line::add_size;

const command_line::Renamed kRenamed = {{"kind", "--model"}};

struct Flags {
  CorpusOptions corpus;
  train::FitOptions trainer{.epochs = 5, .batch = 32, .lr = 2e-3};
  ModelOptions model;
  Index show = 8, number = 0;
  int threads = 0;
  bool quick = false;
  std::string report, picture, image;
  std::vector<std::string> models = {"model"};
};

void check_fits(const ModelOptions& o, std::size_t classes, const Corpus& corpus) {
  const Pictures& p = corpus.test;
  if (p.channels == o.channels && p.height == o.height && p.width == o.width &&
      classes == corpus.classes.size()) {
    return;
  }
  throw ValueError(fmt::format(
      "{}: {} classes of pictures of {} x {} x {}, but the model knows {} of {} x {} x {}",
      corpus.path, corpus.classes.size(), p.channels, p.height, p.width, classes, o.channels,
      o.height, o.width));
}

// Test, print, draw, report; the last line is the one that scripts read.
void conclude(Classifier& classifier, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const train::Classified found = evaluate(classifier, corpus.test);
  const std::string accuracy = train::percent(found.confusion().accuracy(), 2) + " %";
  train::Report report("Pictures told apart");
  report.add_fact("model", classifier.options.kind);
  report.add_fact("test accuracy", accuracy);
  report.add_fact("test pictures", std::to_string(found.confusion().total()));
  report.add_fact("parameters", std::to_string(classifier.parameter_count()));
  train::add_curves(report, training);
  report.add_confusion(found.confusion(), classifier.classes);
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  std::vector<train::CaptionedPicture> row;
  for (Index i = 0; i < std::min(flags.show, corpus.test.count()); ++i) {
    const Tensor image = batch_of(corpus.test, {i}).images;
    const Answered said = answer(classifier, image);
    row.push_back({drawn(image, said), said.name});
  }
  if (!row.empty()) {
    const std::string picture =
        flags.picture.empty() ? flags.trainer.out + "/looks.png" : flags.picture;
    train::write_png(picture, train::strip(row));
    fmt::print("what it looked at: {}\n", picture);
  }
  fmt::print("test pictures {}  test accuracy {}  report {}\n", corpus.test.count(), accuracy,
             path);
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.quick) {
    command_line::at_most(flags.trainer.epochs, 4);
    command_line::at_most(flags.corpus.train, 1000);
    command_line::at_most(flags.corpus.test, 200);
    command_line::at_most(flags.model.hidden, 16);
  }
  std::unique_ptr<Classifier> classifier;
  if (flags.trainer.resume) {
    classifier = load(flags.trainer.out);
    command_line::check_resumed(app, flags.model, classifier->options, kRenamed);
  }
  const Corpus corpus = load_corpus(flags.corpus);
  if (!classifier) {
    flags.model.channels = corpus.train.channels;
    flags.model.height = corpus.train.height;
    flags.model.width = corpus.train.width;
    classifier = std::make_unique<Classifier>(flags.model, corpus.classes);
  }
  check_fits(classifier->options, classifier->classes.size(), corpus);
  fmt::print("{}: {} pictures to learn from, {} to validate, {} to test; parameters {}\n",
             classifier->options.kind, corpus.train.count(), corpus.validation.count(),
             corpus.test.count(), classifier->parameter_count());
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  const train::Training training = train_classifier(*classifier, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("learned in {:.1f} s\n", took.count());
  conclude(*classifier, corpus, training, flags);
}

void evaluate_command(Flags& flags) {
  const auto classifier = load(flags.trainer.out);
  const Corpus corpus = load_corpus(flags.corpus);
  check_fits(classifier->options, classifier->classes.size(), corpus);
  conclude(*classifier, corpus, {}, flags);
}

// What each model says of a picture, and what it looked at.
void look_command(Flags& flags) {
  std::vector<std::unique_ptr<Classifier>> all;
  for (const std::string& folder : flags.models) all.push_back(load(folder));
  const bool own = !flags.image.empty();
  const Corpus corpus = own ? Corpus() : load_corpus(flags.corpus);
  for (const auto& each : all) {
    if (!own) check_fits(each->options, each->classes.size(), corpus);
  }
  std::vector<train::Picture> rows;
  for (Index i = flags.number; i < flags.number + (own ? 1 : flags.show); ++i) {
    if (!own && i >= corpus.test.count()) {
      throw ValueError(fmt::format("picture {}: there are {} to test", i, corpus.test.count()));
    }
    std::vector<train::CaptionedPicture> row;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const ModelOptions& o = all[k]->options;
      const Tensor image = own ? read_picture(flags.image, o.channels, o.height, o.width)
                               : batch_of(corpus.test, {i}).images;
      const std::string name = std::filesystem::path(flags.models[k]).filename().string();
      const Answered said = answer(*all[k], image);
      fmt::print("{:<12} {:<10} {:>5} %\n", name, said.name, train::percent(said.probability));
      if (k == 0) row.push_back({drawn(image), ""});
      row.push_back({drawn(image, said), name + " " + said.name});
    }
    rows.push_back(train::strip(row));
  }
  if (!flags.picture.empty()) train::write_png(flags.picture, train::stack(rows));
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Tells pictures apart");
  CLI::App* train = app.add_subcommand("train", "learn from pictures, test, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "test a trained model, draw, report");
  CLI::App* look = app.add_subcommand("look", "what models say of a picture, and look at");
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, kRenamed, flags.model, flags.trainer);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "fewer pictures, a smaller model: in seconds");
  command_line::add_folder(*test, "--model", flags.trainer.out);
  look->add_option("--model", flags.models, "the models' folders")->capture_default_str();
  look->add_option("--image", flags.image, "a PNG or JPEG; left out: test pictures");
  add_size(*look, "--number", flags.number, 0, "of the first test picture, from 0");
  for (CLI::App* each : {train, test, look}) {
    add_size(*each, "--show", flags.show, 0, "test pictures to be drawn");
    command_line::add_fields(*each, flags.corpus);
    command_line::add_seed(*each, flags.trainer.seed);
    command_line::add_threads(*each, flags.threads);
    each->add_option("--picture", flags.picture, "the file of what was looked at, a PNG");
  }
  for (CLI::App* each : {train, test}) command_line::add_report(*each, flags.report);
  return command_line::run("images", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    flags.corpus.seed = flags.trainer.seed;
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
    if (*look) look_command(flags);
  });
}

}  // namespace
}  // namespace images

int main(int argc, char** argv) { return images::run(argc, argv); }
