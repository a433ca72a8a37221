// translation train | evaluate | translate | align: see README.md.

#include <fmt/format.h>

#include <cstdio>

#include "../../core/error.h"
#include "../../data/line_reader.h"
#include "../../data/subwords.h"
#include "../../io/file.h"
#include "../../train/alignment_mean.h"
#include "../../train/percent.h"
#include "../../train/shade.h"
#include "../command_line.h"
#include "alignments.h"
#include "report.h"
#include "trainer.h"

namespace translation {
namespace {

using command_line::add_number;
using command_line::add_size;
using command_line::at_most;

const command_line::Renamed kRenamed = {{"kind", "--model"}};

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  WordOptions words;
  TranslateOptions decoding;
  int threads = 0;
  bool quick = false, scores = false;
  io::Quantize quantize = io::Quantize::none;
  std::vector<std::string> folders;
  std::string report, input, output, source, target;
};

void learn_vocabularies(Language& language, const Corpus& corpus, Flags& flags) {
  std::vector<const std::string*> source, target;
  for (const std::string& line : corpus.train.source) source.push_back(&line);
  for (const std::string& line : corpus.train.target) target.push_back(&line);
  if (flags.model.shared) {
    source.insert(source.end(), target.begin(), target.end());
    language.source = language.target = data::learn_coder(source, flags.words);
  } else {
    language.source = data::learn_coder(source, flags.words);
    language.target = data::learn_coder(target, flags.words);
  }
  language.words = flags.words;
  flags.model.source_words = language.source->size();
  flags.model.target_words = language.target->size();
}

// Measures, prints, draws; the last line is the one that scripts read.
void conclude(const Language& language, const Corpus& corpus, const train::Training* training,
              const Flags& flags) {
  const Findings findings = find_out(language, corpus.test, flags.decoding);
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  write_report(path, language, findings, training);
  fmt::print("report {}\n{}", path, in_words(findings, flags.decoding));
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.quick) {
    at_most(flags.corpus.sentences, 2000);
    at_most(flags.trainer.epochs, 5);
    at_most(flags.model.width, 64);
    at_most(flags.model.hidden, 64);
  }
  Language language;
  if (flags.trainer.resume) {
    language = load(flags.trainer.out);
    command_line::check_resumed(app, flags.model, language.model->options, kRenamed);
    command_line::check_resumed(app, flags.words, language.words);
  }
  const Corpus corpus = load_corpus(flags.corpus);
  if (!flags.trainer.resume) {
    learn_vocabularies(language, corpus, flags);
    language.model = make_translator(flags.model);
  }
  fmt::print("pairs: {} to train on, {} to validate, {} to test{}\n", corpus.train.source.size(),
             corpus.validation.source.size(), corpus.test.source.size(),
             corpus.skipped.empty() ? "" : "; not trained on: " + corpus.skipped);
  fmt::print("vocabularies {} and {}; parameters {}\n", language.source->size(),
             language.target->size(), language.model->parameter_count());
  std::fflush(stdout);
  const train::Training training =
      train_translator(language, corpus.train, corpus.validation, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(language, corpus, &training, flags);
}

Language loaded(const Flags& flags) {
  Language language = load(flags.trainer.out);
  io::quantize(*language.model, flags.quantize);
  return language;
}

void evaluate_command(Flags& flags) {
  const Language language = loaded(flags);
  conclude(language, load_corpus(flags.corpus), nullptr, flags);
}

void translate_command(Flags& flags) {
  const Language language = loaded(flags);
  data::LineReader reader(flags.input);
  for (std::vector<std::string> lines; reader.next(lines);) {
    std::size_t line = reader.first();
    for (const auto& found : translate(language, lines, flags.decoding)) {
      if (const Index left_out = found.front().left_out; left_out > 0) {
        fmt::print(stderr, "line {}: its last {} words are left out: the model has places for {}\n",
                   line, left_out, language.model->options.longest);
      }
      for (const Translation& one : found) {
        if (flags.scores) fmt::print("{}\t{}\t", line, train::rounded(one.score, 4));
        fmt::print("{}\n", one.text);
      }
      ++line;
    }
    std::fflush(stdout);
  }
}

void align_command(Flags& flags) {
  const Language language = load(flags.trainer.out);
  if (flags.target.empty()) {
    flags.target = translate(language, {flags.source}, flags.decoding).front().front().text;
  }
  const train::AlignedSentence sentence = align(language, flags.source, flags.target);
  if (!flags.output.empty()) {
    train::write_alignment(flags.output, sentence);
    const train::SelfAttended read = self_attended(language, flags.source);
    if (!read.layers.empty()) {
      train::write_self_attention(flags.output + ".encoder", "What the encoder looks at", read);
    }
  }
  fmt::print("{}\n", train::alignment_text(train::mean_alignment(sentence),
                                           train::detect_shade_style(stdout)));
}

void compare_command(Flags& flags) {
  const Corpus corpus = load_corpus(flags.corpus);
  std::vector<std::pair<std::string, std::vector<train::LengthBleu>>> all;
  for (const std::string& folder : flags.folders) {
    const Language language = load(folder);
    const Findings findings = find_out(language, corpus.test, flags.decoding);
    fmt::print("{}\n{}", folder, in_words(findings, flags.decoding));
    std::fflush(stdout);
    all.emplace_back(folder, findings.measures.by_length);
  }
  io::write_file_atomically(flags.output, train::length_chart(all));
  fmt::print("chart {}\n", flags.output);
}

void add_decoding_flags(CLI::App& app, Flags& flags) {
  add_size(app, "--beam", flags.decoding.beam, 1, "hypotheses a sentence; 1: greedy");
  add_number(app, "--length-penalty", flags.decoding.length_penalty, CLI::Range(0.0, 10.0),
             "0: none; higher ones favour longer translations");
  add_number(app, "--coverage-penalty", flags.decoding.coverage_penalty, CLI::Range(0.0, 10.0),
             "0: none; higher ones favour translations that look at every word");
  add_size(app, "--longest", flags.decoding.longest, 1, "words a translation");
  app.add_flag("!--keep-unknown", flags.decoding.replace_unknown,
               "write <unk>, not the word of the source that was looked at most");
}

void add_data_flags(CLI::App& app, Flags& flags) {
  command_line::add_seed_and_threads(app, flags);
  add_decoding_flags(app, flags);
  command_line::add_fields(app, flags.corpus);
  for (const char* flag : {"--from", "--to", "--test", "--score-by"})
    app.get_option(flag)->needs("--data");
}

void add_train_flags(CLI::App& app, Flags& flags) {
  add_data_flags(app, flags);
  command_line::add_report(app, flags.report);
  command_line::add_fields(app, kRenamed, flags.model, flags.trainer, flags.words);
  command_line::add_folder(app, "--save", flags.trainer.out);
  add_size(app, "--max-words", flags.corpus.max_words, 1, "of a sentence to train on");
  command_line::add_stop_and_resume(app, flags.trainer.stop_after, flags.trainer.resume);
  app.add_flag("--quick", flags.quick, "fewer sentences and epochs, narrower: a trial");
}

void add_use_flags(CLI::App& app, Flags& flags) {
  command_line::add_seed_and_threads(app, flags);
  add_decoding_flags(app, flags);
  command_line::add_folder(app, "--model", flags.trainer.out);
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Translation by encoders and decoders");
  CLI::App* train = app.add_subcommand("train", "learn from sentence pairs, evaluate");
  CLI::App* test = app.add_subcommand("evaluate", "evaluate a trained model");
  CLI::App* write = app.add_subcommand("translate", "translate lines of text");
  CLI::App* show = app.add_subcommand("align", "show where a model looks");
  CLI::App* compare = app.add_subcommand("compare", "BLEU by length of several models");
  add_train_flags(*train, flags);
  add_data_flags(*test, flags);
  command_line::add_report(*test, flags.report);
  command_line::add_folder(*test, "--model", flags.trainer.out);
  add_use_flags(*write, flags);
  write->add_option("--input", flags.input,
                    "a text, plain or gzip, a sentence a line; left out: standard input");
  add_size(*write, "--n-best", flags.decoding.n_best, 1, "translations a line, at most the beam");
  write->add_flag("--scores", flags.scores, "the line's number and the score before each");
  for (CLI::App* each : {test, write}) command_line::add_quantize(*each, flags.quantize);
  add_use_flags(*show, flags);
  show->add_option("source", flags.source, "a sentence")->required();
  show->add_option("target", flags.target, "its translation; left out: the model's own");
  show->add_option("--output", flags.output,
                   "beginning of the names of a .png, a .svg and an .html; left out: none");
  add_data_flags(*compare, flags);
  compare->add_option("models", flags.folders, "folders of models")->required();
  compare->add_option("--output", flags.output, "the chart's file, SVG")->required();
  return command_line::run("translation", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    flags.corpus.seed = flags.trainer.seed;
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
    if (*write) translate_command(flags);
    if (*show) align_command(flags);
    if (*compare) compare_command(flags);
  });
}

}  // namespace
}  // namespace translation

int main(int argc, char** argv) { return translation::run(argc, argv); }
