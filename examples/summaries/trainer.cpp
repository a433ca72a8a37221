#include "trainer.h"

#include <fmt/format.h>

#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "evaluation.h"

namespace summaries {

train::Training train_editor(Desk& desk, const Corpus& corpus, const TrainerOptions& options) {
  data::Loader batches(
      corpus.train,
      {.size = options.batch, .by = &data::Article::length, .seed = options.seed + 17});
  optim::AdamW adam(desk.editor->parameters(),
                    {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(*desk.editor, adam,
                 options.run({"ROUGE-L"}, fmt::format("{} articles", corpus.train.size())));
  run.schedule(optim::rate::cosine(options.epochs, options.lr / 20), train::Per::epoch)
      .files([&] { return files_of(desk); })
      .validate(corpus.validation, 50, [&](const Articles& some) -> train::Part {
        const auto answers = answer_all(desk, some, {.beam = 1});
        const train::Rouge of = measure(some, answers, desk.vocabulary).rouge;
        return {{{"ROUGE-1", of.one.f}, {"ROUGE-L", of.l.f}}, static_cast<double>(some.size())};
      });
  return run(batches, [&](const Articles& some) {
    return desk.editor->loss(some, desk.vocabulary, options.coverage);
  });
}

}  // namespace summaries
