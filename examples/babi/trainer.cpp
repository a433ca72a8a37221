#include "trainer.h"

#include <algorithm>
#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../data/loader.h"
#include "../../optim/sgd.h"
#include "../../train/run.h"
#include "../../train/team.h"

namespace babi {

Training train_model(const ModelOptions& model, const std::vector<Example>& examples,
                     const TrainerOptions& options, std::uint64_t seed) {
  const auto parts = without_a_tenth(examples);
  Training out{.model = make_model(model, seed)};
  Generator random(seed + 0x5eed);  // of order and noise
  data::Loader<Batch> batches(
      [&](Generator&, Index) {
        return data::pass_over<Batch>(
            data::cut(static_cast<Index>(parts.first.size()), {}, {.size = options.batch}, random),
            [&](const std::vector<Index>& rows) { return batch_of(parts.first, rows); });
      },
      Generator());
  optim::SGD sgd(out.model->parameters(), {.lr = options.lr});
  const auto learn = [&](bool linear) {
    out.model->set_linear(linear);
    train::Run run(*out.model, sgd,
                   {.epochs = linear ? options.linear_epochs : options.epochs,
                    .clip = options.clip,
                    .last = true,
                    .patience = linear ? options.patience : 0,
                    .quiet = true});
    run.carry("random", random);  // where processes share the run, the order stays one
    run.schedule([&, linear](const train::Moment& at) {
      const auto halvings = static_cast<double>(at.epoch / options.halving);
      return options.lr * (linear ? 0.5 : std::exp2(-halvings));
    });
    if (linear)
      run.validate([&]() -> train::Figures {
        return {{"validation loss", evaluate(*out.model, parts.second).loss}};
      });
    const train::Training done = run(batches, [&](const Batch& batch) {
      const auto found = (*out.model)(batch.story, batch.question, batch.lengths, false, &random);
      const Tensor sum = cross_entropy(found.logits, batch.answers, {.reduction = Reduction::sum});
      if (!train::team()) return train::Loss{sum};
      // Pieces are weighed by their rows, as means are: this is to be the sum of the whole batch.
      const auto rows = static_cast<double>(batch.lengths.size());
      const Index before = (batches.index() - 1) * options.batch;
      const Index whole = std::min(options.batch, std::ssize(parts.first) - before);
      return train::Loss{.tensor = sum * (static_cast<double>(whole) / rows), .weight = rows};
    });
    for (const train::Round& round : done.rounds) out.seconds += round.seconds;
    out.interrupted = done.interrupted;
    return done.rounds.size();
  };
  if (options.linear_epochs > 0) out.linear_epochs = learn(true);
  if (!out.interrupted) learn(false);
  out.model->set_linear(false);
  out.train_loss = evaluate(*out.model, parts.first).loss;
  return out;
}

}  // namespace babi
