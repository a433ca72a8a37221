#include "trainer.h"

#include <fmt/format.h>

#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../data/loader.h"
#include "../../optim/adam.h"
#include "evaluation.h"

namespace document_classifier {

train::Training train_classifier(Classifier& classifier, const Corpus& corpus,
                                 const TrainerOptions& options) {
  HierarchicalAttention& model = *classifier.model;
  std::vector<data::EncodedDocument> documents;
  for (const Example& example : corpus.train)
    documents.push_back(data::encode(example.document, classifier.vocabulary));
  data::Loader batches(
      documents,
      [&](const std::vector<Index>& rows) { return data::make_document_batch(documents, rows); },
      {.size = options.batch,
       .by = [](const data::EncodedDocument& document) { return data::lengths_of(document); },
       .seed = options.seed + 17});
  batches.contents(documents, &data::EncodedDocument::sentences, &data::EncodedDocument::label);
  optim::AdamW adam(model.parameters(), {.lr = options.lr, .weight_decay = options.weight_decay});
  train::Run run(model, adam,
                 options.run({"accuracy"}, fmt::format("{} documents", documents.size())));
  run.schedule(optim::rate::cosine(options.epochs, options.lr / 20), train::Per::epoch)
      .files([&] { return files_of(classifier); })
      .validate(corpus.validation, 4 * options.batch, [&](const std::vector<Example>& some) {
        return evaluate(classifier, some, 2 * options.batch).classified.part();
      });
  return run(batches, [&](const data::DocumentBatch& batch) {
    return train::Loss{.tensor = cross_entropy(model(batch).logits, batch.labels),
                       .weight = static_cast<double>(batch.sentence_counts.size())};
  });
}

}  // namespace document_classifier
