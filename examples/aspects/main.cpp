// aspects train | evaluate | ask: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../data/line_reader.h"
#include "../../data/utf8.h"
#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../command_line.h"
#include "tagging.h"
#include "trainer.h"

namespace aspects {
namespace {

using command_line::add_size;

struct Flags {
  CorpusOptions corpus;
  ModelOptions model;
  TrainerOptions trainer;
  BeginOptions begin;
  std::string report, picture;  // files
  Index shown = 3;              // sentences in the picture
  int threads = 0;
  bool quick = false;
};

void set_up(Flags& flags) {
  command_line::set_up(flags.threads, flags.trainer.seed);
  flags.corpus.seed = flags.trainer.seed;
}

std::string per_cent(double share) { return train::percent(share, 2) + " %"; }

// The first test sentences that have terms of both kinds and are not long.
void draw(const Reader& reader, const std::vector<TaggedSentence>& sentences, Index count,
          const std::string& path) {
  std::vector<train::Picture> pictures;
  for (const TaggedSentence& sentence : sentences) {
    if (static_cast<Index>(pictures.size()) == count) break;
    const bool terms =
        !train::spans_of(sentence.tags[0]).empty() && !train::spans_of(sentence.tags[1]).empty();
    if (terms && sentence.words.size() <= 24)
      pictures.push_back(in_picture(sentence.words, tag(reader, sentence.words)));
  }
  if (pictures.empty()) return;
  train::write_png(path, train::stack(pictures));
  fmt::print("where it looked: {}\n", path);
}

// Evaluate, print, write picture and report; the last line is the one that scripts read.
void conclude(const Reader& reader, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const auto found = evaluate(*reader.tagger, encode(corpus.test, reader.vocabulary));
  train::Report report("Aspect and opinion terms");
  for (std::size_t side = 0; side < 2; ++side) {
    const train::SpanF1& of = found[side];
    report.add_fact(fmt::format("{}, F1", kSides[side]), per_cent(of.f1()));
    fmt::print("{}: precision {}, recall {}, {} of {} spans\n", kSides[side],
               per_cent(of.precision()), per_cent(of.recall()), of.right(), of.truths());
  }
  report.add_fact("attention", reader.tagger->options.attention);
  report.add_fact("parameters", std::to_string(reader.tagger->parameter_count()));
  train::add_curves(report, training);
  if (flags.shown > 0 && reader.tagger->attend != nullptr)
    draw(reader, corpus.test, flags.shown, flags.trainer.out + "/attention.png");
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  fmt::print("test F1 aspects {}, opinions {}  report {}\n", per_cent(found[0].f1()),
             per_cent(found[1].f1()), path);
}

Reader begin(const Flags& flags, const Corpus& corpus) {
  if (flags.trainer.resume) return load_reader(flags.trainer.out);
  if (const std::string& path = flags.begin.vectors; !path.empty()) {
    Reader reader = make_reader(flags.model, data::read_word_vectors(path));
    reader.begin = flags.begin;
    return reader;
  }
  std::vector<Words> texts;
  for (const TaggedSentence& sentence : corpus.train) texts.push_back(sentence.words);
  Generator generator(flags.trainer.seed + 0x5c1b);
  return make_reader(flags.model,
                     data::learn_word_vectors(texts, 1, {.width = flags.model.width}, generator));
}

void train_command(const CLI::App& app, Flags& flags) {
  const bool generated = flags.corpus.path.empty();  // few words: a smaller network is enough
  if (generated && app.count("--hidden") == 0) flags.model.hidden = 25;
  if (generated && app.count("--dropout") == 0) flags.model.dropout = 0.1;
  if (generated && app.count("--patience") == 0) flags.trainer.patience = 20;
  if (flags.quick) {
    command_line::at_most(flags.trainer.epochs, 12);
    command_line::at_most(flags.trainer.batch, 10);
    command_line::at_most(flags.corpus.sentences, 1000);
  }
  const Corpus corpus = load_corpus(flags.corpus);
  Reader reader = begin(flags, corpus);
  if (flags.trainer.resume) {
    command_line::check_resumed(app, flags.model, reader.tagger->options);
    command_line::check_resumed(app, flags.begin, reader.begin);
  }
  fmt::print("sentences: {} to train on, {} to validate, {} to test; {} words, {} parameters\n",
             corpus.train.size(), corpus.validation.size(), corpus.test.size(),
             reader.vocabulary.size(), reader.tagger->parameter_count());
  std::fflush(stdout);
  const auto training = train_tagger(reader, encode(corpus.train, reader.vocabulary),
                                     encode(corpus.validation, reader.vocabulary), flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(reader, corpus, training, flags);
}

// 2 when a line was refused.
int ask_command(const Flags& flags) {
  const Reader reader = load_reader(flags.trainer.out);
  const train::ShadeStyle style = train::detect_shade_style(stdout);
  std::vector<train::Picture> pictures;
  int code = 0;
  std::size_t number = 0;
  data::LineReader lines("");
  for (std::string line; lines.next(line);) {
    ++number;
    try {
      const Words words = words_of(data::repair_utf8(line));
      const Tagged tagged = tag(reader, words);
      if (!flags.picture.empty()) pictures.push_back(in_picture(words, tagged));
      fmt::print("{}", in_text(words, tagged, style));
      std::fflush(stdout);
    } catch (const ValueError& error) {
      code = 2;
      fmt::print(stderr, "aspects: line {}: {}\n", number, error.what());
    }
  }
  if (number == 0) throw ValueError("ask: standard input has no sentence");
  if (!pictures.empty()) train::write_png(flags.picture, train::stack(pictures));
  return code;
}

void add_common_flags(CLI::App& app, Flags& flags) {
  command_line::add_seed(app, flags.trainer.seed);
  command_line::add_threads(app, flags.threads);
  command_line::add_fields(app, flags.corpus);
  add_size(app, "--shown", flags.shown, 0, 100,
           "test sentences in the picture of where it looked; 0: none");
  command_line::add_report(app, flags.report);
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Aspect and opinion terms of reviews by coupled attentions");
  CLI::App* train = app.add_subcommand("train", "learn to tag, evaluate, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "evaluate a trained model, draw, report");
  CLI::App* ask = app.add_subcommand("ask", "tag sentences from standard input, one a line");
  add_common_flags(*train, flags);
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.begin, flags.model, flags.trainer);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick,
                  "fewer sentences and epochs, smaller batches: a trial in seconds");
  add_common_flags(*test, flags);
  command_line::add_folder(*test, "--model", flags.trainer.out);
  command_line::add_folder(*ask, "--model", flags.trainer.out);
  ask->add_option("--png", flags.picture, "a picture of where it looked");
  int code = 0;
  const int failed = command_line::run("aspects", app, argc, argv, [&] {
    set_up(flags);
    if (*train) train_command(*train, flags);
    if (*test) conclude(load_reader(flags.trainer.out), load_corpus(flags.corpus), {}, flags);
    if (*ask) code = ask_command(flags);
  });
  return failed != 0 ? failed : code;
}

}  // namespace
}  // namespace aspects

int main(int argc, char** argv) { return aspects::run(argc, argv); }
