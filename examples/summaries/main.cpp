// summaries train | evaluate | summarise: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../data/words.h"
#include "../../train/attended_passage.h"
#include "../../train/curves.h"
#include "../../train/most_looked_at.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "evaluation.h"
#include "trainer.h"

namespace summaries {
namespace {

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  command_line::KnownWords known = Desk().known;
  AnswerOptions answer;
  Index show = 3;
  int threads = 0;
  bool quick = false;
  std::string report, picture;
};

constexpr Index kColumns = 24;  // words of an article that a picture has room for

// Test, print, draw, report; the last line is the one that scripts read.
void conclude(const Desk& desk, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const auto percent = [](double share) { return train::percent(share, 2); };
  const std::vector<Answer> answers = answer_all(desk, corpus.test, flags.answer);
  const bool picks = desk.editor->options.picks();
  train::Report report("Summaries");
  fmt::print("F in per cent    ROUGE-1  ROUGE-2  ROUGE-L\n");
  const auto row = [&](const std::string& name, const std::vector<Answer>& some) {
    const Measures found = measure(corpus.test, some, desk.vocabulary);
    fmt::print("{:<15} {}\n", name, found.rouge.to_string());
    report.add_fact(name + ", ROUGE-L", percent(found.rouge.l.f) + " %");
    return found;
  };
  const Measures found = row(desk.editor->options.attention, answers);
  row(picks ? "the first" : "the first words", unread(corpus.test, answers, nullptr));
  Generator generator(flags.corpus.seed);
  if (picks) row("at random", unread(corpus.test, answers, &generator));
  std::string line =
      fmt::format("test articles {}  ROUGE-L {} %", corpus.test.size(), percent(found.rouge.l.f));
  const auto add = [&](const char* name, double share) {
    line += fmt::format("  {} {} %", name, percent(share));
    report.add_fact(name, percent(share) + " %");
  };
  if (!picks) add("names", found.names);
  if (!picks) add("repeated", found.repeated);
  train::add_curves(report, training);
  std::vector<train::Alignment> copies;
  for (std::size_t i = 0; i < answers.size() && static_cast<Index>(i) < flags.show; ++i) {
    const data::Article& article = corpus.test[i];
    const Measures own = measure({article}, {answers[i]}, desk.vocabulary);
    const train::Alignment copied = desk.editor->copied(article, answers[i], desk.vocabulary);
    if (!copied.rows.empty()) copies.push_back(copied);
    report.add_document({data::joined(article.title),
                         picks ? "picked, ROUGE-L" : data::joined(answers[i].title), own.rouge.l.f,
                         copied.rows.empty()
                             ? train::marked_passage(article.words, answers[i].picks)
                             : train::passage_looked_at(article.words, copied)});
  }
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  const std::string picture =
      flags.picture.empty() ? flags.trainer.out + "/copied.png" : flags.picture;
  if (train::write_alignments(picture, copies, kColumns))
    fmt::print("which words were copied from where: {}\n", picture);
  fmt::print("{}  report {}\n", line, path);
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.quick) {
    command_line::at_most(flags.trainer.epochs, 4);
    command_line::at_most(flags.corpus.reports, 1000);
    command_line::at_most(flags.model.width, 24);
    command_line::at_most(flags.model.hidden, 32);
    command_line::at_most(flags.answer.beam, 2);
  }
  Desk desk;
  if (flags.trainer.resume) {
    desk = load(flags.trainer.out);
    command_line::check_resumed(app, flags.model, desk.editor->options);
    command_line::check_resumed(app, flags.known, desk.known);
  }
  desk.seed = flags.corpus.seed;
  const Corpus corpus = load_corpus(flags.corpus);
  if (!desk.editor) {
    data::WordCounts counts;
    for (const data::Article& article : corpus.train) data::count_words(article, counts);
    desk.known = flags.known;
    desk.vocabulary = data::vocabulary_with_marks(counts, {.min_count = desk.known.min_count});
    flags.model.vocabulary = desk.vocabulary.size();
    desk.editor = std::make_unique<Editor>(flags.model);
  }
  fmt::print("articles: {} to learn from, {} to validate, {} to test; words {}; parameters {}\n",
             corpus.train.size(), corpus.validation.size(), corpus.test.size(),
             desk.vocabulary.size(), desk.editor->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_editor(desk, corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(desk, corpus, training, flags);
}

void summarise_command(Flags& flags) {
  const Desk desk = load(flags.trainer.out);
  std::vector<train::Alignment> copies;
  command_line::for_texts("an article", data::read_article, [&](const std::string& text) {
    const data::Article article = data::read_article(text);
    const Answer found = answer_all(desk, {article}, flags.answer).front();
    for (const std::string& each : article.chosen(found.picks)) fmt::print("{}\n", each);
    if (found.picks.empty()) fmt::print("{}\n", data::joined(found.title));
    const train::Alignment copied = desk.editor->copied(article, found, desk.vocabulary);
    if (!copied.rows.empty()) {
      const auto style = train::detect_shade_style(stdout);
      fmt::print("{}", alignment_text(train::most_looked_at(copied, kColumns), style));
      copies.push_back(copied);
    }
    std::fflush(stdout);
  });
  if (!flags.picture.empty()) train::write_alignments(flags.picture, copies, kColumns);
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Shortens articles: writes a title, or picks sentences");
  CLI::App* train = app.add_subcommand("train", "learn from articles, test, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "test a trained model, draw, report");
  CLI::App* ask = app.add_subcommand("summarise", "shorten articles, an empty line between two");
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, flags.model, flags.trainer, flags.known);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick, "fewer reports and epochs, a smaller model: in seconds");
  for (CLI::App* each : {train, test}) {
    command_line::add_seed(*each, flags.trainer.seed);
    command_line::add_fields(*each, flags.corpus);
    command_line::add_size(*each, "--show", flags.show, 0, "test articles in report and picture");
    command_line::add_report(*each, flags.report);
  }
  for (CLI::App* each : {test, ask}) command_line::add_folder(*each, "--model", flags.trainer.out);
  for (CLI::App* each : {train, test, ask}) {
    command_line::add_fields(*each, flags.answer);
    command_line::add_threads(*each, flags.threads);
    each->add_option("--picture", flags.picture, "the file of what was copied, a PNG");
  }
  return command_line::run("summaries", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    flags.corpus.seed = flags.trainer.seed;
    if (*train) train_command(*train, flags);
    if (*test) {
      const Desk desk = load(flags.trainer.out);
      flags.corpus.seed = command_line::same_seed(*test, flags.trainer.seed, desk.seed);
      conclude(desk, load_corpus(flags.corpus), {}, flags);
    }
    if (*ask) summarise_command(flags);
  });
}

}  // namespace
}  // namespace summaries

int main(int argc, char** argv) { return summaries::run(argc, argv); }
