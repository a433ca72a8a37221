#include "../../train/explanations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/block.h"
#include "../support/numbers.h"
#include "../support/seeded_test.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

constexpr Index kB = 2, kH = 3, kT = 5, kLayers = 2;

// Layers whose scores' gradients are numbers that we know.
class Explanations : public SeededTest<3> {
 protected:
  std::vector<Tensor> weights, by;
  Tensor score;
  Explanations() {
    for (Index l = 0; l < kLayers; ++l) {
      weights.push_back(rand({kB, kH, kT, kT}, DType::f64).set_requires_grad());
      by.push_back(randn({kB, kH, kT, kT}, DType::f64));
      const Tensor part = sum(weights.back() * by.back(), {1, 2, 3});
      score = score.defined() ? score + part : part;
    }
  }
};

// As matrices of one example: rows of T numbers.
Block product(const Block& a, const Block& b) {
  return Block({kB, kT, kT}, [&](const Place& p) {
    double sum = 0;
    for (Index k = 0; k < kT; ++k) sum += a(p[0], p[1], k) * b(p[0], k, p[2]);
    return sum;
  });
}
Block identity() {
  return Block({kB, kT, kT}, [](const Place& p) { return p[1] == p[2] ? 1.0 : 0.0; });
}

TEST_F(Explanations, RolloutIsTheDefinition) {
  for (const double residual : {0.5, 0.2}) {
    Block wanted = identity();
    for (const Tensor& layer : weights) {
      const Block w(layer);
      const Block a({kB, kT, kT}, [&](const Place& p) {
        double mean = 0;
        for (Index h = 0; h < kH; ++h) mean += w(p[0], h, p[1], p[2]) / kH;
        return (1 - residual) * mean + (p[1] == p[2] ? residual : 0);
      });
      const Block rows(a.shape(), [&](const Place& p) {
        double total = 0;
        for (Index k = 0; k < kT; ++k) total += a(p[0], p[1], k);
        return a(p) / total;
      });
      wanted = product(rows, wanted);
    }
    const Tensor found = attention_rollout(weights, residual);
    EXPECT_LT(difference(found, wanted.values()), 1e-12);
    EXPECT_FALSE(found.requires_grad());
  }
}

TEST_F(Explanations, RelevanceIsTheDefinition) {
  Block wanted = identity();
  for (std::size_t l = 0; l < weights.size(); ++l) {
    const Block w(weights[l]), g(by[l]);
    const Block a({kB, kT, kT}, [&](const Place& p) {
      double mean = 0;
      for (Index h = 0; h < kH; ++h) {
        mean += std::max(0.0, w(p[0], h, p[1], p[2]) * g(p[0], h, p[1], p[2])) / kH;
      }
      return mean;
    });
    const Block more = product(a, wanted);
    wanted = Block(more.shape(), [&](const Place& p) { return wanted(p) + more(p); });
  }
  for (int again = 0; again < 2; ++again) {  // the tape is left as it was
    const Tensor found = attention_relevance(weights, score);
    EXPECT_LT(difference(found, wanted.values()), 1e-12);
    EXPECT_FALSE(found.requires_grad());
  }
  EXPECT_FALSE(weights[0].grad().defined());
  // One number for all is the sum.
  EXPECT_LT(difference(attention_relevance(weights, sum(score)), wanted.values()), 1e-12);
  const Block w(weights[0]), g(by[0]);
  const Block one(w.shape(), [&](const Place& p) { return std::max(0.0, w(p) * g(p)); });
  EXPECT_LT(difference(gradient_weighted(weights[0], score), one.values()), 1e-12);
}

TEST_F(Explanations, GradCamAndGradientByInputAreTheDefinitions) {
  const Tensor x = randn({kB, 3, 2, 5}, DType::f64).set_requires_grad();
  const Tensor c = randn(x.shape(), DType::f64);
  const Tensor y = sum(x * c, {1, 2, 3});
  const Block map(x), g(c);
  const Block cam({kB, 2, 5}, [&](const Place& p) {
    double total = 0;
    for (Index k = 0; k < 3; ++k) {
      double alpha = 0;
      for (Index i = 0; i < 10; ++i) alpha += g(p[0], k, i / 5, i % 5) / 10;
      total += alpha * map(p[0], k, p[1], p[2]);
    }
    return std::max(total, 0.0);
  });
  EXPECT_LT(difference(grad_cam(x, y), cam.values()), 1e-12);
  const Tensor last = permute(x, {0, 2, 3, 1}).detach().set_requires_grad();
  const Tensor same = sum(last * permute(c, {0, 2, 3, 1}), {1, 2, 3});
  EXPECT_LT(difference(grad_cam(last, same, -1), cam.values()), 1e-12);
  const Block by_input({kB, 3, 2}, [&](const Place& p) {
    double total = 0;
    for (Index k = 0; k < 5; ++k) total += g(p[0], p[1], p[2], k) * map(p[0], p[1], p[2], k);
    return std::abs(total);
  });
  EXPECT_LT(difference(gradient_by_input(x, y), by_input.values()), 1e-12);
}

TEST_F(Explanations, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "attention_rollout: there are no layers", attention_rollout({}));
  EXPECT_ERROR(ValueError, "attention_rollout: residual 1.5 is not in [0, 1]",
               attention_rollout(weights, 1.5));
  EXPECT_ERROR(
      ShapeError,
      "attention_rollout: weights must be [B, H, T, T] of one B and T, not f64[2, 3] beside "
      "f64[2, 3]",
      attention_rollout({zeros({2, 3}, DType::f64)}));
  EXPECT_ERROR_WITH(ShapeError, "not f64[2, 3, 4, 4] beside f64[2, 3, 5, 5]",
                    attention_relevance({weights[0], zeros({2, 3, 4, 4}, DType::f64)}, score));
  EXPECT_ERROR(ShapeError,
               "attention_relevance: the score must be [B] or one number, not f64[2, 1]",
               attention_relevance(weights, unsqueeze(score, 1)));
  EXPECT_ERROR(GradError, "attention_relevance: f64[2, 3, 5, 5] is not on the tape",
               attention_relevance({by[0]}, score));
  EXPECT_ERROR(GradError,
               "attention_relevance: the score does not depend on f64[2, 3, 5, 5], number 1",
               attention_relevance(weights, sum(weights[0])));
  EXPECT_ERROR(GradError, "grad_cam: score is undefined", grad_cam(weights[0], Tensor()));
  EXPECT_ERROR(ShapeError, "grad_cam: activation must be [B, C, ..], not f32[2, 3]",
               grad_cam(zeros({2, 3}), score));
  EXPECT_ERROR(ShapeError, "grad_cam: axis 0 is the batch, not the channels",
               grad_cam(weights[0], score, 0));
  EXPECT_ERROR_WITH(ShapeError, "grad_cam: axis 4 is out of range", grad_cam(weights[0], score, 4));
  EXPECT_ERROR(ShapeError, "gradient_by_input: input must be [.., C], not f32[2]",
               gradient_by_input(zeros({2}), score));
  EXPECT_ERROR(DTypeError, "gradient_weighted: takes f32 or f64, not i64",
               gradient_weighted(zeros({2}, DType::i64), score));
}

}  // namespace
}  // namespace heed::train
