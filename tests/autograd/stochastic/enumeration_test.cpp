// Exact enumeration against sums written out.
#include "../../../autograd/stochastic/enumeration.h"

#include <gtest/gtest.h>

#include <limits>

#include "../../support/numbers.h"
#include "../../support/throws.h"
#include "problems.h"

namespace heed {
namespace {

TEST(Enumerate, WeighsEachCostByItsProbability) {
  const Tensor logits = randn({3, 5}, DType::f64), costs = randn({3, 5}, DType::f64);
  const Tensor got =
      enumerate([&](Choices& choices) { return choices.choose(logits).pick_number(costs); });
  EXPECT_LT(difference(got, sum(softmax(logits, -1) * costs, {1})), 1e-14);
}

TEST(Enumerate, GoesThroughDependentChoices) {
  const Tensor first = randn({2}, DType::f64), second = randn({2, 3}, DType::f64);
  const Tensor costs = randn({2, 3}, DType::f64);
  const Tensor got = enumerate([&](Choices& choices) {
    const Choice a = choices.choose(first);
    return choices.choose(a.pick(second)).pick_number(a.pick(costs));
  });
  const Tensor joint = unsqueeze(softmax(first, 0), 1) * softmax(second, 1);
  EXPECT_LT(difference(got, sum(joint * costs)), 1e-14);
}

TEST(Enumerate, TakesChoicesBesideEachOtherJointly) {
  const Tensor logits = randn({3, 2, 4}, DType::f64);
  const Tensor table = randn({4, 1}, DType::f64);
  const Tensor got = enumerate([&](Choices& choices) {
    const Tensor picked = squeeze(choices.choose(logits).pick(table), -1);  // [3, 2]
    return select(picked, 1, 0) * exp(select(picked, 1, 1));
  });
  const Tensor p = softmax(logits, -1);
  const Tensor left = squeeze(matmul(select(p, 1, 0), table), -1);
  const Tensor right = squeeze(matmul(select(p, 1, 1), exp(table)), -1);
  EXPECT_LT(difference(got, left * right), 1e-14);
}

TEST(Enumerate, IsDifferentiableTwice) {
  const stochastic::Problem problem(2, 3);
  const auto expected = [&](const std::vector<Tensor>& x) {
    return enumerate([&](Choices& choices) { return problem.cost(choices, x[0]); });
  };
  const std::vector<Tensor> rows = {randn({2, 2, 3}, DType::f64)};
  const std::function<Tensor(const std::vector<Tensor>&)> function = expected;
  EXPECT_TRUE(gradcheck(function, rows));
  EXPECT_TRUE(gradgradcheck(function, rows));
}

TEST(Enumeration, IsAnEstimatorWithoutVariance) {
  const stochastic::Problem problem(2, 3);
  Enumeration exact;
  const auto report = stochastic_gradcheck(exact, problem.row_cost(), problem.theta,
                                           {.first_look = 32, .max_samples = 32, .batch = 16});
  EXPECT_TRUE(report) << report.text();
  EXPECT_LT(report.variance, 1e-28);
}

TEST(Enumerate, CountsNoCostOfWhatCannotBe) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor logits = tensor({0, -inf}, {2}, DType::f64).set_requires_grad();
  const Tensor pay = tensor({3, inf}, {2}, DType::f64).set_requires_grad();
  const Tensor total =
      enumerate([&](Choices& choices) { return choices.choose(logits).pick_number(pay); });
  EXPECT_EQ(total.item(), 3);
  const auto g = grad({total}, {logits, pay});
  EXPECT_EQ(numbers(g[0]), (Numbers{0, 0}));
  EXPECT_EQ(numbers(g[1]), (Numbers{1, 0}));
}

TEST(Enumerate, SaysHowLargeTheSpaceIs) {
  const Tensor logits = zeros({1, 7});
  const auto many = [&](int steps) {
    return [&logits, steps](Choices& choices) {
      Tensor total;
      for (int t = 0; t < steps; ++t) {
        total = choices.choose(logits).pick_number(zeros({7}));
      }
      return total;
    };
  };
  EXPECT_ERROR(Error,
               "enumerate: the choices have 13841287201 sequences, more than the limit of 100000",
               enumerate(many(12)));
  EXPECT_ERROR(Error,
               "enumerate: the choices have 1.05e+169 sequences, more than the limit of 100000",
               enumerate(many(200)));
  EXPECT_ERROR(Error, "enumerate: the choices have 49 sequences, more than the limit of 48",
               enumerate(many(2), {.limit = 48}));
  const Tensor heads = zeros({1, 13, 7});
  EXPECT_TRUE(throws<Error>(
      "enumerate: the choices have 96889010407 sequences, more than the limit of 100000", [&] {
        enumerate([&](Choices& choices) {
          return sum(choices.choose(heads).pick_number(zeros({7})), {1});
        });
      }));
}

TEST(Enumerate, TakesAsManyAsItsLimit) {
  const Tensor logits = zeros({1, 7});
  const auto cost = [&](Choices& choices) { return choices.choose(logits).pick_number(ones({7})); };
  EXPECT_NEAR(enumerate(cost, {.limit = 7}).item(), 1, 1e-6);
  EXPECT_THROW(enumerate(cost, {.limit = 6}), ValueError);
  const auto only = [&](Choices& choices) {
    return choices.choose(zeros({1, 1})).pick_number(ones({1}));
  };
  EXPECT_NEAR(enumerate(only, {.limit = 1}).item(), 1, 1e-6);
  EXPECT_ERROR(ValueError, "enumerate: batch_axes 1 must not be negative, limit 0 positive",
               enumerate(cost, {.limit = 0}));
  EXPECT_ERROR(ValueError, "enumerate: batch_axes -1 must not be negative, limit 100000 positive",
               enumerate(cost, {.batch_axes = -1}));
  // Without an axis for a batch.
  const auto alone = [](Choices& choices) {
    return choices.choose(zeros({7})).pick_number(ones({7}));
  };
  EXPECT_NEAR(enumerate(alone, {.batch_axes = 0}).item(), 1, 1e-6);
}

TEST(Enumerate, RefusesWhatItCannotGoThrough) {
  EXPECT_TRUE(throws<Error>("enumerate: the function made no choice",
                            [] { enumerate([](Choices&) { return zeros({1}); }); }));
  const Tensor logits = zeros({1, 3});
  EXPECT_TRUE(throws<Error>(
      "enumerate: the number of choices or of places depends on what was chosen", [&] {
        enumerate([&](Choices& choices) {
          const Index first = choices.choose(logits).index().array().data<Index>()[0];
          for (Index t = 0; t < first; ++t) choices.choose(logits);
          return zeros({1});
        });
      }));
  EXPECT_THROW(
      enumerate([&](Choices& choices) { return choices.choose(logits).index(); }, {.limit = 0}),
      ValueError);
}

TEST(Enumerate, RefusesChoicesThatDependOnOnesBefore) {
  const Tensor logits = zeros({1, 3});
  const std::string varies =
      "enumerate: the number of choices or of places depends on what was chosen";
  const auto then = [&](const std::function<void(Choices&, Index)>& second) {
    return [&logits, second](Choices& choices) {
      second(choices, choices.choose(logits).index().array().data<Index>()[0]);
      return zeros({1});
    };
  };
  // Of more places, of more choices beside each other, and none at all but after the first.
  EXPECT_TRUE(throws<ValueError>(varies, [&] {
    enumerate(then([](Choices& c, Index at) { c.choose(zeros({1, at == 0 ? 3 : 2})); }));
  }));
  EXPECT_TRUE(throws<ValueError>(varies, [&] {
    enumerate(then([](Choices& c, Index at) { c.choose(zeros({1, at == 0 ? 1 : 2, 3})); }));
  }));
  EXPECT_TRUE(throws<ValueError>(varies, [&] {
    enumerate(then([&](Choices& c, Index at) {
      if (at == 0) c.choose(logits);
    }));
  }));
}

// All digits of a number that doubles hold, three of a larger one.
TEST(Enumerate, SaysLargeNumbersShortly) {
  const auto of = [](Index places, int steps) {
    return message_of<ValueError>([&] {
      enumerate([&](Choices& choices) {
        for (int t = 0; t < steps; ++t) choices.choose(zeros({1, places}));
        return zeros({1});
      });
    });
  };
  EXPECT_EQ(of(7, 17),
            "enumerate: the choices have 232630513987207 sequences, more than the limit of 100000");
  EXPECT_EQ(of(7, 18),
            "enumerate: the choices have 1.63e+15 sequences, more than the limit of 100000");
}

}  // namespace
}  // namespace heed
