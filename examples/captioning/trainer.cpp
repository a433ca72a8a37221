#include "trainer.h"

#include <fmt/format.h>

#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../train/run.h"
#include "../../train/team.h"
#include "writing.h"

namespace captioning {

train::Training train_describer(Describer& describer, const Corpus& corpus,
                                const TrainerOptions& options) {
  Captioner& model = *describer.model;
  auto batches = data::drawn(
      [&](Generator& generator) {
        std::vector<Index> rows(static_cast<std::size_t>(options.batch));
        for (Index& row : rows) row = generator.below(static_cast<Index>(corpus.train.size()));
        return batch_of(corpus.train, rows, describer.vocabulary);
      },
      options.seed + 17);
  batches.contents(corpus.train, &Scene::image, &Scene::words);
  LossOptions loss = options.loss;
  loss.soft_steps = static_cast<Index>(options.soft * static_cast<double>(options.steps));
  CaptionCost cost(loss);
  optim::Adam adam(model.parameters(), {.lr = options.lr});
  train::RunOptions how = options.run({"exact", train::lowest("validation loss")}, "");
  how.setting = fmt::format("{} scenes, --batch {}, --draws {}, --seed {}", corpus.train.size(),
                            options.batch, options.loss.draws, options.seed);
  train::Run run(model, adam, how);
  run.schedule(optim::rate::warm_up_and_cosine(options.steps, options.warm_up))
      .files([&] { return files_of(describer); })
      .carry("loss", cost)
      .validate(corpus.validation, 100, [&](const std::vector<Scene>& some) -> train::Part {
        const Measures found = measure(describer, some);
        return {{{"validation loss", found.loss, 4, found.words},
                 {"exact", found.exact, 3, static_cast<double>(some.size())},
                 {"pointing", found.pointing, 3, found.named}}};
      });
  return run(batches, [&](const Batch& batch) {
    const CaptionLoss found = cost(model, batch);
    const auto count = static_cast<double>(found.count);
    train::Loss out{.tensor = found.total,
                    .shown = found.words * static_cast<double>(rows_of(batch)) / count};
    if (!train::team()) out.weight = count;  // a piece's loss is the mean of its rows: as many
    return out;
  });
}

}  // namespace captioning
