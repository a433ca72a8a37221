#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/record.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed {
namespace {

Tensor leaf(const std::vector<double>& values) {
  Tensor x = tensor(values, {static_cast<Index>(values.size())}, DType::f64);
  x.set_requires_grad();
  return x;
}

TEST(Backward, AddsIntoLeaves) {
  const Tensor x = leaf({2, 3});
  sum(x * x).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
  sum(5 * x).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{9, 11}));
}

TEST(Backward, DoesNotShareItsGradientsBetweenLeaves) {
  const Tensor x = leaf({2, 3}), y = leaf({5, 7});
  sum(x + y).backward();
  sum(x * 3).backward();  // in place into x's
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 4}));
  EXPECT_EQ(numbers(y.grad()), (Numbers{1, 1}));
}

TEST(Backward, LeavesTheGivenGradientAlone) {
  const Tensor x = leaf({2, 3});
  const Tensor g = tensor({1, 10}, {2}, DType::f64);
  const Tensor y = x + x;
  y.backward(g, {.retain_graph = true});
  y.backward(g);
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 40}));
  EXPECT_EQ(numbers(g), (Numbers{1, 10}));
}

// Derivatives of one input write over their gradient, but where somebody else holds it.
TEST(Backward, WritesOverNoGradientThatIsHeld) {
  const Tensor x = leaf({0.5, -2});
  const Tensor g = tensor({1, 10}, {2}, DType::f64);
  const Tensor y = tanh(x);
  y.retain_grad();
  const Tensor z = relu(y);
  Tensor seen;
  z.register_hook([&](const Tensor& gradient) {
    seen = gradient;
    return Tensor();
  });
  z.backward(g);
  EXPECT_EQ(numbers(g), (Numbers{1, 10}));
  EXPECT_EQ(numbers(seen), (Numbers{1, 10}));
  EXPECT_EQ(numbers(y.grad()), (Numbers{1, 0}));
  EXPECT_NEAR(numbers(x.grad())[0], 1 - std::tanh(0.5) * std::tanh(0.5), 1e-15);
  // One gradient that goes two ways.
  const Tensor a = leaf({0.5, 2}), b = leaf({1, 4});
  (sqrt(a) + square(b)).backward(tensor({2, 3}, {2}, DType::f64));
  EXPECT_NEAR(numbers(a.grad())[0], 2 / (2 * std::sqrt(0.5)), 1e-15);
  EXPECT_EQ(numbers(b.grad()), (Numbers{4, 24}));
}

TEST(Backward, TakesOneForASingleElementOnly) {
  const Tensor x = leaf({2, 3});
  EXPECT_ERROR(GradError, "backward: f64[2] has no single element: a gradient must be given",
               (x * x).backward());
  EXPECT_ERROR(ShapeError, "backward: a gradient of f64[3] for an output of f64[2]",
               (x * x).backward(ones({3}, DType::f64)));
  EXPECT_ERROR(DTypeError, "backward: a gradient of f32[2] for an output of f64[2]",
               (x * x).backward(ones({2})));
  EXPECT_ERROR(GradError,
               "backward: f64[2] does not require a gradient: no input of it did, or it was made "
               "under NoGrad",
               x.detach().backward());
  EXPECT_ERROR(GradError, "backward: 2 gradients for 1 outputs",
               backward({sum(x)}, {Tensor(), Tensor()}));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, SecondPassNamesTheFreedOperator) {
  const Tensor x = leaf({2, 3});
  const Tensor y = sum(tanh(x));
  y.backward();
  EXPECT_ERROR(
      GradError,
      "backward: what sum had saved was freed by an earlier pass; call that one with retain_graph",
      y.backward());
  const Tensor h = exp(x);
  sum(h).backward();
  EXPECT_NE(message_of<GradError>([&] { sum(h * h).backward(); }).find("what exp had saved"),
            std::string::npos);
}

TEST(Backward, RetainGraphAllowsAnother) {
  const Tensor x = leaf({2, 3});
  const Tensor y = sum(x * x * x);
  y.backward({}, {.retain_graph = true});
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{24, 54}));
  EXPECT_THROW(y.backward(), GradError);
}

TEST(Backward, FreesWhatWasSavedAsSoonAsItWasUsed) {
  const Tensor x = leaf({2, 3});
  const std::int64_t before = memory_stats().live_storages;
  const Tensor y = sum(exp(exp(x)));
  EXPECT_GT(memory_stats().live_storages, before + 2);
  y.backward();
  EXPECT_EQ(memory_stats().live_storages, before + 2);  // y and x's gradient
}

TEST(Backward, SeveralOutputsShareOneGraph) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * x;
  backward({sum(h), h * 2}, {Tensor(), tensor({1, 10}, {2}, DType::f64)});
  EXPECT_EQ(numbers(x.grad()), (Numbers{4 + 8, 6 + 120}));
}

TEST(Backward, CreateGraphGivesHigherDerivatives) {
  const Tensor x = leaf({2, 3});
  Tensor y = sum(x * x * x * x);
  const Numbers expected[] = {{32, 108}, {48, 108}, {48, 72}, {24, 24}};
  for (const Numbers& derivative : expected) {
    const Tensor g = grad({y}, {x}, {}, {.create_graph = true})[0];
    EXPECT_EQ(numbers(g), derivative);
    y = sum(g);
  }
}

