#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "../../autograd/grad_mode.h"
#include "../../autograd/gradcheck.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/mask_index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/record.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Tensors = std::vector<Tensor>;
using Call = std::function<Tensor(const Tensors&)>;

Tensor draw(const Shape& shape) {
  static Generator generator(13);
  return randn(shape, DType::f64, generator);
}

// As a user would write it: x^3 with a derivative by hand, and a fault in one place.
Tensor cube(const Tensor& x, double factor) {
  return record(Op::function, (x * x * x).array(), {x},
                [x = Saved(x), factor](const Tensor& g) { return factor * g * square(x()); });
}

TEST(Gradcheck, PassesAUsersFunction) {
  const Call call = [](const Tensors& x) { return cube(x[0], 3); };
  const auto report = gradcheck(call, {draw({3, 5})});
  EXPECT_TRUE(report);
  EXPECT_EQ(report.checked, 15);
  EXPECT_EQ(report.text(), "gradient check passed: 15 elements agree");
  EXPECT_TRUE(gradgradcheck(call, {draw({3, 5})}));
}

TEST(Gradcheck, ReportsInputIndexAndBothNumbers) {
  const Call call = [](const Tensors& x) { return x[0] + cube(x[1], 2); };
  const auto report = gradcheck(call, {draw({3, 5}), draw({3, 5})});
  EXPECT_FALSE(report);
  EXPECT_EQ(report.checked, 30);
  EXPECT_EQ(report.faulty, 15);
  ASSERT_EQ(report.worst.size(), 10U);
  for (std::size_t i = 0; i < report.worst.size(); ++i) {
    EXPECT_EQ(report.worst[i].input, "input 1");
    EXPECT_NEAR(report.worst[i].analytic, report.worst[i].numeric * 2 / 3, 1e-8);
    if (i == 0) continue;
    EXPECT_GE(std::abs(report.worst[i - 1].analytic - report.worst[i - 1].numeric),
              std::abs(report.worst[i].analytic - report.worst[i].numeric));
  }
  EXPECT_NE(report.text().find("15 of 30 elements differ"), std::string::npos) << report.text();
  EXPECT_NE(report.text().find("input 1"), std::string::npos);
}

// Two evaluations an element, and four more where these do not agree; two before all, which are to
// give the same.
TEST(Gradcheck, EvaluatesAgainWhereTheGradientIsOffOrHiddenByRounding) {
  int calls = 0;
  const auto passes = [&](double x, double factor, double offset) {
    const Call call = [&](const Tensors& inputs) {
      ++calls;
      return cube(inputs[0], factor) + offset;
    };
    return static_cast<bool>(gradcheck(call, {tensor({x}, {1}, DType::f64)}));
  };
  EXPECT_TRUE(passes(0.7, 3, 0));
  EXPECT_EQ(calls, 2 + 2);
  calls = 0;
  EXPECT_FALSE(passes(0.7, 3.00001, 0));
  EXPECT_EQ(calls, 2 + 6);
  // The last place of 3e4, 4e-12, is up to 1e-7 of the near difference, 8e-9 of the farther ones.
  calls = 0;
  for (const double x : {0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09}) {
    EXPECT_TRUE(passes(x, 3, 3e4)) << x;
  }
  EXPECT_GT(calls, 7 * (2 + 2));
}

TEST(Gradcheck, RecordsInsideOfANoGrad) {
  const Call right = [](const Tensors& x) { return cube(x[0], 3); };
  const Call wrong = [](const Tensors& x) { return cube(x[0], 2); };
  {
    const NoGrad off;
    EXPECT_TRUE(gradcheck(right, {draw({5})}));
    EXPECT_TRUE(gradgradcheck(right, {draw({5})}));
    EXPECT_EQ(gradcheck(wrong, {draw({5})}).faulty, 5);
    EXPECT_FALSE(recording());
  }
  const InferenceMode inference;
  EXPECT_ERROR(GradError, "gradcheck: it must record, which an InferenceMode forbids",
               gradcheck(right, {draw({5})}));
  EXPECT_ERROR(GradError, "gradcheck: it must record, which an InferenceMode forbids",
               gradgradcheck(right, {draw({5})}));
}

