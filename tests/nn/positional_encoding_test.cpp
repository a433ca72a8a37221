#include "../../nn/positional_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

TEST(PositionalEncoding, IsThePapersFormula) {
  for (const Index width : {6, 7}) {
    const Tensor table = nn::sinusoidal_positions(11, width, 3, DType::f64);
    ASSERT_EQ(table.shape(), (Shape{11, width}));
    const auto found = table.array().to_vector<double>();
    for (Index t = 0; t < 11; ++t) {
      for (Index i = 0; 2 * i < width; ++i) {
        const double angle =
            static_cast<double>(t + 3) /
            std::pow(10000, 2 * static_cast<double>(i) / static_cast<double>(width));
        const auto place = static_cast<std::size_t>(t * width + 2 * i);
        EXPECT_NEAR(found[place], std::sin(angle), 1e-14);
        if (2 * i + 1 < width) {
          EXPECT_NEAR(found[place + 1], std::cos(angle), 1e-14);
        }
      }
    }
  }
}

TEST(PositionalEncoding, IsLongAndDropsATenthWhereNothingIsSaid) {
  const nn::PositionalEncoding layer(2);
  EXPECT_EQ(layer.pe.shape(), (Shape{5000, 2}));
  EXPECT_EQ(layer.dropout.p(), 0.1);
  EXPECT_EQ(nn::sinusoidal_positions(1, 3).array().to_vector<float>(),
            (std::vector<float>{0, 1, 0}));
}

TEST(PositionalEncoding, AddsTheRowsOfItsSteps) {
  nn::PositionalEncoding layer(4, 0, 13);
  EXPECT_EQ(layer.named_buffers()[0].first, "pe");
  EXPECT_TRUE(layer.parameters().empty());
  const Tensor y = layer(zeros({2, 3, 4}), 5);
  const auto expected = layer.pe.array().slice(0, 5, 8).to_vector<float>();
  EXPECT_EQ(y.array().select(0, 0).to_vector<float>(), expected);
  EXPECT_EQ(y.array().select(0, 1).to_vector<float>(), expected);
}

TEST(PositionalEncoding, DropsOutInTrainingOnly) {
  nn::PositionalEncoding layer(5, 1, 7);
  EXPECT_THAT(layer(ones({2, 3, 5})).array().to_vector<float>(), testing::Each(0));
  layer.eval();
  EXPECT_NE(layer(ones({2, 3, 5})).array().to_vector<float>()[0], 0);
}

TEST(PositionalEncoding, ChecksWhatItGets) {
  const nn::PositionalEncoding layer(4, 0, 13);
  EXPECT_ERROR(ShapeError, "PositionalEncoding: x must be [.., T, 4], not f32[3, 5]",
               layer(zeros({3, 5})));
  EXPECT_ERROR(IndexError, "PositionalEncoding: steps 3 from 11 are not within [0, 13)",
               layer(zeros({3, 4}), 11));
  EXPECT_ERROR(IndexError, "PositionalEncoding: steps 3 from -1 are not within [0, 13)",
               layer(zeros({3, 4}), -1));
  EXPECT_ERROR(IndexError, "PositionalEncoding: steps 0 from 14 are not within [0, 13)",
               layer(zeros({0, 4}), 14));
  EXPECT_EQ(layer(zeros({0, 4}), 13).shape(), (Shape{0, 4}));
  EXPECT_EQ(layer(zeros({13, 4})).shape(), (Shape{13, 4}));
  EXPECT_ERROR(ShapeError, "PositionalEncoding: x must be [.., T, 4], not f32[4]",
               layer(zeros({4})));
  EXPECT_ERROR(
      ValueError,
      "sinusoidal_positions: steps 5, width 0, first 0: width must be positive, none negative",
      nn::sinusoidal_positions(5, 0));
  EXPECT_ERROR(
      ValueError,
      "sinusoidal_positions: steps -1, width 2, first 0: width must be positive, none negative",
      nn::sinusoidal_positions(-1, 2));
  EXPECT_ERROR(
      ValueError,
      "sinusoidal_positions: steps 5, width 2, first -1: width must be positive, none negative",
      nn::sinusoidal_positions(5, 2, -1));
  EXPECT_ERROR_WITH(DTypeError, "sinusoidal_positions",
                    nn::sinusoidal_positions(5, 2, 0, DType::i64));
  EXPECT_EQ(nn::sinusoidal_positions(0, 1).shape(), (Shape{0, 1}));
}

}  // namespace
}  // namespace heed
