#include "../../../../attention/mechanisms/pooling/doubly_stochastic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

using testing::ElementsAre;

constexpr Index kB = 2, kT = 3, kK = 5;

Tensor booleans(const std::vector<double>& values, const Shape& shape) {
  return Tensor(Array::from(values, shape).to(DType::boolean));
}

Tensor steps() { return booleans({1, 1, 1, 1, 0, 0}, {kB, kT}); }
Tensor some_places() { return booleans({1, 1, 1, 1, 1, 1, 0, 1, 0, 1}, {kB, kK}); }

TEST(DoublyStochastic, IsTheDefinition) {
  manual_seed(3);
  const Tensor weights = rand({kB, kT, kK}, DType::f64);
  const auto w = numbers(weights);
  const auto reference = [&](bool masked) {
    std::vector<double> out;
    for (Index b = 0; b < kB; ++b) {
      double total = 0;
      for (Index i = 0; i < kK; ++i) {
        if (masked && b == 1 && i % 2 == 1) continue;
        double missing = 1;
        for (Index t = 0; t < (masked && b == 1 ? 1 : kT); ++t) {
          missing -= w[static_cast<std::size_t>((b * kT + t) * kK + i)];
        }
        total += missing * missing;
      }
      out.push_back(total);
    }
    return out;
  };
  EXPECT_THAT(numbers(doubly_stochastic_penalty(weights)), near(reference(false)));
  EXPECT_THAT(numbers(doubly_stochastic_penalty(weights, steps(), some_places())),
              near(reference(true)));
}

TEST(DoublyStochastic, Gradients) {
  manual_seed(5);
  const auto run = [](const std::vector<Tensor>& x) {
    return doubly_stochastic_penalty(x[0], steps(), some_places());
  };
  const Tensor weights = rand({kB, kT, kK}, DType::f64);
  const auto first = gradcheck(run, {weights});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(run, {weights});
  EXPECT_TRUE(second) << second.text();
}

TEST(DoublyStochastic, WhatIsNotRealChangesNothing) {
  manual_seed(7);
  const Tensor clean = rand({kB, kT, kK}, DType::f64);
  Array numbers_of = clean.array().clone();
  auto* to = numbers_of.mutable_data<double>();
  to[(kT + 1) * kK + 2] = to[kT * kK + 3] = std::numeric_limits<double>::quiet_NaN();
  Tensor dirty(numbers_of);
  const Tensor out = doubly_stochastic_penalty(dirty.set_requires_grad(), steps(), some_places());
  EXPECT_EQ(numbers(out), numbers(doubly_stochastic_penalty(clean, steps(), some_places())));
  const auto gradient = numbers(grad({sum(out)}, {dirty})[0]);
  EXPECT_EQ(gradient[(kT + 1) * kK + 2], 0);
  EXPECT_EQ(gradient[kT * kK + 3], 0);
  // Without any step each place lacks all of its share; without any place there is no penalty.
  EXPECT_THAT(numbers(doubly_stochastic_penalty(zeros({1, 0, 4}, DType::f64))), ElementsAre(4));
  EXPECT_THAT(numbers(doubly_stochastic_penalty(zeros({1, 3, 0}, DType::f64))), ElementsAre(0));
  EXPECT_EQ(doubly_stochastic_penalty(zeros({0, 3, 4})).shape(), Shape{0});
}

TEST(DoublyStochastic, SaysWhatIsWrong) {
  EXPECT_ERROR(ShapeError, "doubly_stochastic_penalty: weights must be [B, T, K], not f32[2, 3]",
               doubly_stochastic_penalty(zeros({2, 3})));
  EXPECT_ERROR(DTypeError, "doubly_stochastic_penalty: steps must be bool, not f32[2, 3]",
               doubly_stochastic_penalty(zeros({kB, kT, kK}), zeros({kB, kT})));
  EXPECT_ERROR(ShapeError, "doubly_stochastic_penalty: places must be bool[2, 5], not bool[2, 3]",
               doubly_stochastic_penalty(zeros({kB, kT, kK}), steps(), steps()));
}

}  // namespace
}  // namespace heed::attention
