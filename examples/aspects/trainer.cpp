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
  run.files([&] { return files_of(reader); })
      .validate(
          validation, 200,
          [&](const std::vector<Example>& some) -> train::Part {
            const auto [aspects, opinions] = evaluate(tagger, some);
            return {{{"aspects F1 %", 100 * aspects.f1(), 2, aspects.spans()},
                     {"opinions F1 %", 100 * opinions.f1(), 2, opinions.spans()}}};
          },
          [](const train::Figures& f1) -> train::Figures {
            return {{"validation F1 %", (f1[0].value + f1[1].value) / 2, 2}, f1[0], f1[1]};
          });
  return run(batches, [&](const auto& some) { return loss_of(tagger, batch_of(some)); });
}

}  // namespace aspects
