// document_classifier train | evaluate | predict: see README.md.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>

#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../core/error.h"
#include "../../data/word_vectors.h"
#include "../../io/file.h"
#include "../../train/curves.h"
#include "../../train/report.h"
#include "../../train/shade.h"
#include "../command_line.h"
#include "evaluation.h"
#include "trainer.h"

namespace document_classifier {
namespace {

using command_line::add_number;
using command_line::add_size;
using command_line::at_most;

const command_line::Renamed kRenamed = {{"learned_subwords", "--subwords"}};

struct Flags {
  CorpusOptions corpus;
  Limits limits;
  TrainerOptions trainer;
  ModelOptions model;
  WordOptions words;
  Index show = 30;
  int threads = 0;
  bool quick = false;
  bool lines = false;
  std::string report, file;
};

data::Vocabulary vocabulary_of(const Corpus& corpus, const Flags& flags) {
  data::WordCounts counts;
  for (const Example& example : corpus.train) data::count_words(example.document, counts);
  return data::Vocabulary::from_counts(
      counts, {.min_count = flags.words.min_count, .max_words = flags.words.vocabulary});
}

// Words that have a vector begin with it.
void begin_with(const data::WordVectors& vectors, Classifier& classifier) {
  const Tensor& weight = classifier.model->embedding.weight;
  Array rows = weight.array().clone();
  const Index known = data::copy_known(vectors, classifier.vocabulary, rows);
  const NoGrad scope;
  weight.copy_(Tensor(rows));
  fmt::print("vectors: {} of {} words have one\n", known, classifier.vocabulary.size() - 2);
}

// Test, print, write the report; the last line is the one that scripts read.
void conclude(Classifier& classifier, const std::vector<Example>& test,
              const train::Training* training, const Flags& flags) {
  const Evaluation result = evaluate(classifier, test, 2 * flags.trainer.batch, flags.show);
  const train::Confusion& confusion = result.classified.confusion();
  const std::string accuracy = fmt::format("{:.4f}", confusion.accuracy());
  train::Report report("Hierarchical attention: document classification");
  report.add_fact("accuracy", accuracy);
  report.add_fact("macro F1", fmt::format("{:.4f}", confusion.macro_f1()));
  report.add_fact("test documents", std::to_string(confusion.total()));
  if (!std::isnan(result.evidence)) {
    report.add_fact("attention on evidence", fmt::format("{:.2f}", result.evidence));
  }
  report.add_fact("parameters", std::to_string(classifier.model->parameter_count()));
  report.add_fact("pooling", classifier.model->options.pooling);
  if (training) train::add_curves(report, *training);
  report.add_confusion(confusion, classifier.classes);
  for (std::size_t i = 0; i < result.shown.size(); ++i) {
    const Prediction& p = result.shown[i];
    report.add_document({classifier.classes[static_cast<std::size_t>(test[i].document.label)],
                         classifier.classes[static_cast<std::size_t>(p.label)],
                         p.probabilities[static_cast<std::size_t>(p.label)], p.text});
  }
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  fmt::print("test loss {:.4f}  macro F1 {:.4f}  documents {}\n", result.classified.loss(),
             confusion.macro_f1(), confusion.total());
  for (Index c = 0; c < confusion.classes(); ++c) {
    fmt::print("  {:<16} precision {:.4f}  recall {:.4f}  F1 {:.4f}\n",
               classifier.classes[static_cast<std::size_t>(c)], confusion.precision(c),
               confusion.recall(c), confusion.f1(c));
  }
  const std::string evidence =
      std::isnan(result.evidence) ? "" : fmt::format("  evidence {:.2f}", result.evidence);
  fmt::print("accuracy {}{}  report {}\n", accuracy, evidence, path);
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.quick) {
    at_most(flags.trainer.epochs, 5);
    at_most(flags.corpus.generated_train, 3000);
  }
  Classifier classifier;
  if (flags.trainer.resume) {
    classifier = load(flags.trainer.out);
    const ModelOptions& had = classifier.model->options;
    if (!flags.words.vectors.empty())
      flags.model.embedding = had.embedding;  // as wide as the vectors
    command_line::check_resumed(app, flags.model, had);
    command_line::check_resumed(app, flags.limits, classifier.reader.limits);
    command_line::check_resumed(app, flags.words, classifier.words, kRenamed);
  } else {
    classifier.words = flags.words;
    flags.corpus.subwords = flags.words.subwords;
    classifier.reader.limits = flags.limits;
  }
  Corpus corpus = load_corpus(flags.corpus, classifier.reader, classifier.classes);
  if (!flags.trainer.resume) {
    classifier.classes = corpus.classes;
    classifier.vocabulary = vocabulary_of(corpus, flags);
    flags.model.vocabulary = classifier.vocabulary.size();
    flags.model.classes = static_cast<Index>(corpus.classes.size());
    std::optional<data::WordVectors> vectors;
    if (!flags.words.vectors.empty()) {
      vectors = data::read_word_vectors(flags.words.vectors);
      flags.model.embedding = vectors->rows.size(1);
    }
    classifier.model = std::make_unique<HierarchicalAttention>(flags.model);
    if (vectors) begin_with(*vectors, classifier);
  }
  fmt::print("documents: {} to train on, {} to validate, {} to test; classes: {}\n",
             corpus.train.size(), corpus.validation.size(), corpus.test.size(),
             fmt::join(corpus.classes, ", "));
  fmt::print("vocabulary: {} words; parameters: {}\n", classifier.vocabulary.size(),
             classifier.model->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_classifier(classifier, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(classifier, corpus.test, &training, flags);
}

void evaluate_command(Flags& flags) {
  Classifier classifier = load(flags.trainer.out);
  conclude(classifier, load_test(flags.corpus, classifier.reader, classifier.classes), nullptr,
           flags);
}

void print_prediction(Classifier& classifier, const std::string& text,
                      const std::string& what = "the text") {
  const Prediction p = predict(classifier, text);
  if (p.text.empty()) throw ValueError(fmt::format("predict: {} has no words", what));
  fmt::print("{}\n", classifier.classes[static_cast<std::size_t>(p.label)]);
  for (std::size_t c = 0; c < classifier.classes.size(); ++c) {
    fmt::print("  {:<16} {:.4f}\n", classifier.classes[c], p.probabilities[c]);
  }
  fmt::print("{}", train::shade(p.text, train::detect_shade_style(stdout)));
}

void predict_command(Flags& flags) {
  Classifier classifier = load(flags.trainer.out);
  std::string text = flags.file.empty() || flags.file == "-"
                         ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                         : io::read_file(flags.file);
  if (!flags.lines) return print_prediction(classifier, text);
  std::size_t begin = 0, number = 0;
  bool any = false;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    ++number;
    if (!line.empty()) print_prediction(classifier, line, fmt::format("line {}", number));
    any = any || end > begin;
    begin = end + 1;
  }
  if (!any) throw ValueError("predict: no line has a text");
}

void add_data_flags(CLI::App& app, Flags& flags) {
  app.add_option("--data", flags.corpus.path,
                 "a TSV or JSON-lines file, plain or gzip, or a folder of train*, test* and valid* "
                 "files; left out: generated documents");
  app.add_option("--format", flags.corpus.columns.format,
                 "tsv or jsonl; left out: by the file's name");
  app.add_option("--label", flags.corpus.columns.label,
                 "the label's column (a number from 1, or a name in a header) or field")
      ->default_val("1");
  app.add_option("--text", flags.corpus.columns.text,
                 "the text's column, or one or more fields with commas between")
      ->default_val("2");
  command_line::add_threads(app, flags.threads);
  add_size(app, "--show", flags.show, 0, 100000, "documents in the report");
  command_line::add_report(app, flags.report);
}

void add_train_flags(CLI::App& app, Flags& flags) {
  add_data_flags(app, flags);
  command_line::add_seed(app, flags.trainer.seed, command_line::kSeedOfLearning);
  command_line::add_folder(app, "--out", flags.trainer.out);
  command_line::add_fields(app, kRenamed, flags.trainer, flags.limits, flags.model, flags.words);
  add_number(app, "--validation", flags.corpus.validation_fraction, CLI::Range(0.001, 0.9),
             "part of the training documents held out to choose the best epoch");
  add_number(app, "--test", flags.corpus.test_fraction, CLI::Range(0.001, 0.9),
             "part held out for the test where no file is for it");
  add_size(app, "--documents", flags.corpus.generated_train, 10, 10000000,
           "generated documents to train on");
  command_line::add_stop_and_resume(app, flags.trainer.stop_after, flags.trainer.resume);
  app.add_flag("--quick", flags.quick, "fewer epochs and documents: a trial in seconds");
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Hierarchical attention document classifier");
  CLI::App* train = app.add_subcommand("train", "learn from documents, test, write a report");
  CLI::App* test = app.add_subcommand("evaluate", "test a trained model, write a report");
  CLI::App* guess = app.add_subcommand("predict", "classify a text and show the words attended to");
  add_train_flags(*train, flags);
  add_data_flags(*test, flags);
  test->get_option("--data")->description(
      "a file, all of whose documents count, those that train learned from among them, or the "
      "test* files of a folder; left out: generated documents");
  add_size(*test, "--batch", flags.trainer.batch, 1, 65536, "documents a batch");
  command_line::add_folder(*test, "--model", flags.trainer.out);
  command_line::add_folder(*guess, "--model", flags.trainer.out);
  command_line::add_threads(*guess, flags.threads);
  guess->add_flag("--lines", flags.lines, "each line is a document");
  guess->add_option("file", flags.file, "the text; left out or -: standard input");
  return command_line::run("document_classifier", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
    if (*guess) predict_command(flags);
  });
}

}  // namespace
}  // namespace document_classifier

int main(int argc, char** argv) { return document_classifier::run(argc, argv); }
