#include "../../../examples/translation/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../../data/subwords.h"

namespace translation {
namespace {

using testing::ElementsAre;

std::vector<Example> examples_of(const std::vector<std::size_t>& lengths) {
  std::vector<Example> out;
  for (const std::size_t n : lengths) {
    Example example;
    example.source.assign(n + 1, 5);
    example.source.push_back(data::kEnd);
    example.target.assign(n, 7);
    out.push_back(example);
  }
  return out;
}

TEST(TranslationBatches, HoldWhatStandsBeforeEachWordAndTheWord) {
  const std::vector<Example> examples = {{{9, 8, data::kEnd}, {4, 6, 5}}, {{7, data::kEnd}, {11}}};
  const Batch batch = batch_of(examples, {1, 0});
  EXPECT_THAT(batch.source.ids.array().to_vector<std::int64_t>(),
              ElementsAre(7, data::kEnd, data::kPadding, 9, 8, data::kEnd));
  EXPECT_THAT(batch.source.lengths, ElementsAre(2, 3));
  EXPECT_THAT(batch.before.ids.array().to_vector<std::int64_t>(),
              ElementsAre(data::kBegin, 11, data::kPadding, data::kPadding, data::kBegin, 4, 6, 5));
  EXPECT_THAT(batch.before.lengths, ElementsAre(2, 4));
  EXPECT_THAT(batch.places.array().to_vector<std::int64_t>(), ElementsAre(0, 1, 4, 5, 6, 7));
  EXPECT_THAT(batch.targets.array().to_vector<std::int64_t>(),
              ElementsAre(11, data::kEnd, 4, 6, 5, data::kEnd));
}

TEST(TranslationBatches, StandOneBehindTheOtherWhereTheyArePacked) {
  const std::vector<Example> examples = {{{9, 8, data::kEnd}, {4, 6, 5}}, {{7, data::kEnd}, {11}}};
  const PackedBatch batch = packed_batch_of(examples, {1, 0});
  EXPECT_THAT(batch.source.tokens.array().to_vector<std::int64_t>(),
              ElementsAre(7, data::kEnd, 9, 8, data::kEnd));
  EXPECT_THAT(batch.source.offsets, ElementsAre(0, 2, 5));
  EXPECT_THAT(batch.before.tokens.array().to_vector<std::int64_t>(),
              ElementsAre(data::kBegin, 11, data::kBegin, 4, 6, 5));
  EXPECT_THAT(batch.before.offsets, ElementsAre(0, 2, 6));
  EXPECT_THAT(batch.targets.array().to_vector<std::int64_t>(),
              ElementsAre(11, data::kEnd, 4, 6, 5, data::kEnd));
}

TEST(TranslationBatches, EachExampleOnceAndNoMoreWordsThanAskedFor) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 211; ++i) lengths.push_back(1 + i * i % 29);
  const std::vector<Example> examples = examples_of(lengths);
  heed::Generator generator(3);
  const auto batches = data::batches_by_tokens(lengths_of(examples), 97, &generator);
  std::vector<Index> seen;
  for (const auto& batch : batches) {
    Index longest = 0;
    for (const Index i : batch) {
      longest = std::max(longest, static_cast<Index>(lengths[static_cast<std::size_t>(i)]) + 1);
      seen.push_back(i);
    }
    EXPECT_LE(longest * static_cast<Index>(batch.size()), 97);
  }
  std::sort(seen.begin(), seen.end());
  for (Index i = 0; i < 211; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(seen.size(), 211u);
  heed::Generator same(3), other(4);
  EXPECT_EQ(data::batches_by_tokens(lengths_of(examples), 97, &same), batches);
  EXPECT_NE(data::batches_by_tokens(lengths_of(examples), 97, &other), batches);
}

TEST(TranslationBatches, WithoutChanceShortOnesComeFirstAndLongOnesAlone) {
  const auto batches = data::batches_by_tokens(lengths_of(examples_of({40, 2, 3, 2})), 8, nullptr);
  EXPECT_THAT(batches, ElementsAre(ElementsAre(1, 3), ElementsAre(2), ElementsAre(0)));
}

}  // namespace
}  // namespace translation
