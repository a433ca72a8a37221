#include "../../distributed/tree_sum.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace heed::distributed {
namespace {

// Sums that show how they were made.
struct Join {
  void operator()(std::string& left, std::string&& right) const {
    left = "(" + left + "+" + right + ")";
  }
};
using Words = TreeSum<std::string, Join>;

std::string sum_of(Index count, Index processes, const std::function<bool(Index)>& there) {
  Words all{Join{}};
  for (Index rank = 0; rank < processes; ++rank) {
    const auto [first, last] = block_of(count, rank, processes);
    Words own{Join{}};
    for (Index m = first; m < last; ++m) {
      own.push({m, 1}, there(m) ? std::optional(std::to_string(m)) : std::nullopt);
    }
    std::vector<Span> spans;
    for (auto& node : own.nodes()) {
      spans.push_back(node.span);
      all.push(node.span, std::move(node.value));
    }
    EXPECT_EQ(spans, spans_of(first, last));
  }
  return all.total().value_or("none");
}

TEST(TreeSum, IsAsWritten) {
  const auto all = [](Index) { return true; };
  EXPECT_EQ(sum_of(1, 1, all), "0");
  EXPECT_EQ(sum_of(4, 1, all), "((0+1)+(2+3))");
  EXPECT_EQ(sum_of(6, 1, all), "(((0+1)+(2+3))+(4+5))");
  EXPECT_EQ(sum_of(7, 1, all), "((((0+1)+(2+3))+(4+5))+6)");
}

TEST(TreeSum, IsTheSameForAnyNumberOfProcesses) {
  for (Index count = 1; count <= 13; ++count) {
    const auto some = [](Index m) { return m % 5 != 3; };
    for (const std::function<bool(Index)>& there :
         {std::function<bool(Index)>([](Index) { return true; }), {some}}) {
      const std::string alone = sum_of(count, 1, there);
      for (Index processes = 2; processes <= count; ++processes) {
        EXPECT_EQ(sum_of(count, processes, there), alone) << count << " pieces, " << processes;
      }
    }
  }
}

TEST(TreeSum, WhatIsNotThereAddsNothing) {
  EXPECT_EQ(sum_of(4, 2, [](Index m) { return m == 2; }), "2");
  EXPECT_EQ(sum_of(5, 3, [](Index) { return false; }), "none");
}

}  // namespace
}  // namespace heed::distributed
