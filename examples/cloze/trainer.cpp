#include "trainer.h"

#include <fmt/format.h>

#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../optim/rate.h"
#include "../../train/run.h"

namespace cloze {

train::Training train_reader(Reader& reader, const Corpus& corpus, const TrainerOptions& options) {
  ClozeReader& model = *reader.model;
  data::Loader batches(
      corpus.train, {.size = options.batch, .by = data::passage_length, .seed = options.seed + 17});
  optim::AdamW adam(model.parameters(), {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(
      model, adam,
      options.run({"validation accuracy %"}, fmt::format("{} queries", corpus.train.size())));
  run.schedule(optim::rate::cosine(options.epochs), train::Per::epoch)
      .files([&] { return files_of(reader); })
      .validate(corpus.validation, 200, [&](const std::vector<Cloze>& some) -> train::Part {
        const Score of = evaluate(reader, some);
        return {{{"validation accuracy %", 100 * of.share(of.right), 2}, {"loss", of.loss}},
                static_cast<double>(of.count)};
      });
  return run(batches, [&](const std::vector<Cloze>& some) {
    return loss_of(model, data::cloze_batch(some, reader.numbers));
  });
}

}  // namespace cloze
