// Probabilities that are 0 or 1, where logarithms end and differences say nothing.
#include "../../../../autograd/ops/losses/binary_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/numbers.h"
#include "../../../support/throws.h"
#include "../../kinks.h"

namespace heed {
namespace {

Tensor each(const Tensor& p, const Tensor& z) {
  return binary_cross_entropy(p, z, {.reduction = Reduction::none});
}

// PyTorch's (p - z) / max(p (1 - p), 1e-12).
TEST(BinaryCrossEntropy, HasAGradientAtZeroAndOne) {
  const Tensor p = leaf({0, 0, 1, 1, 0, 1, 1e-50, 0.25});
  const Tensor z = leaf({0, 1, 0, 1, 0.25, 0.25, 1, 0.25});
  EXPECT_EQ(numbers(each(p, z)),
            (Numbers{0, 100, 100, 0, 25, 75, 100, -0.25 * std::log(0.25) - 0.75 * std::log(0.75)}));
  const Numbers by_p = gradient(each(p, z), p);
  const Numbers expected = {0, -1e12, 1e12, 0, -0.25e12, 0.75e12, -1e12, 0};
  for (std::size_t i = 0; i < by_p.size(); ++i) {
    EXPECT_NEAR(by_p[i], expected[i], 1e-12 * std::fabs(expected[i]) + 1e-15) << i;
  }
  const Numbers by_z = gradient(each(p, z), z);
  EXPECT_EQ(Numbers(by_z.begin(), by_z.begin() + 4), (Numbers{100, 100, -100, -100}));
}

TEST(BinaryCrossEntropy, OfASaturatedSigmoidIsFlat) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = tensor({40, -1000, 1000, -1000}, {4}, dtype).set_requires_grad();
    const Tensor z = tensor({1, 0, 0, 1}, {4}, dtype);
    for (const bool again : {false, true}) {
      const Tensor gx =
          grad({binary_cross_entropy(sigmoid(x), z)}, {x}, {}, {.create_graph = again})[0];
      EXPECT_EQ(numbers(to(gx, DType::f64)), (Numbers{0, 0, 0, 0})) << name(dtype) << again;
    }
  }
}

// PyTorch's divisor is never below 1e-12: a slope of 1 / p would leave f32's range.
TEST(BinaryCrossEntropy, HasFiniteGradientsNearTheEnds) {
  const Tensor p = leaf({1e-40, 1e-13, 1e-11, 1 - 1e-13});
  const Tensor z = leaf({1, 1, 1, 0});
  const Numbers by_p = gradient(each(p, z), p);
  const Numbers expected = {-1e12, -1e12, -1e11, 1e12};
  for (std::size_t i = 0; i < by_p.size(); ++i) EXPECT_NEAR(by_p[i] / expected[i], 1, 1e-9) << i;
  const Tensor x = tensor({-89, -95, -105}, {3}, DType::f32).set_requires_grad();
  const Tensor loss = binary_cross_entropy(sigmoid(x), ones({3}), {.reduction = Reduction::sum});
  for (const double slope : numbers(to(grad({loss}, {x})[0], DType::f64))) {
    EXPECT_TRUE(slope <= 0 && slope > -1) << slope;
  }
}

// Elements beside such ones keep their bits, of value, gradient and second order.
TEST(BinaryCrossEntropy, OthersAreAsIfTheyStoodAlone) {
  Generator draw(3);
  const Tensor inner = draw.uniform({13}, 0.01, 0.99, DType::f64);
  const Tensor targets = draw.uniform({13}, 0, 1, DType::f64);
  const Tensor g = draw.normal({13}, 0, 1, DType::f64), gg = draw.normal({13}, 0, 1, DType::f64);
  const auto run = [&](bool ends) {
    const auto longer = [&](const Tensor& x, const Numbers& more) {
      Numbers all = numbers(x);
      if (ends) all.insert(all.end(), more.begin(), more.end());
      return leaf(all);
    };
    const Tensor p = longer(inner, {0, 1}), z = longer(targets, {1, 1});
    const Tensor out = each(p, z);
    const Tensor first = grad({out}, {p}, {longer(g, {2, 3})}, {.create_graph = true})[0];
    const Tensor second = grad({first}, {p}, {longer(gg, {5, 7})})[0];
    std::vector<Numbers> all;
    for (const Tensor& x : {out, first, second}) {
      all.push_back(numbers(x));
      for (const double value : all.back()) EXPECT_TRUE(std::isfinite(value));
      all.back().resize(13);
    }
    return all;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(BinaryCrossEntropy, RefusesAWeightInItsOwnName) {
  const Tensor p = leaf({0.25, 0.5, 0.75}), targets = leaf({0, 1, 1});
  const Tensor longer = leaf({1, 2, 3, 4, 5}), single = ones({3});
  EXPECT_ERROR_WITH(ShapeError,
                    "binary_cross_entropy: ", binary_cross_entropy(p, targets, {.weight = longer}));
  EXPECT_ERROR(DTypeError, "binary_cross_entropy: weight is f32[3] for p f64[3]",
               binary_cross_entropy(p, targets, {.weight = single}));
  EXPECT_ERROR(ShapeError, "binary_cross_entropy: weight f64[2, 3] does not broadcast to p f64[3]",
               binary_cross_entropy(p, targets, {.weight = ones({2, 3}, DType::f64)}));
  EXPECT_ERROR(DTypeError,
               "binary_cross_entropy_with_logits: pos_weight is f32[3] for logits f64[3]",
               binary_cross_entropy_with_logits(p, targets, {.pos_weight = single}));
}

}  // namespace
}  // namespace heed
