// vqa train | evaluate | ask: see README.md.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <tuple>

#include "../../core/error.h"
#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "evaluation.h"

namespace vqa {
namespace {

using command_line::add_size;

struct Flags {
  CorpusOptions corpus;
  train::FitOptions trainer{.epochs = 10, .batch = 24, .lr = 3e-3};
  ModelOptions model;
  Index show = 6, number = 0;
  int threads = 0;
  bool quick = false;
  std::string report, picture, image;
  std::vector<std::string> models = {"model"};
};

void check_fits(const ModelOptions& o, const VisualQuestions& questions) {
  if (questions.height != o.height || questions.width != o.width) {
    throw ValueError(fmt::format("{}: images of {} x {}, but the model learned from {} x {}",
                                 questions.path, questions.height, questions.width, o.height,
                                 o.width));
  }
  if (o.attention == "boxes" && questions.boxes.empty()) {
    throw ValueError(questions.path + ": nobody knows its boxes, which --attention boxes looks at");
  }
}

// Test, print, draw, report; the last line is the one that scripts read.
void conclude(const Expert& expert, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const train::Classified found = evaluate(expert, corpus.test);
  const std::string accuracy = train::percent(found.confusion().accuracy(), 2) + " %";
  train::Report report("Questions about pictures");
  report.add_fact("test accuracy", accuracy);
  report.add_fact("test questions", std::to_string(found.confusion().total()));
  report.add_fact("parameters", std::to_string(expert.model->parameter_count()));
  train::add_curves(report, training);
  std::vector<std::string> answers;
  for (Index i = 0; i < expert.answers.size(); ++i) answers.push_back(expert.answers.word(i));
  report.add_confusion(found.confusion(), answers);
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  std::vector<train::Picture> rows;
  const auto count = static_cast<Index>(corpus.test.questions.size());
  for (Index i = 0; i < flags.show; ++i) {
    const Index number = i * count / flags.show;
    rows.push_back(looks_of(corpus.test, number, {{"", answer(expert, corpus.test, number)}}));
  }
  if (!rows.empty()) {
    const std::string picture =
        flags.picture.empty() ? flags.trainer.out + "/looks.png" : flags.picture;
    train::write_png(picture, train::stack(rows));
    fmt::print("where it looked: {}\n", picture);
  }
  fmt::print("test questions {}  test accuracy {}  report {}\n", count, accuracy, path);
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.quick) {
    command_line::at_most(flags.trainer.epochs, 3);
    command_line::at_most(flags.corpus.scenes, 400);
    command_line::at_most(flags.corpus.held_out, 100);
    command_line::at_most(flags.model.hidden, 24);
  }
  Expert expert;
  if (flags.trainer.resume) {
    expert = load(flags.trainer.out);
    command_line::check_resumed(app, flags.model, expert.model->options);
  }
  const Corpus corpus = load_corpus(flags.corpus);
  if (!expert.model) {
    std::tie(expert.words, expert.answers) = vocabularies_of(corpus.train);
    flags.model.words = expert.words.size();
    flags.model.answers = expert.answers.size();
    flags.model.height = corpus.train.height;
    flags.model.width = corpus.train.width;
    expert.model = std::make_unique<Answerer>(flags.model);
  }
  for (const auto* part : {&corpus.train, &corpus.test}) check_fits(expert.model->options, *part);
  fmt::print("questions: {} to learn from, {} to validate, {} to test; answers {}; parameters {}\n",
             corpus.train.questions.size(), corpus.validation.questions.size(),
             corpus.test.questions.size(), expert.answers.size() - 2,
             expert.model->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_expert(expert, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(expert, corpus, training, flags);
}

void evaluate_command(Flags& flags) {
  const Expert expert = load(flags.trainer.out);
  const Corpus corpus = load_corpus(flags.corpus);
  check_fits(expert.model->options, corpus.test);
  conclude(expert, corpus, {}, flags);
}

// Lines of questions about a picture, or about one of the test images.
void ask_command(Flags& flags) {
  std::vector<Expert> experts;
  for (const std::string& folder : flags.models) experts.push_back(load(folder));
  const ModelOptions& o = experts.front().model->options;
  VisualQuestions asked = flags.image.empty() ? load_corpus(flags.corpus).test
                                              : data::about_picture(flags.image, o.height, o.width);
  for (const Expert& expert : experts) check_fits(expert.model->options, asked);
  if (flags.number >= asked.count) {
    throw ValueError(fmt::format("number {}: there are {} images", flags.number, asked.count));
  }
  std::vector<train::Picture> rows;
  command_line::for_lines("a question a line", [&](const std::string& line) {
    asked.questions = {{.text = line, .image = flags.number}};
    std::vector<std::pair<std::string, Answered>> answered;
    std::string told = line + "\n";
    for (std::size_t k = 0; k < experts.size(); ++k) {
      const std::filesystem::path folder = flags.models[k];
      answered.emplace_back(folder.filename().string(), answer(experts[k], asked, 0));
      const auto& [name, found] = answered.back();
      told += fmt::format("  {:<12} {:<10} {:>5} %\n", name, found.answer,
                          train::percent(found.probability));
    }
    fmt::print("{}", told);
    std::fflush(stdout);
    rows.push_back(looks_of(asked, 0, answered));
  });
  if (!flags.picture.empty()) train::write_png(flags.picture, train::stack(rows));
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Answers questions about pictures");
  CLI::App* train = app.add_subcommand("train", "learn from questions, test, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "test a trained model, draw, report");
  CLI::App* ask = app.add_subcommand("ask", "answer lines of questions about a picture");
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.model, flags.trainer);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "fewer scenes and epochs, a smaller model: in seconds");
  command_line::add_folder(*test, "--model", flags.trainer.out);
  ask->add_option("--model", flags.models, "the models' folders, which answer side by side")
      ->capture_default_str();
  ask->add_option("--image", flags.image, "the picture, PNG or JPEG; left out: a test image");
  add_size(*ask, "--number", flags.number, 0, "of the test image, from 0");
  for (CLI::App* each : {train, test}) {
    add_size(*each, "--show", flags.show, 0, "test questions in the picture");
    command_line::add_report(*each, flags.report);
  }
  for (CLI::App* each : {train, test, ask}) {
    command_line::add_fields(*each, flags.corpus);
    command_line::add_seed(*each, flags.trainer.seed);
    command_line::add_threads(*each, flags.threads);
    each->add_option("--picture", flags.picture, "the file of where it looked, a PNG");
  }
  return command_line::run("vqa", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    flags.corpus.seed = flags.trainer.seed;
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
    if (*ask) ask_command(flags);
  });
}

}  // namespace
}  // namespace vqa

int main(int argc, char** argv) { return vqa::run(argc, argv); }
