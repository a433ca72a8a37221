#include "trainer.h"

#include <fmt/format.h>

#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../train/run.h"
#include "evaluation.h"

namespace entailment {

train::Training train_judge(Judge& judge, const Corpus& corpus, const TrainerOptions& options) {
  PairReader& model = *judge.model;
  data::Loader batches(corpus.train,
                       [&](const std::vector<Index>& rows) {
                         return batch_of(corpus.train, rows, judge.vocabulary);
                       },
                       {.size = options.batch, .by = &Pair::length, .seed = options.seed + 17});
  optim::AdamW adam(model.parameters(), {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(model, adam,
                 options.run({"accuracy", train::lowest("validation loss")},
                             fmt::format("{} pairs", corpus.train.size())));
  run.schedule(optim::rate::cosine(options.epochs, options.lr / 20), train::Per::epoch)
      .files([&] { return files_of(judge); })
      .validate(corpus.validation, 100,
                [&](const std::vector<Pair>& some) { return evaluate(judge, some).part(); });
  return run(batches, [&](const Batch& batch) {
    return train::Loss{.tensor = cross_entropy(model(batch).logits, batch.labels),
                       .weight = static_cast<double>(batch.labels.numel())};
  });
}

}  // namespace entailment
