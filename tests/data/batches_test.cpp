#include "../../data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Index> counting(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

TEST(Split, PartsAllExamples) {
  Generator generator(11);
  const Split parts = split(103, 0.2, generator);
  EXPECT_EQ(parts.held_out.size(), 21U);
  std::vector<Index> merged;
  std::merge(parts.rest.begin(), parts.rest.end(), parts.held_out.begin(), parts.held_out.end(),
             std::back_inserter(merged));
  EXPECT_EQ(merged, counting(103));

  Generator same(11), other(12);
  EXPECT_EQ(split(103, 0.2, same).held_out, parts.held_out);
  EXPECT_NE(split(103, 0.2, other).held_out, parts.held_out);
}

TEST(Split, LeavesNeitherPartEmpty) {
  Generator generator(1);
  EXPECT_EQ(split(2, 0.01, generator).held_out.size(), 1U);
  EXPECT_EQ(split(2, 0.99, generator).rest.size(), 1U);
  EXPECT_THAT(split(5, 0, generator).held_out, IsEmpty());
  EXPECT_THAT(split(0, 0.5, generator).rest, IsEmpty());
  EXPECT_EQ(split(1, 0.1, generator).rest.size(), 1U);
  EXPECT_ERROR(ValueError, "split: fraction 1.5 must be in [0, 1)", split(5, 1.5, generator));
  EXPECT_THROW(split(5, std::nan(""), generator), ValueError);
  EXPECT_ERROR(ValueError, "split: count -1 must not be negative", split(-1, 0.5, generator));
  EXPECT_ERROR(ValueError, "split: fraction -0.5 must be in [0, 1)", split(5, -0.5, generator));
  EXPECT_ERROR(ValueError, "split: fraction 1 must be in [0, 1)", split(5, 1, generator));
  EXPECT_EQ(split(1, 0.9, generator).held_out.size(), 1U);
}

TEST(Batches, HoldExamplesOfSimilarLength) {
  std::vector<LengthKey> lengths;
  Generator draw(3);
  for (int i = 0; i < 101; ++i) lengths.push_back({draw.below(7), draw.below(13)});
  Generator generator(5);
  const auto batches = batches_by_length(lengths, 8, generator);
  ASSERT_EQ(batches.size(), 13U);
  std::vector<Index> all;
  std::vector<std::pair<LengthKey, LengthKey>> ranges;
  for (const auto& batch : batches) {
    all.insert(all.end(), batch.begin(), batch.end());
    std::vector<LengthKey> inside;
    for (const Index i : batch) inside.push_back(lengths[static_cast<std::size_t>(i)]);
    ranges.emplace_back(*std::min_element(inside.begin(), inside.end()),
                        *std::max_element(inside.begin(), inside.end()));
  }
  EXPECT_FALSE(std::is_sorted(ranges.begin(), ranges.end()));  // the order of batches is drawn
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, counting(101));
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].second, ranges[i].first);
}

TEST(Batches, FollowTheGenerator) {
  const std::vector<LengthKey> lengths(97, LengthKey{2, 3});
  Generator a(7), b(7);
  const auto first = batches_by_length(lengths, 10, a);
  EXPECT_EQ(first, batches_by_length(lengths, 10, b));
  EXPECT_NE(first, batches_by_length(lengths, 10, a));  // the next epoch
}

TEST(Batches, WithoutAGeneratorAreInOrder) {
  const std::vector<LengthKey> lengths = {{3, 1}, {1, 2}, {1, 1}, {3, 0}, {1, 2}};
  EXPECT_THAT(batches_by_length(lengths, 2),
              ElementsAre(ElementsAre(2, 1), ElementsAre(4, 3), ElementsAre(0)));
  EXPECT_THAT(batches_by_length({}, 2), IsEmpty());
  EXPECT_EQ(batches_by_length(lengths, INT64_MAX).size(), 1U);
  EXPECT_ERROR(ValueError, "batches_by_length: batch size 0 must be positive",
               batches_by_length(lengths, 0));
}

