// cloze train | evaluate | ask: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../data/cloze_file.h"
#include "../../data/line_reader.h"
#include "../../train/attended_passage.h"
#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../command_line.h"
#include "trainer.h"

namespace cloze {
namespace {

using command_line::at_most;

struct Flags {
  CorpusOptions corpus;
  ModelOptions model;
  command_line::KnownWords known = Reader().known;
  TrainerOptions trainer;
  std::string from, report, picture;  // files
  Index shown = 2;                    // test queries in the report and the picture
  int threads = 0;
  bool quick = false;
};

std::string per_cent(double share) { return train::percent(share, 2) + " %"; }

// Evaluate, print, draw, report; the last line is the one that scripts read.
void conclude(const Reader& reader, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const Score found = evaluate(reader, corpus.test);
  const std::string accuracy = per_cent(found.share(found.right)),
                    frequent = per_cent(found.share(found.frequent));
  train::Report report("Cloze reading");
  report.add_fact("test accuracy", accuracy);
  report.add_fact("most frequent word of a passage", frequent);
  report.add_fact("attention", reader.model->options.attention);
  report.add_fact("parameters", std::to_string(reader.model->parameter_count()));
  train::add_curves(report, training);
  std::vector<train::Picture> pictures;
  for (const Cloze& row : corpus.test) {
    if (static_cast<Index>(pictures.size()) == flags.shown) break;
    const Answer answered = answer(reader, row, "test");
    report.add_document({row.answer, answered.words.front().first, answered.words.front().second,
                         train::attended_passage(row.passage, answered.weights)});
    pictures.push_back(in_picture(row, answered));
  }
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  if (!pictures.empty()) {
    const std::string picture =
        flags.picture.empty() ? flags.trainer.out + "/attention.png" : flags.picture;
    train::write_png(picture, train::stack(pictures));
    fmt::print("where it looked: {}\n", picture);
  }
  fmt::print("test queries {}  most frequent word {}  test accuracy {}  report {}\n", found.count,
             frequent, accuracy, path);
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.corpus.path.empty()) {  // few words: a smaller network is enough
    if (app.count("--width") == 0) flags.model.width = 32;
    if (app.count("--hidden") == 0) flags.model.hidden = 32;
    if (app.count("--dropout") == 0) flags.model.dropout = 0;
    if (app.count("--overlap") == 0) flags.model.overlap = false;  // nor do marks help
    if (app.count("--spelling") == 0) flags.model.spelling = false;
    if (app.count("--epochs") == 0) flags.trainer.epochs = 15;
  }
  if (flags.quick) {
    at_most(flags.trainer.epochs, 10);
    at_most(flags.corpus.stories, 1500);
    at_most(flags.corpus.made, 1);
  }
  Reader reader;
  if (flags.trainer.resume) {
    reader = load_reader(flags.trainer.out);
    command_line::check_resumed(app, flags.model, reader.model->options);
    command_line::check_resumed(app, flags.known, reader.known);
  }
  const Corpus corpus =
      load_corpus(flags.corpus, (reader.model ? reader.model->options : flags.model).longest);
  if (!reader.model) {
    Generator generator(flags.trainer.seed + 0x5c1b);
    reader = make_reader(flags.model, corpus.train, flags.known.min_count, generator);
  }
  fmt::print(
      "queries: {} to train on, {} to validate, {} to test; {} were made, {} left out; "
      "{} words, {} parameters\n",
      corpus.train.size(), corpus.validation.size(), corpus.test.size(), corpus.made,
      corpus.left_out, reader.numbers.words.size(), reader.model->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_reader(reader, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(reader, corpus, training, flags);
}

// The data's own lines, or plain ones.
void ask_command(Flags& flags) {
  const Reader reader = load_reader(flags.trainer.out);
  const std::string path = flags.from.empty() ? "standard input" : flags.from;
  data::LineReader lines(flags.from);
  data::ClozeLines rows(path, true);
  std::vector<train::Picture> pictures;
  std::uint64_t number = 0;
  bool answered = false;
  const auto tell = [&](bool whole) {
    if (!whole) return;
    const Answer found = answer(reader, rows.row(), path);
    fmt::print("{}", in_text(rows.row(), found, train::detect_shade_style(stdout)));
    std::fflush(stdout);
    answered = true;
    if (!flags.picture.empty()) pictures.push_back(in_picture(rows.row(), found));
  };
  for (std::vector<std::string> some; lines.next(some);) {
    for (const std::string& line : some) tell(rows.take(line, ++number));
  }
  tell(rows.finish());
  if (!answered) throw FormatError::at_line(path, number + 1, "no passage with a query");
  if (!pictures.empty()) train::write_png(flags.picture, train::stack(pictures));
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Which word of a passage fills the blank?");
  CLI::App* train = app.add_subcommand("train", "learn to read, evaluate, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "evaluate a trained model, draw, report");
  CLI::App* ask = app.add_subcommand(
      "ask", "answer passages with a query last, that has XXXXX, an empty line after each");
  for (CLI::App* each : {train, test}) {
    command_line::add_seed(*each, flags.trainer.seed);
    command_line::add_fields(*each, flags.corpus);
    command_line::add_size(*each, "--shown", flags.shown, 0, 100,
                           "test queries in the report and the picture");
    command_line::add_report(*each, flags.report);
  }
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.model, flags.trainer, flags.known);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "fewer passages and epochs: a trial in seconds");
  for (CLI::App* each : {test, ask}) command_line::add_folder(*each, "--model", flags.trainer.out);
  ask->add_option("--from", flags.from,
                  "the file to read, plain or gzip; left out: standard input");
  for (CLI::App* each : {train, test, ask}) {
    command_line::add_threads(*each, flags.threads);
    each->add_option("--picture", flags.picture, "the file of where it looked, a PNG");
  }
  return command_line::run("cloze", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    flags.corpus.seed = flags.trainer.seed;
    if (*train) train_command(*train, flags);
    if (*test) {
      const Reader reader = load_reader(flags.trainer.out);
      conclude(reader, load_corpus(flags.corpus, reader.model->options.longest), {}, flags);
    }
    if (*ask) ask_command(flags);
  });
}

}  // namespace
}  // namespace cloze

int main(int argc, char** argv) { return cloze::run(argc, argv); }