TEST(Gradcheck, SaysThatTheFunctionGivesNaN) {
  const Call nan = [](const Tensors& x) { return x[0] * NAN; };
  EXPECT_FALSE(gradcheck(nan, {draw({3})}));
  EXPECT_EQ(gradcheck(nan, {draw({3})}).problem,
            "the function gives NaN, or infinities that make one");
  int calls = 0;
  const Call other = [&](const Tensors& x) { return x[0] * ++calls; };
  EXPECT_EQ(gradcheck(other, {draw({3})}).problem,
            "the function gives different results for the same inputs");
}

TEST(Gradcheck, FindsNaN) {
  const Call call = [](const Tensors& x) {
    return record(Op::function, x[0].array().clone(), {x[0]},
                  [](const Tensor& g) { return g * NAN; });
  };
  EXPECT_FALSE(gradcheck(call, {draw({3})}));
}

// One element of six is off.
TEST(Gradcheck, SaysWhereAndByHowMuch) {
  const Call call = [](const Tensors& x) {
    return record(Op::function, (2 * x[0]).array(), {x[0]}, [](const Tensor& g) {
      return g * tensor({2, 2, 2, 2, 2.5, 2}, {2, 3}, DType::f64);
    });
  };
  const auto report = gradcheck(call, {draw({2, 3})});
  ASSERT_EQ(report.worst.size(), 1U);
  EXPECT_EQ(report.worst[0].element, 4);
  EXPECT_EQ(report.worst[0].shape, (Shape{2, 3}));
  const std::string text = report.text();
  EXPECT_EQ(text.substr(0, text.find("  input 0")),
            "gradient check failed: 1 of 6 elements differ; the worst:\n"
            "  input                    index                  analytic          numeric   "
            "difference\n");
  EXPECT_NE(text.find("  input 0                  [1, 1]   "), std::string::npos) << text;
}

TEST(Gradcheck, PutsWhatIsNoNumberFirst) {
  const Call call = [](const Tensors& x) {
    return record(Op::function, x[0].array().clone(), {x[0]}, [](const Tensor& g) {
      return g * tensor({9, 2, NAN, 70}, {4}, DType::f64);
    });
  };
  const auto report = gradcheck(call, {draw({4})});
  ASSERT_EQ(report.worst.size(), 4U);
  EXPECT_EQ(report.worst[0].element, 2);
  EXPECT_EQ(report.worst[1].element, 3);
  EXPECT_EQ(report.worst[3].element, 1);
}

TEST(Gradcheck, LetsDifferAsMuchAsItIsTold) {
  const Tensor x = tensor({5, -7}, {2}, DType::f64);
  const auto off = [&](double share, double more, const GradcheckOptions& options) {
    const Call call = [=](const Tensors& t) {
      return record(Op::function, t[0].array().clone(), {t[0]},
                    [=](const Tensor& g) { return g * (1 + share) + more; });
    };
    return static_cast<bool>(gradcheck(call, {x}, options));
  };
  EXPECT_TRUE(off(0.9e-6, 0, {}));
  EXPECT_FALSE(off(1.1e-6, 0, {.atol = 0}));
  EXPECT_TRUE(off(0.9e-3, 0, {.rtol = 1e-3}));
  EXPECT_FALSE(off(1.1e-3, 0, {.rtol = 1e-3, .atol = 0}));
  EXPECT_TRUE(off(0, 0.9e-3, {.rtol = 0, .atol = 1e-3}));
  EXPECT_FALSE(off(0, 1.1e-3, {.rtol = 0, .atol = 1e-3}));
}

