#include "../../nn/dropout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

TEST(Dropout, ActsInTrainingOnly) {
  nn::Dropout drop(0.25);
  const Tensor x = ones({101, 7});
  const auto y = drop(x).array().to_vector<float>();
  EXPECT_THAT(y, testing::Each(testing::AnyOf(0.0f, 1 / 0.75f)));
  EXPECT_THAT(y, testing::Contains(0.0f));
  EXPECT_THAT(y, testing::Contains(1 / 0.75f));
  drop.eval();
  EXPECT_TRUE(drop(x).is_same(x));
}

TEST(Dropout, DrawsFromTheGeneratorGiven) {
  Generator first(3), second(3);
  const Tensor x = ones({53});
  nn::Dropout a(0.5, &first), b(0.5, &second);
  const auto global = default_generator().state();
  EXPECT_EQ(a(x).array().to_vector<float>(), b(x).array().to_vector<float>());
  EXPECT_NE(a(x).array().to_vector<float>(), Tensor(x).array().to_vector<float>());
  EXPECT_EQ(default_generator().state(), global);
}

TEST(Dropout, ChecksItsProbability) {
  EXPECT_ERROR(ValueError, "Dropout: p 1.5 is not in [0, 1]", nn::Dropout(1.5));
  EXPECT_ERROR(ValueError, "Dropout: p -0.5 is not in [0, 1]", nn::Dropout(-0.5));
}

}  // namespace
}  // namespace heed
