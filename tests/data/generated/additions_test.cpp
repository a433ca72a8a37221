#include "../../../data/generated/additions.h"

#include <gtest/gtest.h>

#include <set>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

TEST(Additions, SayTheSumSoFarFromTheLowestDigit) {
  const AnsweredSteps some = additions({{7, 95, 0}, {40}}, 2);
  ASSERT_EQ(some.x.shape(), (Shape{2, 3, 20}));
  EXPECT_EQ(some.lengths, (std::vector<Index>{3, 1}));
  EXPECT_EQ(some.y.to_vector<Index>(), (std::vector<Index>{-1, -1, -1, 2, 0, 1, 2, 0, 1,  //
                                                           -1, -1, -1, -1, -1, -1, -1, -1, -1}));
  std::set<Index> ones;
  for (Index i = 0; i < some.x.numel(); ++i) {
    if (some.x.data<float>()[i] == 1) ones.insert(i);
  }
  // 7; 5 and 9; 0; then 0 and 4.
  EXPECT_EQ(ones, (std::set<Index>{7, 25, 39, 40, 60, 74}));
  const std::vector<Index> said = {2, 0, 1, kNoDigit, kNoDigit};
  EXPECT_EQ(sum_in_text(said.data(), said.data() + 4), "102");
  EXPECT_EQ(sum_in_text(said.data() + 3, said.data() + 5), "-");
}

TEST(Additions, DrawsNumbersOfAllLengths) {
  Generator generator(3);
  std::set<std::size_t> digits;
  for (int i = 0; i < 50; ++i) {
    for (const Index each : draw_addends(3, 4, generator)) {
      ASSERT_TRUE(each >= 0 && each < 10000);
      digits.insert(std::to_string(each).size());
    }
  }
  EXPECT_EQ(digits.size(), 4U);
  const AnsweredSteps some = draw_additions(13, {2, 5}, 3, generator);
  EXPECT_EQ(some.x.size(0), 13);
  EXPECT_EQ(some.y.size(2), 4);
}

TEST(Additions, RefusesWhatIsNone) {
  EXPECT_EQ(read_addends("12 7 0", 2, 3), (Addends{12, 7, 0}));
  EXPECT_ERROR_WITH(ValueError, "additions: \"123\" is no number of up to 2 digits",
                    read_addends("123", 2, 3));
  EXPECT_ERROR_WITH(ValueError, "additions: \"-1\" is no number", read_addends("-1", 2, 3));
  EXPECT_ERROR_WITH(ValueError, "additions: 4 numbers, not 1 to 3", read_addends("1 2 3 4", 2, 3));
  EXPECT_ERROR_WITH(ValueError, "additions: 0 numbers", read_addends("", 2, 3));
  EXPECT_ERROR_WITH(ValueError, "additions: 10 digits, not 1 to 9", additions({{1}}, 10));
  EXPECT_ERROR_WITH(ValueError, "additions: no problems", additions({}, 2));
  EXPECT_ERROR_WITH(ValueError, "additions: 100 is not of 2 digits", additions({{100}}, 2));
  Generator generator(5);
  EXPECT_ERROR_WITH(ValueError, "additions: 0 numbers", draw_addends(0, 2, generator));
  EXPECT_ERROR_WITH(ValueError, "additions: -1 is not of 2 digits", additions({{-1}}, 2));
  for (const Index digits : {Index{0}, Index{10}}) {
    const std::string message = "additions: " + std::to_string(digits) + " digits, not 1 to 9";
    EXPECT_ERROR_WITH(ValueError, message, draw_addends(1, digits, generator));
    EXPECT_ERROR_WITH(ValueError, message, read_addends("1", digits, 3));
    EXPECT_ERROR_WITH(ValueError, message, additions({{0}}, digits));
  }
  EXPECT_EQ(read_addends("987654321 0", 9, 2), (Addends{987654321, 0}));
  EXPECT_EQ(additions({{987654321, 12345679}}, 9).y.to_vector<Index>(),
            (std::vector<Index>{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1,  //
                                0,  0,  0,  0,  0,  0,  0,  0,  0,  1}));
  EXPECT_LT(draw_addends(1, 9, generator)[0], 1'000'000'000);
}

}  // namespace
}  // namespace heed::data
