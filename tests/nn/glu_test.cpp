#include "../../nn/glu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(GLU, HalvesItsAxis) {
  const Tensor y = nn::GLU(0)(tensor({3, 5, 0, 0}, {4}));
  EXPECT_THAT(y.array().to_vector<float>(), testing::ElementsAre(1.5f, 2.5f));
}

}  // namespace
}  // namespace heed
