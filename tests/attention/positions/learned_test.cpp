#include "../../../attention/positions/learned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../nn/gradcheck.h"
#include "../numbers.h"

namespace heed::attention {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(LearnedPositions, AddTheRowsOfTheirPlaces) {
  manual_seed(3);
  LearnedPositions positions(7, 3, DType::f64);
  const Tensor x = randn({2, 5, 3}, DType::f64);
  const auto table = numbers(positions.weight), in = numbers(x), out = numbers(positions(x, 2));
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], in[i] + table[2 * 3 + i % 15]);
  }
  const auto report = nn::gradcheck(positions, x);
  EXPECT_TRUE(report) << report.text();
}

TEST(LearnedPositions, RefuseWhatDoesNotFit) {
  const LearnedPositions positions(7, 3);
  EXPECT_THAT([] { LearnedPositions none(0, 3); },
              ThrowsMessage<ValueError>(HasSubstr("max_steps 0 and width 3 must be positive")));
  EXPECT_THAT(
      [&] {
        positions(zeros({2, 5, 4}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("x must be [.., T, 3], not f32[2, 5, 4]")));
  EXPECT_THAT(
      [&] {
        positions(zeros({5, 3}, DType::f64));
      },
      ThrowsMessage<DTypeError>(HasSubstr("the weights are f32")));
  EXPECT_THAT(
      [&] {
        positions(zeros({5, 3}), 3);
      },
      ThrowsMessage<IndexError>(HasSubstr("5 steps from 3 are not in [0, 7)")));
  EXPECT_THAT([&] { positions(zeros({5, 3}), -1); }, ThrowsMessage<IndexError>(HasSubstr("-1")));
  EXPECT_THAT([&] { positions(Tensor()); },
              ThrowsMessage<GradError>(HasSubstr("learned_positions: x is undefined")));
}

}  // namespace
}  // namespace heed::attention