TEST(Backward, CreateGraphAddsIntoLeavesOnTheTape) {
  Tensor x = leaf({2, 3});
  sum(x * x).backward({}, {.create_graph = true});
  EXPECT_TRUE(x.grad().requires_grad());
  const Tensor g = x.grad();
  x.zero_grad();
  sum(g * g).backward();  // d/dx 4 x^2
  EXPECT_EQ(numbers(x.grad()), (Numbers{16, 24}));
}

TEST(Grad, LeavesGradAloneAndAnswersForWhatItWasAsked) {
  const Tensor x = leaf({2, 3}), y = leaf({5, 7}), z = leaf({1, 1});
  const Tensor h = x * y;
  const Tensor out = sum(h * h);
  const auto g = grad({out}, {h, x, z});
  EXPECT_EQ(numbers(g[0]), (Numbers{20, 42}));
  EXPECT_EQ(numbers(g[1]), (Numbers{100, 294}));
  EXPECT_FALSE(g[2].defined());
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(y.grad().defined());
}

TEST(Grad, StopsAtInteriorTensors) {
  const Tensor x = leaf({2, 3});
  const Tensor h = exp(x);
  EXPECT_EQ(numbers(grad({sum(5 * h)}, {h})[0]), (Numbers{5, 5}));
  EXPECT_NO_THROW(sum(h).backward());  // what lies under h was left alone
  EXPECT_EQ(numbers(grad({sum(7 * h)}, {h})[0]), (Numbers{7, 7}));
}

TEST(Grad, OfATensorByItself) {
  const Tensor x = leaf({2, 3});
  const Tensor g = tensor({5, 7}, {2}, DType::f64);
  EXPECT_EQ(numbers(grad({x}, {x}, {g})[0]), (Numbers{5, 7}));
  const Tensor y = x * 2;
  EXPECT_EQ(numbers(grad({y}, {y}, {g})[0]), (Numbers{5, 7}));
}

TEST(Grad, RefusesInputsWithoutGradient) {
  const Tensor x = leaf({2, 3});
  EXPECT_ERROR(GradError, "grad: input f32[3] does not require a gradient",
               grad({sum(x)}, {ones({3})}));
}

TEST(Frozen, InputsGetNoGradient) {
  const Tensor x = leaf({2, 3});
  Tensor y = leaf({5, 7});
  y.set_requires_grad(false);
  sum(x * y).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{5, 7}));
  EXPECT_FALSE(y.grad().defined());
}

TEST(GradMode, NestsAndComesBack) {
  const Tensor x = leaf({2, 3});
  EXPECT_TRUE((x * x).requires_grad());
  {
    const NoGrad off;
    EXPECT_FALSE((x * x).requires_grad());
    {
      const EnableGrad on;
      EXPECT_TRUE((x * x).requires_grad());
    }
    EXPECT_FALSE((x * x).requires_grad());
    try {
      const EnableGrad on;
      throw ValueError("test");
    } catch (const ValueError&) {
    }
    EXPECT_FALSE(recording());
  }
  EXPECT_TRUE(recording());
  EXPECT_FALSE((x * x).detach().requires_grad());
}

TEST(GradMode, ComesBackWhenAPassThrows) {
  const Tensor x = leaf({2, 3});
  const Tensor y = sum(x * x);
  y.backward();
  EXPECT_THROW(y.backward(), GradError);
  EXPECT_TRUE(recording());
}

TEST(Graph, DiamondSumsBothWays) {
  const Tensor x = leaf({2, 3});
  const Tensor left = 3 * x, right = x * x;
  sum(left * right).backward();  // 3 x^3
  EXPECT_EQ(numbers(x.grad()), (Numbers{36, 81}));
}

// 2^60 paths, 60 operators.
TEST(Graph, LadderIsWalkedOnce) {
  const Tensor x = leaf({1});
  Tensor y = x;
  int visits = 0;
  for (int i = 0; i < 60; ++i) {
    y = y + y;
    y.register_hook([&visits](const Tensor&) {
      ++visits;
      return Tensor();
    });
  }
  y.backward();
  EXPECT_EQ(visits, 60);
  EXPECT_EQ(x.grad().item(), 0x1p60);
}

TEST(Graph, WiderThanOneOperator) {
  const Tensor x = leaf({1});
  std::vector<Tensor> copies;
  for (int i = 0; i < 1000; ++i) copies.push_back(x * i);
  sum(concat(copies)).backward();
  EXPECT_EQ(x.grad().item(), 499500);
}

// A derivative that is wrong in shape or dtype.
Tensor misfit(const Tensor& x, const Tensor& gradient) {
  return record(Op::function, x.array().clone(), {x},
                [gradient](const Tensor&) { return gradient; });
}

