// language_model train | evaluate | generate | look: see README.md.

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "../../autograd/grad_mode.h"
#include "../../core/error.h"
#include "../../core/quoted.h"
#include "../../data/utf8.h"
#include "../../train/curves.h"
#include "../../train/report.h"
#include "../../train/self_attention.h"
#include "../command_line.h"
#include "corpus.h"
#include "evaluation.h"
#include "sampling.h"
#include "trainer.h"

namespace language_model {
namespace {

using command_line::add_choice;
using command_line::add_number;
using command_line::add_size;
using command_line::at_most;

struct Flags {
  CorpusOptions corpus;
  TrainerOptions trainer;
  ModelOptions model;
  SamplingOptions sampling;
  std::string level = "char";
  std::string prompt;
  command_line::KnownTokens known;
  int threads = 0;
  bool quick = false;
  io::Quantize quantize = io::Quantize::none;
  std::string report;
  std::string text, output = "attention";
};

// "1.8642 nats, 2.69 bits a character" or "4.81 nats, perplexity 122.7".
std::string in_words(double loss, data::TextLevel level) {
  if (level == data::TextLevel::words)
    return fmt::format("{:.4f} nats, perplexity {:.2f}", loss, std::exp(loss));
  return fmt::format("{:.4f} nats, {:.3f} bits a character", loss, loss / std::numbers::ln2);
}

// Without a prompt a line begins.
std::vector<Index> prompt_of(const Language& language, const std::string& prompt) {
  if (prompt.empty()) return encode("\n", language.level, language.vocabulary);
  const std::string text = data::repair_utf8(prompt);
  const std::vector<Index> ids = encode(text, language.level, language.vocabulary);
  if (ids.empty()) throw ValueError("--prompt: it has no words");
  const auto tokens = tokens_of(text, language.level);
  for (std::size_t i = 0; language.level == data::TextLevel::characters && i < ids.size(); ++i) {
    if (ids[i] != data::Vocabulary::kUnknown) continue;
    throw ValueError(
        fmt::format("--prompt: the character {} is not among those learned", in_quotes(tokens[i])));
  }
  return ids;
}

void write_on(const Language& language, const Flags& flags) {
  if (flags.sampling.length == 0) return;
  Generator generator(flags.trainer.seed + 31);
  language.model->eval();
  const std::vector<Index> prompt = prompt_of(language, flags.prompt);
  std::vector<Index> text = flags.prompt.empty() ? std::vector<Index>{} : prompt;
  const std::vector<Index> more = sample(*language.model, prompt, flags.sampling, generator);
  text.insert(text.end(), more.begin(), more.end());
  fmt::print("{}\n", decode(text, language.level, language.vocabulary));
}

// Evaluate, print, write the report; the last line is the one that scripts read.
void conclude(Language& language, const Corpus& corpus, const train::Training* training,
              const Flags& flags) {
  const auto loss_of = [&](const std::string& text) {
    return evaluate(language, encode(text, language.level, language.vocabulary),
                    4 * flags.trainer.batch, flags.trainer.packed);
  };
  train::Report report("A language model");
  const double loss = loss_of(corpus.validation);
  report.add_fact("validation", in_words(loss, language.level));
  if (!corpus.test.empty()) {
    const std::string test = in_words(loss_of(corpus.test), language.level);
    report.add_fact("test", test);
    fmt::print("test loss {}\n", test);
  }
  if (!std::isnan(corpus.validation_nats)) {
    const auto tokens = static_cast<double>(tokens_of(corpus.validation, language.level).size());
    const std::string entropy = fmt::format("{:.4f}", corpus.validation_nats / tokens);
    report.add_fact("entropy of the text", entropy + " nats");
    fmt::print("the text's own entropy is {} nats: no model can do better\n", entropy);
  }
  report.add_fact("parameters", std::to_string(language.model->parameter_count()));
  report.add_fact("layers", std::to_string(language.model->options.layers));
  report.add_fact("context", std::to_string(language.model->options.context));
  report.add_fact("attention", language.model->options.attention);
  if (training) train::add_curves(report, *training, "step");
  const std::string path = command_line::report_path(flags.report, flags.trainer.out);
  report.save(path);
  fmt::print("validation loss {}  report {}\n", in_words(loss, language.level), path);
}

void train_command(const CLI::App& app, Flags& flags) {
  if (flags.quick) {
    at_most(flags.trainer.steps, 300);
    at_most(flags.corpus.sentences, 2000);
    at_most(flags.model.layers, 2);
  }
  Language language;
  if (flags.trainer.resume) {
    language = load(flags.trainer.out);
    command_line::check_resumed(app, flags.model, language.model->options);
    command_line::check_resumed(app, flags.known, language.known);
    if (app.count("--level") > 0 && data::text_level(flags.level) != language.level)
      throw ValueError("--resume: the model in the folder has another --level than " + flags.level);
  } else {
    language.level = data::text_level(flags.level);
  }
  language.batch = flags.trainer.batch;  // the run's setting has it, too
  const Corpus corpus = load_corpus(flags.corpus, language.level);
  if (!flags.trainer.resume) {
    language.known = flags.known;
    language.vocabulary = vocabulary_of(corpus.train, language.level, flags.known.vocabulary);
    flags.model.vocabulary = language.vocabulary.size();
    language.model = std::make_unique<LanguageModel>(flags.model);
  }
  prompt_of(language, flags.prompt);  // refused now, not after the training
  const auto text = encode(corpus.train, language.level, language.vocabulary);
  const auto validation = encode(corpus.validation, language.level, language.vocabulary);
  fmt::print("tokens: {} to train on, {} to validate; vocabulary {}; parameters {}\n", text.size(),
             validation.size(), language.vocabulary.size(), language.model->parameter_count());
  std::fflush(stdout);
  const train::Training training = train_language(language, text, validation, flags.trainer);
  if (training.interrupted) return command_line::print_interrupted(flags.trainer.out);
  write_on(language, flags);
  conclude(language, corpus, &training, flags);
}

Language loaded(const Flags& flags) {
  Language language = load(flags.trainer.out);
  io::quantize(*language.model, flags.quantize);
  return language;
}

void evaluate_command(const CLI::App& app, Flags& flags) {
  Language language = loaded(flags);
  if (app.count("--batch") == 0) flags.trainer.batch = language.batch;
  conclude(language, load_corpus(flags.corpus, language.level), nullptr, flags);
}

void generate_command(Flags& flags) { write_on(loaded(flags), flags); }

// The page and the picture of the whole stack's self-attention.
void look_command(const Flags& flags) {
  const Language language = load(flags.trainer.out);
  const std::string text = data::repair_utf8(flags.text);
  const std::vector<Index> ids = encode(text, language.level, language.vocabulary);
  if (ids.empty()) throw ValueError("--text: it has no words");
  const NoGrad scope;
  language.model->eval();
  train::SelfAttended seen{{}, language.model->looks(Tensor(Array::from(ids)))};
  for (const std::string_view token : tokens_of(text, language.level)) {
    seen.words.emplace_back(token == "\n" ? "↵" : token == " " ? "␣" : token);
  }
  train::write_self_attention(flags.output, "What a language model looks at", seen);
  fmt::print("{0} tokens, {1} layers of {2} heads: {3}.html, {3}.png\n", ids.size(),
             seen.layers.size(), seen.layers[0].size(0), flags.output);
}

void add_data_flags(CLI::App& app, Flags& flags) {
  command_line::add_threads(app, flags.threads);
  app.add_option("--data", flags.corpus.path,
                 "a text, plain or gzip, whose last tenth is for validation, or a folder of files "
                 "named train, valid and perhaps test; left out: generated text");
  add_size(app, "--sentences", flags.corpus.sentences, 10, "generated sentences to train on");
  app.add_flag("--packed", flags.trainer.packed,
               "whole lines, one behind the other, that see themselves alone, instead of windows");
  command_line::add_report(app, flags.report);
}

void add_sampling_flags(CLI::App& app, Flags& flags) {
  add_size(app, "--generate", flags.sampling.length, 0, "tokens to write");
  app.add_option("--prompt", flags.prompt, "what they follow; left out: the begin of a line");
  add_number(app, "--temperature", flags.sampling.choice.temperature, CLI::Range(0.0, 100.0),
             "below 1 the likely comes more often; 0: always the likeliest");
  add_size(app, "--top-k", flags.sampling.choice.top_k, 0,
           "draw among the k likeliest; 0: among all");
  add_number(app, "--top-p", flags.sampling.choice.top_p, CLI::Range(1e-9, 1.0),
             "draw among the likeliest that have this share together");
  add_number(app, "--min-p", flags.sampling.choice.min_p, CLI::Range(0.0, 1.0),
             "draw among those at least so likely, as a share of the likeliest");
}

void add_train_flags(CLI::App& app, Flags& flags) {
  add_data_flags(app, flags);
  command_line::add_seed(app, flags.trainer.seed, command_line::kSeedOfLearning);
  add_sampling_flags(app, flags);
  command_line::add_folder(app, "--save,--out", flags.trainer.out);
  add_choice(app, "--level", flags.level, {"char", "word"},
             "tokens are characters (char) or words (word)");
  command_line::add_fields(app, flags.known, flags.model, flags.trainer);
  command_line::add_stop_and_resume(app, flags.trainer.stop_after, flags.trainer.resume);
  app.add_flag("--quick", flags.quick, "fewer steps, layers and sentences: a trial in seconds");
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Language models: Transformers, LSTMs, memories");
  CLI::App* train = app.add_subcommand("train", "learn from a text, evaluate, write a report");
  CLI::App* test = app.add_subcommand("evaluate", "evaluate a trained model, write a report");
  CLI::App* write = app.add_subcommand("generate", "let a trained model write");
  add_train_flags(*train, flags);
  add_data_flags(*test, flags);
  add_size(*test, "--batch", flags.trainer.batch, 1, "windows of text a step")
      ->default_str("as in training");
  command_line::add_folder(*test, "--model", flags.trainer.out);
  command_line::add_seed_and_threads(*write, flags);
  add_sampling_flags(*write, flags);
  command_line::add_folder(*write, "--model", flags.trainer.out);
  for (CLI::App* each : {test, write}) command_line::add_quantize(*each, flags.quantize);
  CLI::App* look = app.add_subcommand("look", "show what each layer and head looks at in a text");
  command_line::add_threads(*look, flags.threads);
  command_line::add_folder(*look, "--model", flags.trainer.out);
  look->add_option("--text", flags.text, "no longer than the model's context")->required();
  look->add_option("--output", flags.output,
                   "writes OUTPUT.html, a page to explore, and OUTPUT.png")
      ->capture_default_str();
  return command_line::run("language_model", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    if (*train) train_command(*train, flags);
    if (*test) evaluate_command(*test, flags);
    if (*write) generate_command(flags);
    if (*look) look_command(flags);
  });
}

}  // namespace
}  // namespace language_model

int main(int argc, char** argv) { return language_model::run(argc, argv); }
