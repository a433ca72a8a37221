#include "../../nn/sequences.h"

#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::nn::utils::rnn {
namespace {

TEST(Sequences, ArePaddedToTheLongest) {
  const Tensor longer = arange(6).view({3, 2}), shorter = arange(2).view({1, 2});
  const Tensor padded = pad_sequence({longer, shorter}, true, -1);
  ASSERT_EQ(padded.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(padded.dtype(), DType::i64);
  EXPECT_TRUE(equal(padded, tensor({{{0, 1}, {2, 3}, {4, 5}}, {{0, 1}, {-1, -1}, {-1, -1}}})));
  EXPECT_TRUE(equal(pad_sequence({longer, shorter}, false, -1), padded.transpose(0, 1)));
  EXPECT_TRUE(equal(pad_sequence({longer, shorter}),
                    tensor({{{0, 1}, {0, 1}}, {{2, 3}, {0, 0}}, {{4, 5}, {0, 0}}})));
}

TEST(Sequences, PassGradientsOn) {
  Tensor x = randn({3}, DType::f64), y = randn({2}, DType::f64);
  x.requires_grad_();
  y.requires_grad_();
  sum(pad_sequence({x, y}, true) * tensor({{1.0, 2.0, 3.0}, {5.0, 7.0, 11.0}}, DType::f64))
      .backward();
  EXPECT_EQ(x.grad()[2].item(), 3);
  EXPECT_EQ(y.grad()[1].item(), 7);
}

TEST(Sequences, AreRefusedWhereThereIsNothingToPad) {
  EXPECT_ERROR(ValueError, "pad_sequence: there are no sequences", pad_sequence({}));
  EXPECT_ERROR(ShapeError, "pad_sequence: a number is no sequence", pad_sequence({tensor(1.0)}));
}

}  // namespace
}  // namespace heed::nn::utils::rnn