TEST(Batches, ByTokensAreFilledUpToTheLast) {
  // Rows times the longest: 3 of 3 are 9, a fourth of 3 would be 12; 9 is longer than all.
  const std::vector<LengthKey> lengths = {{3, 5}, {9, 0}, {3, 1}, {2, 0}, {3, 1}, {5, 0}, {4, 7}};
  EXPECT_THAT(batches_by_tokens(lengths, 9, nullptr),
              ElementsAre(ElementsAre(3, 2, 4), ElementsAre(0, 6), ElementsAre(5), ElementsAre(1)));
  EXPECT_THAT(batches_by_tokens(lengths, 8, nullptr),
              ElementsAre(ElementsAre(3, 2), ElementsAre(4, 0), ElementsAre(6), ElementsAre(5),
                          ElementsAre(1)));
  EXPECT_THAT(batches_by_tokens({}, 1, nullptr), IsEmpty());
  EXPECT_THAT(batches_by_tokens({{1, 0}}, 1, nullptr), ElementsAre(ElementsAre(0)));
  EXPECT_ERROR(ValueError, "batches_by_tokens: tokens 0 must be positive",
               batches_by_tokens(lengths, 0, nullptr));
}

TEST(Batches, OfTokensMeetOnlyWhereLengthsAreLessThanTwoApart) {
  for (const Index longer : {11, 12}) {
    std::vector<LengthKey> lengths;
    for (int i = 0; i < 100; ++i) lengths.push_back({i % 2 == 0 ? 10 : longer, 0});
    Generator generator(3), again(3);
    const auto batches = batches_by_tokens(lengths, 2 * longer, &generator);
    EXPECT_EQ(batches, batches_by_tokens(lengths, 2 * longer, &again));
    EXPECT_NE(batches, batches_by_tokens(lengths, 2 * longer, &again)) << "the next pass";
    std::vector<Index> all;
    Index mixed = 0;
    for (const auto& batch : batches) {
      all.insert(all.end(), batch.begin(), batch.end());
      mixed += batch.size() == 2 && batch[0] % 2 != batch[1] % 2;
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, counting(100));
    EXPECT_EQ(mixed > 1, longer == 11) << mixed;
  }
}

// Of ones and twos, two tokens a batch: two ones side by side share one, whatever came before.
TEST(Batches, OfTokensBeginAnewWithEachBatch) {
  std::vector<LengthKey> lengths;
  for (int i = 0; i < 100; ++i) lengths.push_back({1 + i % 2, 0});
  Generator generator(7), same(7);
  const auto batches = batches_by_tokens(lengths, 2, &generator);
  std::vector<Index> order = same.permutation(100);
  std::vector<double> keys;
  for (const auto& [length, none] : lengths) {
    keys.push_back(static_cast<double>(length) + 2 * same.uniform());
  }
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  std::vector<std::vector<Index>> wanted;
  for (const Index i : order) {
    const bool joins =
        i % 2 == 0 && !wanted.empty() && wanted.back().size() == 1 && wanted.back()[0] % 2 == 0;
    if (!joins) wanted.emplace_back();
    wanted.back().push_back(i);
  }
  ASSERT_EQ(batches.size(), wanted.size());
  std::size_t at = 0;
  for (const Index i : same.permutation(std::ssize(wanted))) {
    EXPECT_EQ(batches[at++], wanted[static_cast<std::size_t>(i)]);
  }
}

TEST(Batches, PackedAreAsLongAsTheirSum) {
  const std::vector<LengthKey> lengths = {{3, 0}, {4, 0}, {1, 0}, {9, 0}, {1, 0}, {2, 0}, {4, 0}};
  EXPECT_THAT(batches_packed(lengths, 7, nullptr),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3), ElementsAre(4, 5, 6)));
  EXPECT_THAT(batches_packed({}, 7, nullptr), IsEmpty());
  Generator generator(3), again(3);
  const auto drawn = batches_packed(lengths, 7, &generator);
  EXPECT_EQ(drawn, batches_packed(lengths, 7, &again));
  EXPECT_NE(drawn, batches_packed(lengths, 7, &again));
  EXPECT_ERROR(ValueError, "batches_packed: tokens -1 must be positive",
               batches_packed(lengths, -1, nullptr));
}

TEST(Pad, FillsUpShortRows) {
  const Padded padded = pad({{5, 6}, {}, {7, 8, 9}}, -1);
  EXPECT_EQ(padded.ids.shape(), (Shape{3, 3}));
  EXPECT_THAT(padded.ids.to_vector<Index>(), ElementsAre(5, 6, -1, -1, -1, -1, 7, 8, 9));
  EXPECT_THAT(padded.lengths, ElementsAre(2, 0, 3));
  EXPECT_EQ(pad({{}, {}}).ids.shape(), (Shape{2, 0}));
  EXPECT_THAT(pad({{}, {5}}).ids.to_vector<Index>(), ElementsAre(0, 5));
  EXPECT_ERROR(ValueError, "pad: there are no rows", pad({}));
}

}  // namespace
}  // namespace heed::data
