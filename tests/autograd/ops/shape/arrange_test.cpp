// Elements in another order are copies, also where the order is the same.
#include "../../../../autograd/ops/shape/arrange.h"

#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/in_place.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/numbers.h"
#include "../../../support/throws.h"
#include "../../kinks.h"

namespace heed {
namespace {

std::vector<Tensor> arranged(const Tensor& x) {  // [1, 3]
  return {flip(x, {}),
          flip(x, {0}),
          roll(x, {0}),
          roll(x, {3}),
          roll(x, {0, -3}, {0, 1}),
          repeat(x, {1, 1}),
          repeat(x, {5, 1}),
          repeat(x, {1, 2}),
          repeat(x, {7, 1, 1}),
          tile(x, {1}),
          tile(x, {5, 1}),
          repeat_interleave(x, 1, 0),
          repeat_interleave(x, 5, 0),
          repeat_interleave(x, 1, 1)};
}

TEST(Arrange, CopiesInAnyCase) {
  const Tensor x = tensor({2, 3, 5}, {1, 3}, DType::f64);
  std::vector<Numbers> before;
  const std::vector<Tensor> copies = arranged(x);
  for (const Tensor& copy : copies) {
    EXPECT_FALSE(copy.array().shares_storage(x.array())) << describe(copy);
    before.push_back(numbers(copy));
  }
  fill_(x, 7);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    EXPECT_EQ(numbers(copies[i]), before[i]) << i;
    fill_(copies[i], 11);  // each place is one of its own
  }
  EXPECT_EQ(numbers(x), (Numbers{7, 7, 7}));
}

TEST(Arrange, CopiesHandOnGradients) {
  const Tensor x = leaf({2, 3, 5}, {1, 3});
  Generator draw(3);
  for (const Tensor& copy : arranged(x)) {
    const Tensor g = draw.normal(copy.shape(), 0, 1, DType::f64);
    double expected = 0, found = 0;
    for (const double value : numbers(g)) expected += value;
    for (const double value : numbers(grad({copy}, {x}, {g})[0])) found += value;
    EXPECT_NEAR(found, expected, 1e-12) << describe(copy);
  }
}

TEST(Arrange, MoreThanThereIsRoomForIsRefused) {
  EXPECT_THROW(repeat(zeros({1}), {Index{1} << 60}), OutOfMemory);
  EXPECT_THROW(repeat_interleave(zeros({1}), Index{1} << 60, 0), OutOfMemory);
}

}  // namespace
}  // namespace heed
