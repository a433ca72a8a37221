#include "../../onnx/extent.h"

#include <set>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::onnx {
namespace {

Sizes three_sizes() {
  constexpr Index kMany = 1000000;
  return Sizes::choose({"batch", "length", "target"}, {2, 5, 3}, {kMany, kMany, kMany});
}

std::vector<Index> at(const Sizes& sizes, const std::function<Index(Index, Index, Index)>& f) {
  std::vector<Index> out;
  for (const auto& pass : sizes.passes) out.push_back(f(pass[0], pass[1], pass[2]));
  return out;
}

TEST(Extent, SizesArePrimesThatDifferOrTwiceOne) {
  const Sizes sizes = three_sizes();
  EXPECT_EQ(sizes.passes.size(), 6u);
  std::vector<Index> all;
  for (std::size_t pass = 1; pass < sizes.passes.size(); ++pass) {
    for (const Index size : sizes.passes[pass]) {
      EXPECT_GT(size, 2);
      const Index half = size % 2 == 0 ? size / 2 : size;
      for (Index divisor = 2; divisor < half; ++divisor) EXPECT_NE(half % divisor, 0) << size;
      all.push_back(size);
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(sizes.passes[0], (std::vector<Index>{2, 5, 3}));
}

bool odd_and_even(const Sizes& sizes) {
  for (std::size_t s = 0; s < sizes.names.size(); ++s) {
    Index odd = 0;
    for (const auto& pass : sizes.passes) odd += pass[s] % 2;
    if (odd == 0 || odd == static_cast<Index>(sizes.passes.size())) return false;
  }
  return true;
}

TEST(Extent, EachSizeIsOddAndEven) {
  constexpr Index kMany = 1000000;
  EXPECT_TRUE(odd_and_even(three_sizes()));
  for (Index least = 1; least < 40; ++least) {
    EXPECT_TRUE(odd_and_even(Sizes::choose({"a", "b"}, {least, 3}, {kMany, kMany}))) << least;
    for (Index room = 4; room < 30; ++room) {
      const Sizes few = Sizes::choose({"a"}, {least}, {std::max<Index>(least, 2) + room - 1});
      EXPECT_TRUE(odd_and_even(few)) << least << " and " << room;
      for (const auto& pass : few.passes) EXPECT_LT(pass[0], std::max<Index>(least, 2) + room);
      const std::set<std::vector<Index>> all(few.passes.begin(), few.passes.end());
      EXPECT_EQ(all.size(), few.passes.size());
    }
  }
}

TEST(Extent, AFurtherPassTellsTwoQuotients) {
  Sizes sizes = Sizes::choose({"length"}, {5}, {1000000});
  const auto third = [&](const Sizes& of) {
    std::vector<Index> out;
    for (const auto& pass : of.passes) out.push_back((pass[0] + 2) / 7);
    return *extent_of(out, of);
  };
  Index further = 0;
  while (const auto doubt = third(sizes).doubt) {
    const Index last = sizes.passes.back()[0];
    const std::size_t place = sizes.add(*doubt);
    EXPECT_EQ(sizes.passes[place], (std::vector<Index>{doubt->at}));
    EXPECT_EQ(sizes.passes.back()[0], last);
    ASSERT_LT(++further, 6);
  }
  EXPECT_GT(further, 0);
  EXPECT_EQ(third(sizes).text(sizes), "floor((length + 2) / 7)");
  // Where nothing above the largest size tells them, nothing needs to.
  const Sizes few = Sizes::choose({"length"}, {5}, {8});
  EXPECT_FALSE(extent_of({1, 1, 1, 2}, few)->doubt.has_value());
}

TEST(Extent, ABoundLeavesWhatNumbersThereAre) {
  const Sizes sizes = Sizes::choose({"length"}, {5}, {9});
  for (const auto& pass : sizes.passes) {
    EXPECT_GE(pass[0], 5);
    EXPECT_LE(pass[0], 9);
  }
  EXPECT_ERROR(ValueError,
               "onnx: 3 sizes of axis length from 5 to 7: following it takes 4: begin with a "
               "smaller example",
               Sizes::choose({"length"}, {5}, {7}));
}

TEST(Extent, ExplainsSumsProductsQuotientsAndBounds) {
  const Sizes sizes = three_sizes();
  const auto text = [&](const std::function<Index(Index, Index, Index)>& f) {
    const auto found = extent_of(at(sizes, f), sizes);
    if (!found) return std::string("none");
    for (std::size_t pass = 0; pass < sizes.passes.size(); ++pass) {
      EXPECT_EQ(found->at(sizes.passes[pass]), at(sizes, f)[pass]);
    }
    EXPECT_EQ(found->at({11, 13, 17}), f(11, 13, 17));  // sizes that were not seen
    return found->text(sizes);
  };
  EXPECT_EQ(text([](Index, Index, Index) { return 7; }), "7");
  EXPECT_EQ(text([](Index b, Index, Index) { return b; }), "batch");
  EXPECT_EQ(text([](Index, Index l, Index t) { return l + t - 1; }), "length + target - 1");
  EXPECT_EQ(text([](Index, Index l, Index) { return 3 * l + 2; }), "3 length + 2");
  EXPECT_EQ(text([](Index, Index l, Index) { return 96 * l; }), "96 length");
  EXPECT_EQ(text([](Index b, Index l, Index) { return b * l; }), "batch length");
  EXPECT_EQ(text([](Index b, Index l, Index) { return 5 * b * (l - 1); }), "5 batch (length - 1)");
  EXPECT_EQ(text([](Index, Index l, Index) { return (l + 1) / 2; }), "floor((length + 1) / 2)");
  EXPECT_EQ(text([](Index, Index l, Index) { return l / 2; }), "floor(length / 2)");
  EXPECT_EQ(text([](Index, Index l, Index) { return l - l % 2; }), "2 floor(length / 2)");
  EXPECT_EQ(text([](Index, Index l, Index) { return std::min<Index>(l, 7); }), "min(length, 7)");
}

TEST(Extent, WhatFollowsNoRuleIsNone) {
  const Sizes sizes = three_sizes();
  EXPECT_FALSE(extent_of({3, 1, 4, 1, 5, 9}, sizes).has_value());
  const Sizes fixed = Sizes::choose({}, {}, {});
  EXPECT_EQ(fixed.passes.size(), 2u);
  EXPECT_FALSE(extent_of({3, 1}, fixed).has_value());
  EXPECT_EQ(extent_of({3, 3}, fixed)->constant, 3);
}

}  // namespace
}  // namespace heed::onnx