// Within atol of everything that is found, 0 would agree as well.
TEST(Gradcheck, RefusesGradientsBelowItsTolerance) {
  const Call small = [](const Tensors& t) { return t[0] * 1e-9; };
  EXPECT_EQ(gradcheck(small, {draw({3})}).text(),
            "gradient check failed: no gradient is above atol, so agreement proves nothing\n");
  EXPECT_TRUE(gradcheck(small, {draw({3})}, {.atol = 1e-13}));
  EXPECT_TRUE(gradcheck(small, {draw({3})}, {.allow_zero = true}));
}

// f(x + d) overflows: the difference is infinite, and so would be its tolerance.
TEST(Gradcheck, AgreesWithNoInfiniteDifference) {
  const Call call = [](const Tensors& t) { return t[0] * t[0]; };
  const auto report = gradcheck(call, {tensor({1e154}, {1}, DType::f64)}, {.step = 30});
  EXPECT_EQ(report.faulty, 1);
}

TEST(Gradcheck, PutsBackWhatItMovedWhenTheFunctionThrows) {
  Tensor weight = tensor({2, 3, 5}, {3}, DType::f64);
  weight.set_requires_grad();
  int calls = 0;
  const std::function<Tensors()> model = [&] {
    if (++calls == 4) throw ValueError("enough");
    return Tensors{weight * weight};
  };
  EXPECT_THROW(gradcheck(model, std::vector<NamedLeaf>{{"weight", weight}}), ValueError);
  EXPECT_EQ(weight.array().to_vector<double>(), (std::vector<double>{2, 3, 5}));
}

TEST(Gradcheck, OfTheSecondOrderSkipsWhatIsUndefinedAndNeedsF64) {
  const TensorFunction some = [](const Tensors& x) {
    return Tensors{Tensor(), cube(x[0], 3), Tensor()};
  };
  const auto report = gradgradcheck(some, {draw({5})});
  EXPECT_TRUE(report) << report.text();
  EXPECT_EQ(report.checked, 2 * 5);
  const Call narrow = [](const Tensors& x) { return x[0].to(DType::f32); };
  EXPECT_ERROR(DTypeError, "gradcheck: output 0 is f32[3]; differences need f64",
               gradgradcheck(narrow, {draw({3})}));
  Tensor weight = ones({3});
  weight.set_requires_grad();
  const std::function<Tensors()> model = [&] { return Tensors{weight * weight}; };
  EXPECT_ERROR(DTypeError, "gradcheck: weight is f32[3]; differences need f64",
               gradgradcheck(model, std::vector<NamedLeaf>{{"weight", weight}}));
}

TEST(Gradcheck, NeedsNothingWhereZeroIsAllowed) {
  const Call constant = [](const Tensors& x) { return x[0] * 0; };
  EXPECT_TRUE(gradcheck(constant, {draw({0})}, {.allow_zero = true}));
  EXPECT_EQ(gradcheck(constant, {draw({3})}).text(),
            "gradient check failed: every gradient is zero, so agreement proves nothing\n");
  const Call narrow = [](const Tensors& x) { return x[0].to(DType::f32); };
  EXPECT_ERROR(DTypeError, "gradcheck: output 0 is f32[3]; differences need f64",
               gradcheck(narrow, {draw({3})}));
}

TEST(Gradcheck, RefusesWhatProvesNothing) {
  const Call constant = [](const Tensors& x) { return x[0] * 0; };
  EXPECT_EQ(gradcheck(constant, {draw({3})}).problem,
            "every gradient is zero, so agreement proves nothing");
  EXPECT_TRUE(gradcheck(constant, {draw({3})}, {.allow_zero = true}));
  EXPECT_EQ(gradcheck(constant, {draw({0})}).problem, "there was no element to check");
}

TEST(Gradcheck, RefusesAFunctionThatChanges) {
  Generator generator(1);
  const Call noisy = [&](const Tensors& x) { return x[0] * randn({3}, DType::f64, generator); };
  EXPECT_EQ(gradcheck(noisy, {draw({3})}).problem,
            "the function gives different results for the same inputs");
}

