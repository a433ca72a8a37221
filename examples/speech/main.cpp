// speech train | evaluate | speak | listen: see README.md.

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <set>

#include "../../io/file.h"
#include "../../train/curves.h"
#include "../../train/percent.h"
#include "../../train/report.h"
#include "../command_line.h"
#include "evaluation.h"
#include "trainer.h"

namespace speech {
namespace {

using command_line::add_size;
using command_line::at_most;

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  Index beam = 1, show = 2;
  int threads = 0;
  bool quick = false;
  std::string report, picture, digits, file;
};

void set_up(Flags& flags) {
  command_line::set_up(flags.threads, flags.trainer.seed);
  flags.corpus.seed = flags.trainer.seed;
}

std::string percent(double share, int digits = 2) { return train::percent(share, digits) + " %"; }

// Test, print, draw, report; the last line is the one that scripts read.
void conclude(const Listener& model, const Corpus& corpus, const train::Training& training,
              const Flags& flags) {
  const CorpusOptions& o = flags.corpus;
  Generator drawn(o.seed + 211);
  const auto test = data::draw_utterances(corpus.test, o.strings, o.shortest, o.longest, drawn);
  const auto longer = data::draw_utterances(corpus.test, std::max<Index>(1, o.strings / 3),
                                            o.long_digits, o.long_digits, drawn);
  train::Report report("Spoken digits");
  const auto tell = [&](const std::string& name, const std::vector<Utterance>& some, Index beam) {
    const Evaluation found = evaluate(model, some, beam);
    const train::Edits& edits = found.errors.edits();
    const std::string key = fmt::format("{} digits, beam {}: ", name, beam);
    const std::string error = percent(found.errors.rate()), place = percent(found.in_place, 1);
    fmt::print(
        "{}digit error {} ({} substituted, {} deleted, {} inserted of {}), strings wrong {}, in "
        "its place {}\n",
        key, error, edits.substitutions, edits.deletions, edits.insertions, found.errors.words(),
        percent(found.errors.texts_wrong(), 1), place);
    report.add_fact(key + "digit error", error);
    report.add_fact(key + "in its place", place);
    return found;
  };
  const std::string digits = fmt::format("{} to {}", o.shortest, o.longest);
  std::optional<Evaluation> found;
  for (const Index beam : std::set<Index>{1, flags.beam}) {
    found = tell(digits, test, beam);
    tell(std::to_string(o.long_digits), longer, beam);
  }
  train::add_curves(report, training);
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  if (flags.show > 0) {
    const std::string picture =
        flags.picture.empty() ? flags.trainer.out + "/heard.png" : flags.picture;
    const auto last = test.begin() + std::min(std::ssize(test), flags.show);
    train::write_png(picture, picture_of(model, {test.begin(), last}, flags.beam));
    fmt::print("where it listened: {}\n", picture);
  }
  fmt::print("test digits {}  digit error {}  report {}\n", found->errors.words(),
             percent(found->errors.rate()), path);
}

void train_command(const CLI::App& app, Flags& flags) {
  set_up(flags);
  if (flags.quick) {
    at_most(flags.trainer.steps, 600);
    at_most(flags.trainer.short_steps, 250);
    at_most(flags.corpus.strings, 60);
    at_most(flags.corpus.longest, 4);
    at_most(flags.corpus.long_digits, 10);
    at_most(flags.model.hidden, 32);
  }
  const Corpus corpus = load_corpus(flags.corpus);
  const auto model =
      flags.trainer.resume ? load(flags.trainer.out) : std::make_unique<Listener>(flags.model);
  if (flags.trainer.resume) command_line::check_resumed(app, flags.model, model->options);
  fmt::print("recordings: {} to learn from, {} to validate, {} to test; parameters {}\n",
             corpus.train.size(), corpus.validation.size(), corpus.test.size(),
             model->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_listener(*model, corpus, flags.corpus, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  conclude(*model, corpus, training, flags);
}

void evaluate_command(Flags& flags) {
  set_up(flags);
  const auto model = load(flags.trainer.out);
  conclude(*model, load_corpus(flags.corpus), {}, flags);
}

// A string of test recordings as a file.
void speak_command(Flags& flags) {
  set_up(flags);
  std::vector<Index> digits;
  for (const char each : flags.digits) digits.push_back(each - '0');
  const Corpus corpus = load_corpus(flags.corpus);
  Generator generator(flags.trainer.seed);
  const auto said = data::SpokenStrings(corpus.test).draw(digits, generator);
  io::write_file_atomically(flags.file, data::encode_wav({data::kSpokenRate, said.samples}));
}

void listen_command(Flags& flags) {
  set_up(flags);
  const auto model = load(flags.trainer.out);
  data::SpokenString said;
  said.samples = data::read_wav(flags.file, {.rate = data::kSpokenRate, .shortest = 0.1}).samples;
  const Utterance utterance = data::utterance_of(std::move(said));
  const Heard heard = model->listen(data::batch_of({utterance}), flags.beam).front();
  fmt::print("heard {} digits: {}\n", heard.digits.size(), fmt::join(heard.digits, " "));
  for (std::size_t i = 0; i < heard.digits.size(); ++i) {
    fmt::print("  {} at {:.2f} s\n", heard.digits[i], heard.seconds[i]);
  }
  if (flags.picture.empty()) return;
  train::write_png(flags.picture, picture_of(*model, {utterance}, flags.beam));
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Which digits are said, and when?");
  CLI::App* train =
      app.add_subcommand("train", "learn from strings of recordings, test, draw, report");
  CLI::App* test = app.add_subcommand("evaluate", "test a trained model, draw, report");
  CLI::App* speak = app.add_subcommand("speak", "write a string of test recordings as a WAV file");
  CLI::App* listen = app.add_subcommand("listen", "tell the digits of a WAV file, and their times");
  for (CLI::App* each : {train, test, speak}) {
    command_line::add_seed(*each, flags.trainer.seed);
    command_line::add_fields(*each, flags.corpus);
  }
  for (CLI::App* each : {train, test}) {
    add_size(*each, "--show", flags.show, 0, 1000, "test strings in the picture");
    command_line::add_report(*each, flags.report);
  }
  command_line::add_folder(*train, "--save,--out", flags.trainer.out);
  command_line::add_fields(*train, {{"interval", "--every"}}, flags.model, flags.trainer);
  command_line::add_stop_and_resume(*train, flags.trainer.stop_after, flags.trainer.resume);
  train->add_flag("--quick", flags.quick,
                  "shorter strings, a smaller model, few steps: in seconds");
  for (CLI::App* each : {test, listen})
    command_line::add_folder(*each, "--model", flags.trainer.out);
  speak->add_option("digits", flags.digits, "what is said, as 31415")
      ->required()
      ->check([](const std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos
                   ? ""
                   : "only digits are said";
      });
  for (CLI::App* each : {speak, listen}) {
    each->add_option("file", flags.file, "WAV: one channel, 8,000 samples a second")->required();
  }
  for (CLI::App* each : {train, test, speak, listen})
    command_line::add_threads(*each, flags.threads);
  for (CLI::App* each : {train, test, listen}) {
    add_size(*each, "--beam", flags.beam, 1, 100, "of the search; 1: greedy");
    each->add_option("--picture", flags.picture, "the file of where it listened, a PNG");
  }
  return command_line::run("speech", app, argc, argv, [&] {
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(flags);
    if (*speak) speak_command(flags);
    if (*listen) listen_command(flags);
  });
}

}  // namespace
}  // namespace speech

int main(int argc, char** argv) { return speech::run(argc, argv); }
