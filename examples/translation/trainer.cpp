#include "trainer.h"

#include <fmt/format.h>

#include "../../autograd/ops/losses/cross_entropy.h"
#include "longest.h"
#include "optimizer.h"
#include "own_words.h"

namespace translation {
train::Training train_translator(Language& language, const Part& train, const Part& validation,
                                 const TrainerOptions& options) {
  Translator& model = *language.model;
  const std::vector<Example> pairs = encode(language, train), judged = encode(language, validation);
  check_longest(model.options, pairs);  // now, not after hours
  check_longest(model.options, judged);
  const auto optimizer = optimizer_of(model, options);
  train::Run run(
      model, *optimizer,
      {.out = options.out,
       .epochs = options.epochs,
       .clip = options.clip,
       .keep = {"BLEU"},
       .patience = options.patience,
       .average = options.average,
       .save_every = options.save_steps,
       .stop_after = options.stop_after,
       .resume = options.resume,
       .setting = fmt::format(
           "{} pairs to train on, {} to validate, --batch {}, --seed {}, --optimizer {}{}{}",
           pairs.size(), judged.size(), options.batch, options.seed, options.optimizer,
           options.packed ? " and --packed" : "",
           validation.score_by == train::BleuTokens::characters ? ", scored by characters" : "")});
  run.schedule([&](const train::Moment& at) {
       return optim::rate_at(options.lr, options.warm_up, options.fall, at.step, at.done);
     })
      .files([&] { return files_of(language); })
      .validate([&]() -> train::Figures {
        const auto found = translate(language, validation.source, {.beam = 1});
        return {{"validation loss", likelihood(model, judged, 4 * options.batch).loss},
                {"BLEU", measure(best_texts(found), validation).bleu, 2}};
      });
  const auto run_over = [&](auto make) {
    auto batches = epochs_of(pairs, options.batch, options.packed, options.seed, make);
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
