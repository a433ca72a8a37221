#include "trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../train/run.h"
#include "evaluation.h"

namespace speech {

train::Training train_listener(Listener& model, const Corpus& corpus, const CorpusOptions& strings,
                               const TrainerOptions& options) {
  Generator drawn(strings.seed + 101);
  const auto validation =
      data::draw_utterances(corpus.validation, std::max<Index>(1, strings.strings / 3),
                            strings.shortest, strings.longest, drawn);
  if (!options.resume) {
    model.standardise(
        data::draw_utterances(corpus.train, 100, strings.shortest, strings.longest, drawn));
  }
  // Each step draws its strings; the first ones are short, from which attention learns to align.
  const auto draw = [&](Generator& generator, Index step) {
    const bool early = step < options.short_steps;
    const Index least = early ? 1 : strings.shortest;
    const Index most = early ? std::min<Index>(3, strings.longest) : strings.longest;
    const Index digits = least + generator.below(most - least + 1);
    return data::batch_of(
        data::draw_utterances(corpus.train, options.batch, digits, digits, generator));
  };
  auto batches = data::drawn(draw, options.seed + 17);
  optim::Adam adam(model.parameters(), {.lr = options.lr});
  train::RunOptions how =
      options.run({train::lowest("digit error %")},
                  fmt::format("{} recordings, strings of {} to {}", corpus.train.size(),
                              strings.shortest, strings.longest));
  how.every = std::min(how.every, how.steps);
  train::Run run(model, adam, how);
  const Index warm_up = options.warm_up > 0 ? options.warm_up : options.steps / 20;
  run.schedule(optim::rate::warm_up_and_cosine(options.steps, warm_up, 0.02))
      .files([&] { return files_of(model); })
      .validate(validation, 25, [&](const std::vector<Utterance>& some) -> train::Part {
        const Evaluation found = evaluate(model, some, 1);
        const auto said = static_cast<double>(found.errors.words());
        return {{{"digit error %", 100 * found.errors.rate(), 2, said},
                 {"in its place %", 100 * found.in_place, 1, static_cast<double>(found.right)}}};
      });
  return run(batches, [&](const Batch& batch) { return model.loss(batch); });
}

}  // namespace speech
