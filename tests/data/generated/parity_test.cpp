#include "../../../data/generated/parity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

TEST(Parity, CountsTheOnes) {
  Generator generator(3);
  const AnsweredSteps some = draw_parity(211, 7, {2, 5}, generator);
  ASSERT_EQ(some.x.shape(), (Shape{211, 1, 7}));
  ASSERT_EQ(some.y.shape(), (Shape{211, 1, 1}));
  std::set<Index> lengths;
  for (Index b = 0; b < 211; ++b) {
    Index ones = 0, numbers = 0;
    for (Index i = 0; i < 7; ++i) {
      const float x = some.x.data<float>()[b * 7 + i];
      ones += x == 1;
      if (x == 0) continue;
      EXPECT_EQ(std::abs(x), 1);
      EXPECT_EQ(numbers++, i);  // the zeros are last
    }
    lengths.insert(numbers);
    EXPECT_EQ(some.y.data<Index>()[b], ones % 2);
  }
  EXPECT_EQ(lengths, (std::set<Index>{2, 3, 4, 5}));
  EXPECT_EQ(some.lengths, std::vector<Index>(211, 1));
}

TEST(Parity, IsReadFromALine) {
  const AnsweredSteps one = read_parity(" 1 0 1 1", 5);
  EXPECT_EQ(one.x.to_vector<float>(), (std::vector<float>{1, -1, 1, 1, 0}));
  EXPECT_EQ(one.y.to_vector<Index>(), std::vector<Index>{1});
  EXPECT_ERROR_WITH(ValueError, "parity: \"2\" is neither 0 nor 1", read_parity("1 2", 5));
  EXPECT_ERROR_WITH(ValueError, "parity: 3 numbers, not 1 to 2", read_parity("1 1 0", 2));
  EXPECT_ERROR_WITH(ValueError, "parity: 0 numbers", read_parity("", 2));
  Generator generator(5);
  EXPECT_ERROR_WITH(ValueError, "parity: 3 vectors, up to 5 of 4 numbers",
                    draw_parity(3, 4, {1, 5}, generator));
  EXPECT_ERROR_WITH(ValueError, "parity: -1 vectors", draw_parity(-1, 5, {1, 5}, generator));
  EXPECT_EQ(draw_parity(0, 5, {1, 5}, generator).x.shape(), (Shape{0, 1, 5}));
  EXPECT_ERROR_WITH(ValueError, "lengths: none from 3 to 2", draw_parity(3, 4, {3, 2}, generator));
  EXPECT_ERROR_WITH(ValueError, "lengths: none from 0 to 2", Lengths({0, 2}).draw(generator));
}

}  // namespace
}  // namespace heed::data