TEST(Misfit, IsNamed) {
  const Tensor x = leaf({2, 3});
  EXPECT_ERROR(GradError,
               "backward: the derivative of function gave f64[3] for input 0, which is f64[2]",
               sum(misfit(x, ones({3}, DType::f64))).backward());
  EXPECT_ERROR(GradError,
               "backward: the derivative of function gave f64[1] for input 0, which is f64[2]",
               sum(misfit(x, ones({1}, DType::f64))).backward());
  EXPECT_ERROR(GradError,
               "backward: the derivative of function gave f32[2] for input 0, which is f64[2]",
               sum(misfit(x * 1, ones({2}, DType::f32))).backward());
  EXPECT_FALSE(x.grad().defined());
  sum(misfit(x, ones({7, 2}, DType::f64))).backward();  // broadcast: summed
  EXPECT_EQ(numbers(x.grad()), (Numbers{7, 7}));
}

TEST(Misfit, OfAnUndefinedGradientIsNone) {
  const Tensor x = leaf({2, 3});
  sum(misfit(x, Tensor())).backward();
  EXPECT_FALSE(x.grad().defined());
}

TEST(Function, WithSeveralResults) {
  const Tensor x = leaf({2, 3}), y = leaf({5, 7});
  const auto swap = [](const Tensor& a, const Tensor& b) {
    return record_joint(Op::function, {b.array().clone(), a.array().clone()}, {a, b},
                        [](const Gradients& g, const std::vector<bool>& needs) {
                          Gradients out(2);
                          if (needs[0]) out[0] = g[1];
                          if (needs[1]) out[1] = g[0];
                          return out;
                        });
  };
  const auto swapped = swap(x, y);
  sum(swapped[0] * 3).backward();  // the other result got no gradient
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(numbers(y.grad()), (Numbers{3, 3}));
  const auto again = swap(x, y);
  backward({sum(again[0]), sum(2 * again[1])});
  EXPECT_EQ(numbers(x.grad()), (Numbers{2, 2}));
  EXPECT_EQ(numbers(y.grad()), (Numbers{4, 4}));
}

// Half of a pass must leave nothing behind that a next one would read.
TEST(Exception, InARuleLeavesTheGraphSafe) {
  const Tensor x = leaf({2, 3}), y = leaf({5, 7});
  const Tensor out = record(
      Op::function, (x * y).array(), {x, y}, [y = Saved(y)](const Tensor& g) { return g * y(); },
      [](const Tensor&) -> Tensor { throw ValueError("rule: refuses"); });
  EXPECT_THROW(sum(out).backward(), ValueError);
  EXPECT_THROW(sum(out).backward(), GradError);  // its first rule is gone
  EXPECT_TRUE(recording());
}

TEST(Exception, InAHookLeavesNoGradientBehind) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * 1;
  bool refuse = true;
  h.register_hook([&](const Tensor&) {
    if (refuse) throw ValueError("hook: refuses");
    return Tensor();
  });
  const Tensor y = sum(h);
  EXPECT_THROW(y.backward({}, {.retain_graph = true}), ValueError);
  EXPECT_FALSE(x.grad().defined());
  refuse = false;
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{1, 1}));
}

TEST(Leaf, Rules) {
  Tensor x = leaf({2, 3});
  Tensor y = x * x;
  EXPECT_TRUE(x.is_leaf());
  EXPECT_FALSE(y.is_leaf());
  EXPECT_ERROR(GradError, "set_requires_grad: f64[2] is the result of mul, not a leaf",
               y.set_requires_grad());
  EXPECT_ERROR(GradError, "set_array: f64[2] is the result of mul, not a leaf",
               y.set_array(Array::zeros({2}, DType::f64)));
  EXPECT_ERROR(ShapeError, "set_grad: f64[3] for a tensor of f64[2]",
               x.set_grad(ones({3}, DType::f64)));
  EXPECT_ERROR(DTypeError, "set_grad: f32[2] for a tensor of f64[2]", x.set_grad(ones({2})));
  EXPECT_ERROR(DTypeError, "set_requires_grad: takes f32 or f64, not i64",
               zeros({2}, DType::i64).set_requires_grad());
  EXPECT_ERROR(GradError, "tensor: it is undefined", Tensor().shape());
}

// Both leaves hear the same gradient, which is the caller's: none writes into another's.
TEST(Backward, CreateGraphGivesEachLeafAGradientOfItsOwn) {
  Tensor x = leaf({2, 3}), y = leaf({5, 7});
  const Tensor seed = leaf({1, 10});
  (x + y).backward(seed, {.create_graph = true});
  EXPECT_FALSE(x.grad().array().shares_storage(y.grad().array()));
  EXPECT_FALSE(x.grad().array().shares_storage(seed.array()));
  EXPECT_FALSE(y.grad().array().shares_storage(seed.array()));
  x.zero_grad();
  y.zero_grad();
  sum(square(x + y)).backward({}, {.create_graph = true});
  const Tensor product = sum(x.grad() * y.grad());  // 4 (x + y)^2
  x.zero_grad();
  y.zero_grad();
  product.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{56, 80}));
  EXPECT_EQ(numbers(y.grad()), (Numbers{56, 80}));
}

}  // namespace
}  // namespace heed
