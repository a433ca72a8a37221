#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../optim/clip.h"
#include "../../optim/sgd.h"
#include "../../train/interrupt.h"
#include "../training_run.h"

namespace babi {
namespace {

// Weights come from the default generator, which runs side by side share.
std::unique_ptr<MemoryNetwork> model_of(const MemoryNetworkOptions& options, std::uint64_t seed) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  manual_seed(seed);
  return std::make_unique<MemoryNetwork>(options);
}

class Run {
 public:
  Run(MemoryNetwork& model, const std::vector<Example>& train, const TrainerOptions& options,
      std::uint64_t seed)
      : model_(model),
        train_(train),
        options_(options),
        sgd_(model.parameters(), {.lr = options.learning_rate}),
        random_(seed + 0x5eed) {}

  /// False when interrupted within.
  bool epoch(bool linear, double learning_rate) {
    model_.train();
    model_.set_linear(linear);
    sgd_.set_lr(learning_rate);
    const auto order = random_.permutation(static_cast<Index>(train_.size()));
    const auto size = static_cast<std::size_t>(options_.batch_size);
    for (std::size_t from = 0; from < order.size(); from += size) {
      if (train::interrupted()) return false;
      const std::size_t to = std::min(from + size, order.size());
      step({order.begin() + static_cast<std::ptrdiff_t>(from),
            order.begin() + static_cast<std::ptrdiff_t>(to)});
    }
    return true;
  }

 private:
  void step(const std::vector<Index>& which) {
    const Batch batch = batch_of(train_, which);
    const Tensor logits =
        model_(batch.story, batch.question, batch.lengths, false, &random_).logits;
    sgd_.zero_grad();
    cross_entropy(logits, batch.answers, {.reduction = Reduction::sum}).backward();
    optim::clip_grad_norm(model_.parameters(), options_.clip);
    sgd_.step();
  }

  MemoryNetwork& model_;
  const std::vector<Example>& train_;
  const TrainerOptions& options_;
  optim::SGD sgd_;
  Generator random_;
};

}  // namespace

Figures evaluate(MemoryNetwork& model, const std::vector<Example>& examples) {
  if (examples.empty()) throw ValueError("babi: there is no question to evaluate");
  const NoGrad scope;
  model.eval();
  constexpr std::size_t kBatch = 100;
  double loss = 0;
  std::size_t right = 0;
  for (std::size_t from = 0; from < examples.size(); from += kBatch) {
    std::vector<Index> which(std::min(kBatch, examples.size() - from));
    std::iota(which.begin(), which.end(), static_cast<Index>(from));
    const Batch batch = batch_of(examples, which);
    const Tensor logits = model(batch.story, batch.question, batch.lengths).logits;
    loss += cross_entropy(logits, batch.answers, {.reduction = Reduction::sum}).item();
    const auto guesses = argmax(logits, -1).array().to_vector<Index>();
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      const Index answer = examples[from + i].answer;
      right += guesses[i] == answer && answer != data::Vocabulary::kUnknown;
    }
  }
  const auto count = static_cast<double>(examples.size());
  return {loss / count, 1 - static_cast<double>(right) / count};
}

Training train_model(const MemoryNetworkOptions& model, const std::vector<Example>& examples,
                     const TrainerOptions& options, std::uint64_t seed) {
  if (examples.size() < 10) {
    throw ValueError(fmt::format("babi: {} questions are too few to learn from", examples.size()));
  }
  training_run::Stopwatch watch;
  Training out;
  out.model = model_of(model, seed);
  // The same tenth for every seed, so that their training losses compare.
  std::vector<Example> train, held;
  const auto order = Generator(0x4e1d).permutation(static_cast<Index>(examples.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    (i < order.size() / 10 ? held : train).push_back(examples[static_cast<std::size_t>(order[i])]);
  }
  Run run(*out.model, train, options, seed);
  double best = INFINITY;
  Index worse = 0;  // epochs since the best
  while (!out.interrupted && out.linear_epochs < options.linear_epochs) {
    out.interrupted = !run.epoch(true, options.learning_rate / 2);
    ++out.linear_epochs;
    const double loss = evaluate(*out.model, held).loss;
    worse = loss < best ? 0 : worse + 1;
    best = std::min(best, loss);
    if (worse == options.patience) break;
  }
  for (Index e = 0; e < options.epochs && !out.interrupted; ++e) {
    const auto halvings = static_cast<double>(e / options.halving);
    out.interrupted = !run.epoch(false, options.learning_rate * std::exp2(-halvings));
  }
  out.model->set_linear(false);
  out.train_loss = evaluate(*out.model, train).loss;
  out.seconds = watch.lap();
  return out;
}

}  // namespace babi
