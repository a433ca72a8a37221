// compare: every causal self-attention of the library in one language model, trained alike on one
// text: a table of loss, time a step, memory and time a generated token. See ../README.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "../../../autograd/grad_mode.h"
#include "../../../core/allocator.h"
#include "../../../core/error.h"
#include "../../../optim/adam.h"
#include "../../../optim/clip.h"
#include "../../../optim/decaying_matrices.h"
#include "../../command_line.h"
#include "../corpus.h"
#include "../evaluation.h"

namespace language_model {
namespace {

using command_line::add_size;

struct Flags {
  CorpusOptions corpus;
  std::vector<std::string> kinds;
  struct {
    Index steps = 300, batch = 8;
    double lr = 3e-3;
    std::uint64_t seed = 1;
  } trainer;
  Index context = 256, width = 64, heads = 4, layers = 2, far = 4096;
  int threads = 0;
};

ModelOptions model_options(const Flags& flags, const std::string& kind, Index context,
                           Index vocabulary) {
  ModelOptions out;
  out.vocabulary = vocabulary;
  out.width = flags.width;
  out.heads = flags.heads;
  out.layers = flags.layers;
  out.context = context;
  out.positions = Positions::sinusoidal;
  out.attention = kind;
  return out;
}

double ms(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// A model in training.
struct Learner {
  Learner(const ModelOptions& options, const Flags& flags, const std::vector<Index>& all)
      : model(options),
        adam(optim::decaying_matrices(
            model.parameters(),
            optim::AdamWOptions{
                .lr = flags.trainer.lr, .betas = {0.9, 0.99}, .weight_decay = 0.1})),
        places(flags.trainer.seed + 17),
        text(all),
        batch(flags.trainer.batch) {}
  void step() {
    const data::Windows windows = data::random_windows(text, batch, model.options.context, places);
    adam.zero_grad();
    loss_of(model, windows).backward();
    optim::clip_grad_norm(model.parameters(), 1);
    adam.step();
  }

  LanguageModel model;
  optim::AdamW adam;
  Generator places;
  const std::vector<Index>& text;
  Index batch;
};

double validation_loss(const LanguageModel& model, const std::vector<Index>& text) {
  const NoGrad scope;
  double sum = 0, count = 0;
  for (const data::Windows& part : data::all_windows(text, 16, model.options.context)) {
    const auto tokens = static_cast<double>(part.targets.numel());
    sum += loss_of(model, part).item() * tokens;
    count += tokens;
  }
  return sum / count;
}

// What a step takes beside the model, its gradients and the optimizer's state: in MB.
double step_memory(Learner& learner) {
  release_cached_memory();
  const std::int64_t before = memory_stats().reserved_bytes;
  learner.step();
  return static_cast<double>(memory_stats().reserved_bytes - before) * 1e-6;
}

// A token behind `past` others, in milliseconds: by a step where the kind has such, else all is
// read again.
double token_ms(const LanguageModel& model, Index past) {
  const NoGrad scope;
  const Tensor text = zeros(Shape{1, past}, DType::i64), next = zeros(Shape{1, 1}, DType::i64);
  std::vector<double> all;
  if (!model.kind.steps) {
    for (int i = 0; i < 3; ++i) all.push_back(ms([&] { model(text); }));
    return median(all);
  }
  Past held;
  model.step(text, held);
  for (int i = 0; i < 21; ++i) all.push_back(ms([&] { model.step(next, held); }));
  return median(all);
}

struct Text {
  std::vector<Index> train, validation;
  Index vocabulary;
};

void row(const std::string& kind, const Flags& flags, const Text& text, Learner& dot) {
  manual_seed(flags.trainer.seed);
  Learner learner(model_options(flags, kind, flags.context, text.vocabulary), flags, text.train);
  learner.step();
  const double memory = step_memory(learner);
  for (Index i = 2; i < flags.trainer.steps; ++i) learner.step();
  learner.model.eval();
  const double loss = validation_loss(learner.model, text.validation);
  learner.model.train();
  std::vector<double> own, beside;
  for (int i = 0; i < 11; ++i) {
    own.push_back(ms([&] { learner.step(); }));
    beside.push_back(ms([&] { dot.step(); }));
  }
  LanguageModel writer(model_options(flags, kind, flags.far + 64, text.vocabulary));
  writer.eval();
  const double near = token_ms(writer, flags.context), far = token_ms(writer, flags.far);
  fmt::print("| {} | {} | {:.3f} | {:.1f} | {:.2f} | {:.1f} | {:.2f}{} | {:.2f} |\n", kind,
             learner.model.parameter_count(), loss, median(own), median(own) / median(beside),
             memory, near, learner.model.kind.steps ? "" : " (all again)", far);
  std::fflush(stdout);
}

void compare(const Flags& flags) {
  const data::TextLevel level = data::TextLevel::characters;
  const Corpus corpus = load_corpus(flags.corpus, level);
  const data::Vocabulary vocabulary = data::vocabulary_of(corpus.train, level);
  const Text text{data::encode(corpus.train, level, vocabulary),
                  data::encode(corpus.validation, level, vocabulary), vocabulary.size()};
  fmt::print(
      "| `--attention` | parameters | validation loss, nats | a step, ms | of dot's | memory of a "
      "step, MB | a token at T {}, ms | at T {} |\n|---|---|---|---|---|---|---|---|\n",
      flags.context, flags.far);
  manual_seed(flags.trainer.seed);
  Learner dot(model_options(flags, "dot", flags.context, text.vocabulary), flags, text.train);
  if (!flags.kinds.empty()) {
    for (const std::string& kind : flags.kinds) row(kind, flags, text, dot);
    return;
  }
  for (const attention::SelfAttentionKind& kind : attention::self_attention_kinds()) {
    row(kind.name, flags, text, dot);
  }
}

int run(int argc, char** argv) {
  Flags flags;
  CLI::App app("Every causal self-attention in one language model, trained alike: a table");
  CLI::App& table = *app.add_subcommand("table", "train all kinds, or some, and print a row each");
  table.add_option("--data", flags.corpus.path, "a text, plain or gzip; left out: generated text");
  table.add_option("--attention", flags.kinds, "these kinds alone, instead of all");
  add_size(table, "--steps", flags.trainer.steps, 2, "of training");
  add_size(table, "--batch", flags.trainer.batch, 1, "windows of text a step");
  add_size(table, "--context", flags.context, 1, "tokens of a window");
  add_size(table, "--width", flags.width, 1, "features of a token");
  add_size(table, "--heads", flags.heads, 1, "of each layer");
  add_size(table, "--layers", flags.layers, 1, "of the model");
  add_size(table, "--far", flags.far, 1, "tokens behind which a generated one is timed, too");
  command_line::add_seed(table, flags.trainer.seed, command_line::kSeedOfLearning);
  command_line::add_threads(table, flags.threads);
  return command_line::run("compare", app, argc, argv, [&] {
    command_line::set_up(flags.threads, flags.trainer.seed);
    compare(flags);
  });
}

}  // namespace
}  // namespace language_model

int main(int argc, char** argv) { return language_model::run(argc, argv); }
