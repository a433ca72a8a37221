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
  train::Run run(
      model, adam,
      {.out = options.out,
       .steps = options.steps,
       .every = std::min(options.every, options.steps),
       .clip = options.clip,
       .keep = {train::lowest("digit error %")},
       .stop_after = options.stop_after,
       .resume = options.resume,
       .setting = fmt::format("{} recordings, strings of {} to {}, --batch {}, --seed {}",
                              corpus.train.size(), strings.shortest, strings.longest, options.batch,
                              options.seed)});
  run.schedule(optim::rate::warm_up_and_cosine(options.steps, options.steps / 20, 0.02))
      .files([&] { return files_of(model); })
      .validate([&]() -> train::Figures {
        const Evaluation found = evaluate(model, validation, 1);
        return {{"digit error %", 100 * found.errors.rate(), 2},
                {"in its place %", 100 * found.in_place, 1}};
      });
  return run(batches, [&](const Batch& batch) { return model.loss(batch); });
}

}  // namespace speech