TEST(Gradcheck, NeedsF64) {
  const Call call = [](const Tensors& x) { return x[0] * x[0]; };
  EXPECT_ERROR(DTypeError, "gradcheck: input 0 is f32[3]; differences need f64",
               gradcheck(call, {ones({3})}));
}

TEST(Gradcheck, LeavesInputsAlone) {
  const Tensor x = draw({3, 5});
  const std::vector<double> before = x.array().to_vector<double>();
  gradcheck(Call([](const Tensors& t) { return t[0] * t[0]; }), {x});
  EXPECT_EQ(x.array().to_vector<double>(), before);
  EXPECT_EQ(x.array().version(), 0U);
  EXPECT_FALSE(x.requires_grad());
}

TEST(Gradcheck, ChecksSomeElementsOfLargeInputs) {
  const auto report = gradcheck(Call([](const Tensors& t) { return t[0] * t[0]; }), {draw({101})},
                                {.max_elements = 7});
  EXPECT_TRUE(report);
  EXPECT_EQ(report.checked, 7);
}

// Leaves that the function reaches by itself, as a model does its parameters.
TEST(Gradcheck, MovesLeavesInPlaceAndPutsThemBack) {
  Tensor weight = draw({5, 2}), bias = draw({2});
  weight.set_requires_grad();
  bias.set_requires_grad();
  const Tensor x = draw({3, 5});
  const std::vector<double> before = weight.array().to_vector<double>();
  const std::function<Tensors()> model = [&] {
    return Tensors{tanh(matmul(x, weight) + bias), sum(weight * weight)};
  };
  const std::vector<NamedLeaf> leaves = {{"weight", weight}, {"bias", bias}};
  const auto report = gradcheck(model, leaves);
  EXPECT_TRUE(report) << report.text();
  EXPECT_EQ(report.checked, 12);
  EXPECT_TRUE(gradgradcheck(model, leaves));
  EXPECT_EQ(weight.array().to_vector<double>(), before);
  EXPECT_FALSE(weight.grad().defined());
}

TEST(Gradcheck, RefusesAStridedLeaf) {
  Tensor strided(draw({3, 5}).array().transpose(0, 1));
  strided.set_requires_grad();
  const std::function<Tensors()> model = [&] { return Tensors{strided * strided}; };
  EXPECT_ERROR(ValueError,
               "gradcheck: weight is not contiguous; its elements cannot be moved one by one",
               gradcheck(model, std::vector<NamedLeaf>{{"weight", strided}}));
}

// An element that crosses 0 takes a place of the result away, or gives one.
TEST(Gradcheck, EndsWhereResultsTakeAnotherShape) {
  const Tensor x = tensor({1e-6, -1e-6}, {2}, DType::f64);
  const Call call = [](const Tensors& t) {
    return square(masked_select(t[0], t[0] > tensor(0, DType::f64)));
  };
  for (const auto& report : {gradcheck(call, {x}), gradgradcheck(call, {x})}) {
    EXPECT_FALSE(report);
    EXPECT_EQ(report.problem, "the function gives results of other shapes");
    EXPECT_LT(report.checked, 2);
  }
  EXPECT_FALSE(gradcheck(call, {x}, {.allow_zero = true}));
  EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1e-6, -1e-6}));
}

TEST(Gradcheck, EndsWhereResultsBecomeMoreOrNone) {
  const Tensor x = draw({3});
  const TensorFunction more = [calls = 0](const Tensors& t) mutable {
    return ++calls < 4 ? Tensors{t[0] * t[0]} : Tensors{t[0] * t[0], t[0]};
  };
  const TensorFunction none = [calls = 0](const Tensors& t) mutable {
    return Tensors{++calls < 4 ? t[0] * t[0] : Tensor(), t[0]};
  };
  for (const TensorFunction& function : {more, none}) {
    EXPECT_EQ(gradcheck(function, {x}).problem, "the function gives results of other shapes");
  }
}

