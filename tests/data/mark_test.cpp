#include "../../data/mark.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "../../core/shape.h"

namespace heed::data {
namespace {

using Texts = std::vector<std::string>;
using Rows = std::vector<std::vector<Index>>;

struct Item {
  std::vector<Index> ids;
  bool right = false;
  Index count() const { return static_cast<Index>(ids.size()); }
};

TEST(Mark, IsAnotherForOtherContents) {
  EXPECT_EQ(mark_of(Rows{{3, 5}, {7}}), mark_of(Rows{{3, 5}, {7}}));
  const std::vector<std::uint64_t> marks{mark_of(Rows{{3, 5}, {7}}),
                                         mark_of(Rows{{3}, {5, 7}}),
                                         mark_of(Rows{{3, 5, 7}}),
                                         mark_of(Rows{{3, 5}, {7}, {}}),
                                         mark_of(Rows{{5, 3}, {7}}),
                                         mark_of(Texts{"ab", "c"}),
                                         mark_of(Texts{"a", "bc"}),
                                         mark_of(Texts{"abc"}),
                                         mark_of(std::vector<bool>{true, false}),
                                         mark_of(std::vector<bool>{false, true}),
                                         mark_of(std::vector<double>{0.5, 0.25})};
  EXPECT_EQ(std::set(marks.begin(), marks.end()).size(), marks.size());
}

TEST(Mark, IsOfTheNamedParts) {
  const std::vector<Item> items{{{3, 5}, true}, {{7}, false}};
  std::vector<Item> others = items;
  others[1].right = true;
  EXPECT_EQ(mark_of(items, &Item::ids), mark_of(others, &Item::ids));
  EXPECT_NE(mark_of(items, &Item::ids, &Item::right), mark_of(others, &Item::ids, &Item::right));
  others = items;
  others[0].ids[1] = 6;
  EXPECT_NE(mark_of(items, &Item::ids), mark_of(others, &Item::ids));
  EXPECT_EQ(mark_of(items, &Item::count), mark_of(others, &Item::count));
}

}  // namespace
}  // namespace heed::data
