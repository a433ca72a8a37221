#include "own_words.h"

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"

namespace translation {

Batch with_own_words(const Translator& model, const Batch& batch, double share) {
  if (share <= 0) return batch;
  const NoGrad scope;
  const Tensor logits = model.logits(features_of(model, batch));
  const auto own = argmax(logits, -1).array().to_vector<std::int64_t>();
  const auto places = batch.places.array().to_vector<std::int64_t>();
  const auto draws =
      default_generator().bernoulli({static_cast<Index>(own.size())}, share).to_vector<bool>();
  Array ids = batch.before.ids.array().clone();
  const Index T = ids.size(1);
  auto* id = ids.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const bool same_row = places[i + 1] / T == places[i] / T;
    if (draws[i] && same_row) id[places[i] + 1] = own[i];
  }
  return {batch.source, {Tensor(ids), batch.before.lengths}, batch.places, batch.targets};
}

PackedBatch with_own_words(const Translator&, const PackedBatch& batch, double share) {
  if (share > 0) throw ValueError("own-words: packed batches are without");
  return batch;
}

}  // namespace translation
