#include "../../train/edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../core/generator.h"

namespace heed::train {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Words = std::vector<Index>;

TEST(Edits, OfWhatIsKnown) {
  const auto expect = [](const Words& heard, const Words& said, Index s, Index d, Index i) {
    const Edits found = edits_of(heard, said);
    EXPECT_EQ(found.substitutions, s);
    EXPECT_EQ(found.deletions, d);
    EXPECT_EQ(found.insertions, i);
    EXPECT_EQ(found.total(), s + d + i);
  };
  expect({}, {}, 0, 0, 0);
  expect({}, {1, 2}, 0, 2, 0);
  expect({1, 2, 3}, {}, 0, 0, 3);
  expect({1, 2, 3}, {1, 2, 3}, 0, 0, 0);
  expect({1, 5, 3}, {1, 2, 3}, 1, 0, 0);
  expect({1, 3}, {1, 2, 3}, 0, 1, 0);
  expect({1, 2, 2, 3}, {1, 2, 3}, 0, 0, 1);
  expect({4, 1, 2}, {1, 2, 3}, 0, 1, 1);  // as few as three substitutions would be more
}

TEST(Edits, SayWhichWordsAreRight) {
  EXPECT_THAT(edits_of({4, 1, 2}, {1, 2, 3}).matches, ElementsAre(Pair(1, 0), Pair(2, 1)));
  EXPECT_THAT(edits_of({7, 8}, {1, 2}).matches, IsEmpty());
}

// By recursion over all ways.
Index fewest(const Words& a, std::size_t i, const Words& b, std::size_t j) {
  if (i == a.size()) return static_cast<Index>(b.size() - j);
  if (j == b.size()) return static_cast<Index>(a.size() - i);
  return std::min({fewest(a, i + 1, b, j + 1) + (a[i] != b[j]), fewest(a, i + 1, b, j) + 1,
                   fewest(a, i, b, j + 1) + 1});
}

TEST(Edits, AreTheFewest) {
  Generator generator(3);
  for (int n = 0; n < 60; ++n) {
    Words a, b;
    for (Index i = generator.below(7); i > 0; --i) a.push_back(generator.below(3));
    for (Index i = generator.below(7); i > 0; --i) b.push_back(generator.below(3));
    const Edits found = edits_of(a, b);
    EXPECT_EQ(found.total(), fewest(a, 0, b, 0));
    const auto right = static_cast<Index>(found.matches.size());
    EXPECT_EQ(right + found.substitutions + found.deletions, std::ssize(b));
    EXPECT_EQ(right + found.substitutions + found.insertions, std::ssize(a));
    for (const auto& [h, r] : found.matches) {
      EXPECT_EQ(a[static_cast<std::size_t>(h)], b[static_cast<std::size_t>(r)]);
    }
    EXPECT_TRUE(std::is_sorted(found.matches.begin(), found.matches.end()));
  }
}

TEST(ErrorRate, AddsUpTexts) {
  ErrorRate rate;
  EXPECT_EQ(rate.rate(), 0);
  EXPECT_EQ(rate.texts_wrong(), 0);
  rate.add({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(rate.add({1, 9}, {1, 2, 3, 4, 5}).deletions, 3);
  EXPECT_EQ(rate.words(), 8);
  EXPECT_EQ(rate.texts(), 2);
  EXPECT_EQ(rate.edits().substitutions, 1);
  EXPECT_EQ(rate.rate(), 0.5);
  EXPECT_EQ(rate.texts_wrong(), 0.5);
  rate.add({1, 1, 1, 1, 1, 1, 1}, {2});
  EXPECT_EQ(rate.edits().insertions, 6);
}

}  // namespace
}  // namespace heed::train
