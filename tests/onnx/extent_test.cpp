#include "../../onnx/extent.h"

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

TEST(Extent, SizesArePrimesThatDiffer) {
  const Sizes sizes = three_sizes();
  EXPECT_EQ(sizes.passes.size(), 6u);
  std::vector<Index> all;
  for (std::size_t pass = 1; pass < sizes.passes.size(); ++pass) {
    for (const Index size : sizes.passes[pass]) {
      EXPECT_GT(size, 2);
      for (Index divisor = 2; divisor < size; ++divisor) EXPECT_NE(size % divisor, 0) << size;
      all.push_back(size);
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(sizes.passes[0], (std::vector<Index>{2, 5, 3}));
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
