#include "../../nn/flat_parameters.h"

#include <gtest/gtest.h>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../nn/linear.h"
#include "../support/throws.h"

namespace heed::nn::utils {
namespace {

TEST(FlatParameters, GoThereAndBack) {
  Linear layer(3, 5);
  const Tensor flat = parameters_to_vector(layer.parameters());
  ASSERT_EQ(flat.shape(), (Shape{20}));
  EXPECT_EQ(flat[4].item(), layer.weight[1][1].item());
  EXPECT_EQ(flat[17].item(), layer.bias[2].item());
  sum(flat * flat).backward();
  EXPECT_EQ(layer.bias.grad()[2].item(), 2 * layer.bias[2].item());

  const Tensor weight = layer.weight;
  vector_to_parameters(arange(20).to(DType::f32), layer.parameters());
  EXPECT_TRUE(layer.weight.is_same(weight));
  EXPECT_EQ(weight[4][2].item(), 14);
  EXPECT_EQ(layer.bias[0].item(), 15);
  EXPECT_TRUE(layer.bias.requires_grad());
}

TEST(FlatParameters, FitOrAreRefused) {
  Linear layer(3, 5);
  const double before = layer.weight[0][0].item();
  EXPECT_ERROR(ShapeError, "vector_to_parameters: f32[19] does not hold 20 elements",
               vector_to_parameters(zeros({19}), layer.parameters()));
  EXPECT_ERROR(DTypeError, "vector_to_parameters: f64[20] goes not into f32[5, 3]",
               vector_to_parameters(zeros({20}, DType::f64), layer.parameters()));
  EXPECT_EQ(layer.weight[0][0].item(), before);
  EXPECT_ERROR(ValueError, "parameters_to_vector: there are no parameters",
               parameters_to_vector({}));
}

}  // namespace
}  // namespace heed::nn::utils
