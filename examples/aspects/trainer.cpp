#include "trainer.h"

#include <fmt/format.h>

#include "../../data/loader.h"
#include "../../optim/adam.h"

namespace aspects {

train::Training train_tagger(Reader& reader, const std::vector<Example>& examples,
                             const std::vector<Example>& validation,
                             const TrainerOptions& options) {
  Tagger& tagger = *reader.tagger;
  data::Loader batches(examples,
                       {.size = options.batch, .by = &Example::length, .seed = options.seed + 17});
  optim::AdamW adam(tagger.parameters(), {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(tagger, adam,
                 options.run({"validation F1 %"}, fmt::format("{} sentences", examples.size())));
  run.files([&] { return files_of(reader); }).validate([&]() -> train::Figures {
    const Scores scores = evaluate(tagger, validation);
    return {{"validation F1 %", 100 * scores.mean(), 2},
            {"aspects F1 %", 100 * scores.of[0].f1(), 2},
            {"opinions F1 %", 100 * scores.of[1].f1(), 2}};
  });
  return run(batches,
             [&](const std::vector<Example>& some) { return loss_of(tagger, batch_of(some)); });
}

}  // namespace aspects
