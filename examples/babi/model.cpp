#include "model.h"

#include <mutex>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/generator.h"
#include "../../data/loader.h"
#include "../../io/saved_model.h"

namespace babi {

std::unique_ptr<MemoryNetwork> make_model(const ModelOptions& options, std::uint64_t seed) {
  static std::mutex mutex;  // weights come from the default generator, which threads share
  const std::lock_guard lock(mutex);
  manual_seed(seed);
  return std::make_unique<MemoryNetwork>(options);
}

Figures evaluate(MemoryNetwork& model, const std::vector<Example>& examples) {
  const NoGrad scope;
  model.eval();
  data::Loader batches(examples,
                       [&](const std::vector<Index>& rows) { return batch_of(examples, rows); },
                       {.size = 100, .shuffle = false});
  double loss = 0, right = 0;
  while (const auto batch = batches.next()) {
    const Tensor logits = model(batch->story, batch->question, batch->lengths).logits;
    loss += cross_entropy(logits, batch->answers, {.reduction = Reduction::sum}).item();
    const auto guesses = argmax(logits, -1).array().to_vector<Index>();
    const auto answers = batch->answers.array().to_vector<Index>();
    for (std::size_t i = 0; i < guesses.size(); ++i)
      right += guesses[i] == answers[i] && answers[i] != data::Vocabulary::kUnknown;
  }
  const auto count = static_cast<double>(examples.size());
  return {loss / count, 1 - right / count};
}

void save(const MemoryNetwork& model, const ModelOptions& options,
          const data::Vocabulary& vocabulary, const std::string& folder) {
  io::save_directory(folder, io::ModelFiles("babi")
                                 .options(options)
                                 .text(io::kVocabularyFile, vocabulary.serialize())
                                 .weights(model));
}

Reader load(const std::string& folder) {
  const io::ModelFolder saved(folder, "babi");
  Reader out;
  out.options = saved.options<ModelOptions>();
  out.vocabulary = saved.parse<data::Vocabulary>();
  out.options.vocabulary = out.vocabulary.size();
  const Index tables = out.options.hops + 1;
  saved.expect({{"words", {tables, out.options.vocabulary, out.options.width}},
                {"times", {tables, out.options.slots, out.options.width}}});
  out.model = saved.make<MemoryNetwork>(out.options);
  return out;
}

}  // namespace babi
