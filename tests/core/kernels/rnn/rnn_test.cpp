#include "../../../../core/kernels/rnn/rnn.h"

#include <gtest/gtest.h>

namespace heed::kernels {
namespace {

// h' = relu(w h + 1), x counts for nothing.
RnnWeights counting(Index inputs, float w) {
  return {Array::zeros({1, inputs}, DType::f32), Array::full({1, 1}, w, DType::f32),
          Array::full({1}, 1, DType::f32), Array()};
}

// In floats the sum would stand still long before.
TEST(RnnKernel, ABiasGathersTheGradientsOfManySteps) {
  constexpr Index kSteps = 100'003;
  const float g = 0.1f;
  const Rnn rnn(RnnCell::relu, 1, kSteps, {}, {counting(1, 0)});
  const Array x = Array::zeros({1, kSteps, 1}, DType::f32);
  const Rnn::Result result = rnn.forward(x, {});
  const Rnn::Gradients found =
      rnn.backward(x, {}, result, Array::full({1, kSteps, 1}, g, DType::f32), {},
                   {.weights = {{false, false, true, true}}});
  const double wanted = static_cast<double>(g) * static_cast<double>(kSteps);
  EXPECT_NEAR(found.weights[0].b_ih.item(), wanted, 1e-6 * wanted);
  EXPECT_NEAR(found.weights[0].b_hh.item(), wanted, 1e-6 * wanted);
}

TEST(RnnKernel, StepsOnWithoutInputs) {
  const Rnn rnn(RnnCell::relu, 1, 3, {}, {counting(0, 0.5f)});
  const Rnn::Result result = rnn.forward(Array::zeros({1, 3, 0}, DType::f32), {});
  EXPECT_EQ(result.out.to_vector<float>(), (std::vector<float>{1, 1.5f, 1.75f}));
}

}  // namespace
}  // namespace heed::kernels
