#include <fmt/format.h>

#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "../../train/run.h"
#include "evaluation.h"

namespace vqa {

train::Training train_expert(Expert& expert, const Corpus& corpus,
                             const train::FitOptions& options) {
  Answerer& model = *expert.model;
  // An image is seen once for all that is asked about it.
  const std::vector<std::vector<Index>> groups = data::by_image(corpus.train);
  data::Loader batches(groups,
                       [&](const std::vector<Index>& images) {
                         std::vector<Index> rows;
                         for (const Index image : images) {
                           const auto& asked = groups[static_cast<std::size_t>(image)];
                           rows.insert(rows.end(), asked.begin(), asked.end());
                         }
                         return batch_of(corpus.train, rows, expert.words, expert.answers);
                       },
                       {.size = options.batch, .seed = options.seed + 17});
  optim::AdamW adam(model.parameters(), {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(model, adam,
                 options.run({"accuracy", train::lowest("validation loss")},
                             fmt::format("{} questions", corpus.train.questions.size())));
  run.schedule(optim::rate::cosine(options.epochs, options.lr / 20), train::Per::epoch)
      .files([&] { return files_of(expert); })
      .validate(std::ssize(corpus.validation.questions), 100, [&](const std::vector<Index>& some) {
        const Batch batch = batch_of(corpus.validation, some, expert.words, expert.answers);
        train::Classified found(expert.answers.size());
        found.add(model(batch).logits, batch.answers);
        return found.part();
      });
  return run(batches, [&](const Batch& batch) {
    return train::Loss{.tensor = cross_entropy(model(batch).logits, batch.answers),
                       .weight = static_cast<double>(batch.answers.numel())};
  });
}

}  // namespace vqa
