#include "trainer.h"

#include <fmt/format.h>

#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../optim/adadelta.h"
#include "../../optim/adam.h"
#include "../../optim/decaying_matrices.h"
#include "../../train/run.h"
#include "longest.h"
#include "own_words.h"

namespace translation {
namespace {

// Weight decay is of matrices alone.
std::unique_ptr<optim::Optimizer> optimizer_of(const Translator& model,
                                               const TrainerOptions& options) {
  if (options.optimizer == "adadelta") {
    const optim::AdadeltaOptions made{
        .lr = options.lr, .rho = 0.95, .weight_decay = options.weight_decay};
    return std::make_unique<optim::Adadelta>(optim::decaying_matrices(model.parameters(), made));
  }
  const optim::AdamWOptions made{
      .lr = options.lr, .betas = {0.9, 0.98}, .eps = 1e-9, .weight_decay = options.weight_decay};
  return std::make_unique<optim::AdamW>(optim::decaying_matrices(model.parameters(), made));
}

}  // namespace

train::Training train_translator(Language& language, const Part& train, const Part& validation,
                                 const TrainerOptions& options) {
  Translator& model = *language.model;
  const std::vector<Example> pairs = encode(language, train), judged = encode(language, validation);
  check_longest(model.options, pairs);  // now, not after hours
  check_longest(model.options, judged);
  const auto optimizer = optimizer_of(model, options);
  train::RunOptions how = options.run(
      {"BLEU"}, fmt::format("{} pairs to train on, {} to validate", pairs.size(), judged.size()));
  how.average = options.average;
  how.save_every = options.save_steps;
  how.setting += ", --optimizer " + options.optimizer;
  if (options.packed) how.setting += " and --packed";
  if (validation.score_by == train::BleuTokens::characters) how.setting += ", scored by characters";
  train::Run run(model, *optimizer, how);
  run.schedule([&](const train::Moment& at) {
       return optim::rate_at(options.lr, options.warm_up, options.fall, at.step, at.done);
     })
      .files([&] { return files_of(language); })
      .validate(
          std::ssize(judged), 200,
          [&](const std::vector<Index>& some) {
            return judge(language, validation, some, 4 * options.batch);
          },
          shown_of);
  const auto run_over = [&](auto make) {
    auto batches = epochs_of(pairs, options.batch, options.packed, options.seed, make);
    batches.contents(pairs, &Example::source, &Example::target);
    return run(batches, [&](const auto& batch, const train::Moment& at) {
      const auto read = with_own_words(model, batch, options.own_words * at.done);
      const Tensor logits = model.logits(features_of(model, read));
      return train::Loss{.tensor = cross_entropy(logits, batch.targets,
                                                 {.label_smoothing = options.label_smoothing}),
                         .weight = static_cast<double>(batch.targets.numel())};
    });
  };
  return options.packed ? run_over(packed_batch_of) : run_over(batch_of);
}

}  // namespace translation
