#include "trainer.h"

#include <fmt/format.h>

#include <functional>

#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../train/run.h"
#include "evaluation.h"

namespace glimpses {

train::Training train_model(GlimpseModel& model, const Digits& digits, const Digits& validation,
                            const TrainerOptions& options) {
  using Rows = std::vector<Index>;
  data::Loader<Rows> batches(
      [&](Generator&, Index pass) {
        Generator order(options.seed + 1000003 * static_cast<std::uint64_t>(pass + 1));
        return data::pass_over<Rows>(data::cut(digits.count(), {}, {.size = options.batch}, order),
                                     std::identity());
      },
      Generator());
  Generator places(options.seed + 17);  // of digits in larger images
  optim::AdamW adam(model.parameters(), {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(
      model, adam,
      options.run({train::lowest("validation error %")}, fmt::format("{} digits", digits.count())));
  run.schedule(optim::rate::cosine(batches.count() * options.epochs, options.lr / 100))
      .files([&] { return files_of(model); })
      .carry("places", places)
      .validate([&]() -> train::Figures {
        return {{"validation error %", 100 * (1 - evaluate(model, validation).accuracy()), 2}};
      });
  return run(batches, [&](const Rows& rows) {
    const Batch batch = batch_of(digits, rows, model.options.size, model.options.clutter, places);
    const Losses losses = losses_of(model(batch.images, options.samples), batch.labels,
                                    options.samples, options.every, options.reward);
    return train::Loss{.tensor = losses.total,
                       .shown = losses.classes,
                       .weight = static_cast<double>(rows.size()),
                       .also = {{"train error %", 100 * losses.error, 2}}};
  });
}

}  // namespace glimpses
