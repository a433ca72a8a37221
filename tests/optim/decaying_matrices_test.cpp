#include "../../optim/decaying_matrices.h"

#include <gtest/gtest.h>

#include "../../autograd/factories.h"
#include "../../optim/adam.h"
#include "../../optim/sgd.h"

namespace heed::optim {
namespace {

Tensor leaf(const Shape& shape) { return ones(shape).set_requires_grad(); }

TEST(DecayingMatrices, AreThoseOfMoreThanOneAxis) {
  const Tensor scalar = leaf({}), bias = leaf({3}), weight = leaf({3, 2}),
               filters = leaf({3, 2, 5});
  const AdamWOptions options{.lr = 0.7, .betas = {0.5, 0.6}, .weight_decay = 0.3};
  const auto groups = decaying_matrices({bias, weight, scalar, filters}, options);
  ASSERT_EQ(groups.size(), 2U);
  ASSERT_EQ(groups[0].parameters.size(), 2U);
  EXPECT_TRUE(groups[0].parameters[0].is_same(weight));
  EXPECT_TRUE(groups[0].parameters[1].is_same(filters));
  EXPECT_EQ(groups[0].options.weight_decay, 0.3);
  ASSERT_EQ(groups[1].parameters.size(), 2U);
  EXPECT_TRUE(groups[1].parameters[0].is_same(bias));
  EXPECT_TRUE(groups[1].parameters[1].is_same(scalar));
  EXPECT_EQ(groups[1].options.weight_decay, 0);
  for (const auto& group : groups) {
    EXPECT_EQ(group.options.lr, 0.7);
    EXPECT_EQ(group.options.betas[1], 0.6);
  }
}

TEST(DecayingMatrices, MakeNoEmptyGroup) {
  const SGDOptions options{.weight_decay = 0.3};
  const auto matrices = decaying_matrices({leaf({3, 2})}, options);
  ASSERT_EQ(matrices.size(), 1U);
  EXPECT_EQ(matrices[0].options.weight_decay, 0.3);
  const auto vectors = decaying_matrices({leaf({3})}, options);
  ASSERT_EQ(vectors.size(), 1U);
  EXPECT_EQ(vectors[0].options.weight_decay, 0);
  EXPECT_TRUE(decaying_matrices({}, options).empty());
}

}  // namespace
}  // namespace heed::optim