// A thirtieth of the step to each side, then one and two steps; a step times the number above 1.
TEST(Gradcheck, MovesElementsByItsSteps) {
  for (const double x : {0.5, -1.0, -7.0}) {
    std::vector<double> moves;
    const Call call = [&](const Tensors& inputs) {
      moves.push_back(inputs[0].to_vector<double>()[0] - x);
      return cube(inputs[0], 2);
    };
    EXPECT_FALSE(gradcheck(call, {tensor({x}, {1}, DType::f64)}, {.step = 0.02}));
    const double h = 0.02 * std::max(1.0, std::abs(x));
    const std::vector<double> wanted = {-2 * h, -h, -h / 30, 0, 0, h / 30, h, 2 * h};
    ASSERT_EQ(moves.size(), wanted.size());
    std::sort(moves.begin(), moves.end());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(moves[i], wanted[i], 1e-12) << i;
  }
}

TEST(Gradcheck, PrintsBothNumbersAndTheirDifference) {
  const Call call = [](const Tensors& x) { return cube(x[0], 2); };
  const auto report = gradcheck(call, {draw({1})});
  const std::string text = report.text(), before = "  input 0                  [0]  ";
  const std::size_t at = text.find(before);
  ASSERT_NE(at, std::string::npos) << text;
  std::istringstream row(text.substr(at + before.size()));
  double analytic = 0, numeric = 0, difference = 0;
  row >> analytic >> numeric >> difference;
  const GradcheckFault& fault = report.worst[0];
  EXPECT_NEAR(analytic, fault.analytic, 1e-7);
  EXPECT_NEAR(numeric, fault.numeric, 1e-7);
  EXPECT_NEAR(difference, fault.analytic - fault.numeric, 1e-2 * std::abs(numeric));
}

TEST(Gradcheck, NamesTheTenWorst) {
  const Call call = [](const Tensors& x) { return cube(x[0], 2); };
  for (const Index faulty : {9, 10, 11}) {
    const auto report = gradcheck(call, {draw({faulty})});
    EXPECT_EQ(report.faulty, faulty);
    EXPECT_EQ(report.worst.size(), static_cast<std::size_t>(std::min<Index>(faulty, 10)));
  }
}

TEST(Gradcheck, MayCheckOneElementAlone) {
  const Call call = [](const Tensors& x) { return square(x[0]); };
  EXPECT_EQ(gradcheck(call, {draw({5}), draw({3})}, {.max_elements = 1}).checked, 2);
}

// The second input has no part in the result.
TEST(Gradcheck, AgreesWithZerosWithoutATolerance) {
  const Call call = [](const Tensors& x) { return square(x[0]); };
  const auto report = gradcheck(call, {draw({3}), draw({5})}, {.atol = 0});
  EXPECT_TRUE(report) << report.text();
}

// Each is weighed by a number of its own.
TEST(Gradcheck, OppositeResultsHideNoFault) {
  const TensorFunction first = [](const Tensors& x) {
    const Tensor y = cube(x[0], 2);
    return Tensors{y, -y};
  };
  EXPECT_EQ(gradcheck(first, {draw({5})}).faulty, 5);
  // x^3, whose first derivative is right and the second is not.
  const auto wrong_later = [](const Tensor& x) {
    return record(Op::function, (x * x * x).array(), {x}, [x = Saved(x)](const Tensor& g) {
      return g * (3 * square(x()) + 2 * (x() - x().detach()));
    });
  };
  const TensorFunction second = [&](const Tensors& x) {
    const Tensor y = wrong_later(x[0]);
    return Tensors{y, -y};
  };
  EXPECT_TRUE(gradcheck(second, {draw({5})}));
  EXPECT_FALSE(gradgradcheck(second, {draw({5})}));
}

}  // namespace
}  // namespace heed
