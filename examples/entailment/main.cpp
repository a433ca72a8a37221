// entailment train | evaluate | ask: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "evaluation.h"
#include "trainer.h"

namespace entailment {
namespace {

using command_line::add_size;
using command_line::at_most;

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  command_line::KnownWords known = Judge().known;
  Index show = 3;
  int threads = 0;
  bool quick = false;
  std::string report, picture;
};

void set_up(Flags& flags) {
  command_line::set_up(flags.threads, flags.trainer.seed);
  flags.corpus.seed = flags.trainer.seed;
}

std::string name_of(Index label) { return data::kRelations[static_cast<std::size_t>(label)]; }

// Test, print, draw, report; the last line is the one that scripts read.
void conclude(const Judge& judge, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const train::Classified found = evaluate(judge, corpus.test);
  const std::string accuracy = train::percent(found.confusion().accuracy(), 2) + " %";
  train::Report report("Textual entailment");
  report.add_fact("test accuracy", accuracy);
  report.add_fact("macro F1", train::percent(found.confusion().macro_f1(), 2) + " %");
  report.add_fact("test pairs", std::to_string(found.confusion().total()));
  report.add_fact("parameters", std::to_string(judge.model->parameter_count()));
  train::add_curves(report, training);
  report.add_confusion(found.confusion(), {data::kRelations.begin(), data::kRelations.end()});
  std::vector<Judgement> shown;
  for (std::size_t i = 0; i < corpus.test.size() && static_cast<Index>(i) < flags.show; ++i) {
    const Pair& pair = corpus.test[i];
    shown.push_back(judge_pair(judge, pair));
    const Judgement& last = shown.back();
    report.add_document({name_of(pair.label), name_of(last.label),
                         last.probabilities[static_cast<std::size_t>(last.label)], last.text});
  }
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  if (!shown.empty() && !shown.front().looked.empty()) {
    const std::string picture =
        flags.picture.empty() ? flags.trainer.out + "/looks.png" : flags.picture;
    train::write_png(picture, picture_of(shown));
    fmt::print("where it looked: {}\n", picture);
  }
  fmt::print("test pairs {}  test accuracy {}  report {}\n", found.confusion().total(), accuracy,
             path);
}

void train_command(const CLI::App& app, Flags& flags) {
  set_up(flags);
  if (flags.quick) {
    at_most(flags.trainer.epochs, 4);
    at_most(flags.corpus.pairs, 3000);
    at_most(flags.model.width, 32);
    at_most(flags.model.hidden, 32);
  }
  Judge judge;
  if (flags.trainer.resume) {
    judge = load(flags.trainer.out);
    command_line::check_resumed(app, flags.model, judge.model->options);
    command_line::check_resumed(app, flags.known, judge.known);
  }
  const Corpus corpus =
      load_corpus(flags.corpus, (judge.model ? judge.model->options : flags.model).stems);
  if (!judge.model) {
    judge.known = flags.known;
    judge.vocabulary = vocabulary_of(corpus.train, judge.known.min_count);
    flags.model.vocabulary = judge.vocabulary.size();
    judge.model = std::make_unique<PairReader>(flags.model);
  }
  fmt::print("pairs: {} to learn from, {} to validate, {} to test; words {}; parameters {}\n",
             corpus.train.size(), corpus.validation.size(), corpus.test.size(),
             judge.vocabulary.size(), judge.model->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_judge(judge, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(judge, corpus, training, flags);
}

void evaluate_command(Flags& flags) {
  set_up(flags);
  const Judge judge = load(flags.trainer.out);
  conclude(judge, load_corpus(flags.corpus, judge.model->options.stems), {}, flags);
}

Judgement answer(const Judge& judge, const Pair& pair) {
  Judgement found = judge_pair(judge, pair);
  fmt::print("{}\n", name_of(found.label));
  for (std::size_t c = 0; c < found.probabilities.size(); ++c) {
    fmt::print("  {:<14} {:>5} %\n", data::kRelations[c], train::percent(found.probabilities[c]));
  }
  for (const train::Alignment& look : found.looked) {
    fmt::print("{}", alignment_text(look, train::detect_shade_style(stdout)));
  }
  std::fflush(stdout);
  return found;
}

// Lines in pairs: a premise, its hypothesis.
void ask_command(Flags& flags) {
  set_up(flags);
  const Judge judge = load(flags.trainer.out);
  std::vector<Judgement> answers;
  Pair pair;
  bool hypothesis = true;  // was the last line
  std::size_t lines = 0;
  command_line::for_lines(
      "a line of a premise, one of its hypothesis", [&](const std::string& text) {
        ++lines;
        hypothesis = !hypothesis;
        (hypothesis ? pair.hypothesis : pair.premise) =
            read_sentence(hypothesis ? "hypothesis" : "premise", text, judge.model->options.stems);
        if (hypothesis) answers.push_back(answer(judge, pair));
      });
  if (!hypothesis) throw ValueError(fmt::format("line {}: no hypothesis comes after it", lines));
  if (!flags.picture.empty()) train::write_png(flags.picture, picture_of(answers));
}

void add_common_flags(CLI::App& app, Flags& flags) {
  command_line::add_seed(app, flags.trainer.seed);
  command_line::add_fields(app, flags.corpus);
  add_size(app, "--show", flags.show, 0, "test pairs in the report and the picture");
  command_line::add_report(app, flags.report);
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Does a sentence follow from another?");
  CLI::App* train = app.add_subcommand("train", "learn from pairs, test, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "test a trained model, draw, report");
  CLI::App* ask = app.add_subcommand("ask", "judge pairs of lines: a premise, its hypothesis");
  add_common_flags(*train, flags);
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.model, flags.trainer, flags.known);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "fewer pairs and epochs, a smaller model: in seconds");
  add_common_flags(*test, flags);
  for (CLI::App* each : {test, ask}) command_line::add_folder(*each, "--model", flags.trainer.out);
  for (CLI::App* each : {train, test, ask}) {
    command_line::add_threads(*each, flags.threads);
    each->add_option("--picture", flags.picture, "the file of where it looked, a PNG");
  }
  return command_line::run("entailment", app, argc, argv, [&] {
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
    if (*ask) ask_command(flags);
  });
}

}  // namespace
}  // namespace entailment

int main(int argc, char** argv) { return entailment::run(argc, argv); }
