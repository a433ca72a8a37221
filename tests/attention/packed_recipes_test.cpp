// The code of docs/packed.md.
#include <gtest/gtest.h>

#include "../../heed.h"
#include "../structure/shown_code.h"

namespace heed {
namespace {

TEST(PackedRecipes, StandInTheGuide) {
  expect_shown("tests/attention/packed_recipes_test.cpp", "docs/packed.md", 7);
}

TEST(PackedRecipes, ClassifierAndTagger) {
  manual_seed(3);
  const std::vector<Index> offsets = {0, 2, 2, 7};
  const nn::Embedding embedding({.count = 11, .width = 8});
  const nn::GRU encoder({.input = 8, .hidden = 6, .bidirectional = true});
  const attention::AttentionPooling pooling(12);
  const nn::Linear classify(12, 3), tag(12, 5);
  const Tensor ids(Array::from(std::vector<Index>{1, 10, 3, 0, 7, 2, 2}));
  const Tensor labels(Array::from(std::vector<Index>{2, 0, 1}));
  const Tensor tags(Array::from(std::vector<Index>{4, 0, 1, 1, 2, 3, 0}));
  // [docs: classifier]
  const Packed words{embedding(ids), offsets};              // ids i64 [N] -> [N, 8]
  const Packed states{encoder(words).output, offsets};      // [N, 2 * 6]
  const Tensor logits = classify(pooling(states).context);  // [B, 3]
  const Tensor loss = cross_entropy(logits, labels);
  // [end]
  EXPECT_EQ(logits.shape(), (Shape{3, 3}));
  // [docs: tagger]
  const Tensor scores = tag(states.tokens);         // [N, 5]
  const Tensor mean = cross_entropy(scores, tags);  // over all tokens
  const Tensor each = cross_entropy(scores, tags, {.reduction = Reduction::none});  // [N]
  const Tensor of_sequences = sum(segment_mean({each, offsets}));  // of each sequence's mean
  // [end]
  EXPECT_GT(mean.item(), 0);
  (loss + of_sequences).backward();
  for (const nn::Module* module :
       {static_cast<const nn::Module*>(&embedding), static_cast<const nn::Module*>(&encoder),
        static_cast<const nn::Module*>(&pooling)}) {
    for (const auto& [name, parameter] : module->named_parameters()) {
      EXPECT_TRUE(parameter.grad().defined()) << name;
    }
  }
}

}  // namespace
}  // namespace heed
