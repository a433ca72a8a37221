#include "../../data/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAreArray;

// Token i is i.
std::vector<Index> counting(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

TEST(WindowsOfText, TargetsAreTheInputsOnePlaceOn) {
  Generator generator(3);
  const Windows batch = random_windows(counting(101), 7, 13, generator);
  ASSERT_EQ(batch.inputs.shape(), (Shape{7, 13}));
  ASSERT_EQ(batch.targets.shape(), (Shape{7, 13}));
  const auto inputs = batch.inputs.to_vector<std::int64_t>();
  const auto targets = batch.targets.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(targets[i], inputs[i] + 1);
    if (i % 13 != 0) {
      EXPECT_EQ(inputs[i], inputs[i - 1] + 1);
    }
  }
}

TEST(WindowsOfText, RandomOnesReachEveryPlaceAndNotBeyond) {
  Generator generator(5);
  std::vector<int> starts(3);
  for (int i = 0; i < 50; ++i) {
    const Windows batch = random_windows(counting(16), 1, 13, generator);
    ++starts.at(static_cast<std::size_t>(batch.inputs.to_vector<std::int64_t>()[0]));
  }
  for (const int n : starts) EXPECT_GT(n, 0);
  EXPECT_THROW(random_windows(counting(13), 1, 13, generator), ValueError);
}

TEST(WindowsOfText, AllOfThemHaveEachTokenButTheFirstAsATargetOnce) {
  for (const Index size : {2, 14, 53, 54, 66, 71}) {
    std::vector<std::int64_t> targets;
    for (const Windows& batch : all_windows(counting(size), 3, 13)) {
      EXPECT_LE(batch.inputs.size(0), 3);
      const auto more = batch.targets.to_vector<std::int64_t>();
      targets.insert(targets.end(), more.begin(), more.end());
      EXPECT_EQ(batch.inputs.to_vector<std::int64_t>()[0] + 1, more[0]);
    }
    auto expected = counting(size);
    expected.erase(expected.begin());
    EXPECT_THAT(targets, ElementsAreArray(expected));
  }
  EXPECT_ERROR(ValueError, "windows: 1 tokens hold nothing to predict",
               all_windows(counting(1), 3, 13));
  EXPECT_EQ(all_windows(counting(2), 3, 13).size(), 1U);
}

// Lines end in 9; before the first mark stands what no line begins with.
const std::vector<Index> kLines = {5, 9, 1, 2, 3, 9, 9, 4, 9, 6, 7};

TEST(LinesOfText, AreCutAtTheirEndsAndAtTheContext) {
  const auto cut = [](Index context) {
    std::vector<std::pair<Index, Index>> out;
    for (const auto& [begin, end] : lines_of(kLines, 9, context)) out.emplace_back(begin, end);
    return out;
  };
  using Lines = std::vector<std::pair<Index, Index>>;
  EXPECT_EQ(cut(13), (Lines{{2, 6}, {6, 7}, {7, 9}, {9, 11}}));
  EXPECT_EQ(cut(3), (Lines{{2, 5}, {5, 6}, {6, 7}, {7, 9}, {9, 11}}));
  EXPECT_TRUE(lines_of({1, 2, 3}, 9, 3).empty());
  EXPECT_TRUE(lines_of({1, 2, 9}, 9, 3).empty());
}

TEST(LinesOfText, AreDrawnUntilThereAreEnough) {
  Generator generator(3);
  const std::vector<LinePlaces> lines = lines_of(kLines, 9, 13);
  for (const Index tokens : {1, 7, 23}) {
    Index count = 0;
    const std::vector<LinePlaces> drawn = random_lines(lines, tokens, generator);
    for (const auto& [begin, end] : drawn) count += end - begin;
    EXPECT_GE(count, tokens);
    EXPECT_LT(count - (drawn.back().end - drawn.back().begin), tokens);
  }
  EXPECT_ERROR(ValueError, "lines: the text has no line behind its first",
               random_lines({}, 3, generator));
}

TEST(WindowsOfText, RefuseNumbersThatAreNotPositive) {
  Generator generator(3);
  const auto text = counting(11);
  for (const Index bad : {0, -1}) {
    EXPECT_ERROR_WITH(ValueError, "windows: count", random_windows(text, bad, 2, generator));
    EXPECT_ERROR_WITH(ValueError, "windows: length", random_windows(text, 2, bad, generator));
    EXPECT_THROW(all_windows(text, bad, 2), ValueError);
    EXPECT_THROW(all_windows(text, 2, bad), ValueError);
    EXPECT_THROW(lines_of(text, 5, bad), ValueError);
  }
}

TEST(Windows, SideBySideGoOn) {
  std::vector<Index> text(24);
  std::iota(text.begin(), text.end(), 0);
  const Streams read = side_by_side(text, 3, 4);  // 23 targets: 3 rows of 7, and 2
  ASSERT_EQ(read.batches.size(), 2U);
  EXPECT_EQ(read.batches[0].inputs.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 2, 3, 7, 8, 9, 10, 14, 15, 16, 17}));
  EXPECT_EQ(read.batches[1].inputs.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{4, 5, 6, 11, 12, 13, 18, 19, 20}));
  EXPECT_EQ(read.batches[1].targets.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{5, 6, 7, 12, 13, 14, 19, 20, 21}));
  ASSERT_EQ(read.rest.size(), 1U);
  EXPECT_EQ(read.rest[0].targets.to_vector<std::int64_t>(), (std::vector<std::int64_t>{22, 23}));
  EXPECT_TRUE(side_by_side(text, 23, 4).rest.empty());
  EXPECT_ERROR(ValueError, "windows: 24 tokens are too few for 24 rows", side_by_side(text, 24, 4));
  EXPECT_ERROR(ValueError, "windows: rows 0 must be positive", side_by_side(text, 0, 4));
  EXPECT_ERROR(ValueError, "windows: length 0 must be positive", side_by_side(text, 3, 0));
}

}  // namespace
}  // namespace heed::data
