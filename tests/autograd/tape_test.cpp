// What the tape offers beyond a plain backward pass: retained gradients of results, inference mode,
// passes inside passes, very wide operators.
#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/record.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed {
namespace {

Tensor leaf(const Numbers& values) {
  Tensor x = tensor(values, {static_cast<Index>(values.size())}, DType::f64);
  x.set_requires_grad();
  return x;
}

TEST(RetainGrad, KeepsTheGradientOfAResult) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * x;
  EXPECT_FALSE(h.retains_grad());
  h.retain_grad();
  h.retain_grad();
  EXPECT_TRUE(h.retains_grad());
  const Tensor y = sum(h + 2 * h);
  y.backward({}, {.retain_graph = true});
  EXPECT_EQ(numbers(h.grad()), (Numbers{3, 3}));
  y.backward();
  EXPECT_EQ(numbers(h.grad()), (Numbers{6, 6}));  // sums, as a leaf does
  EXPECT_EQ(numbers(x.grad()), (Numbers{24, 36}));
}

TEST(RetainGrad, IsLeftAloneByGrad) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * x;
  h.retain_grad();
  grad({sum(h)}, {x});
  EXPECT_FALSE(h.grad().defined());
}

TEST(RetainGrad, SeesWhatHooksMade) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * x;
  h.retain_grad();
  h.register_hook([](const Tensor& g) { return g * 10; });
  sum(h).backward();
  EXPECT_EQ(numbers(h.grad()), (Numbers{10, 10}));
}

TEST(RetainGrad, EndsWithTheTensor) {
  const MemoryStats before = memory_stats();
  {
    const Tensor x = leaf({2, 3});
    Tensor y;
    {
      const Tensor h = x * x;
      h.retain_grad();
      y = sum(h);
    }
    y.backward();
    EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
    const Tensor own = x * x;
    own.retain_grad();  // no cycle
  }
  EXPECT_EQ(memory_stats().live_tensors, before.live_tensors);
  EXPECT_EQ(memory_stats().live_nodes, before.live_nodes);
}

TEST(RetainGrad, OfOthers) {
  const Tensor x = leaf({2, 3});
  x.retain_grad();
  EXPECT_FALSE(x.retains_grad());
  sum(x).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{1, 1}));
  EXPECT_ERROR(GradError, "retain_grad: f32[3] does not require a gradient",
               zeros({3}).retain_grad());
  EXPECT_THROW(Tensor().retain_grad(), GradError);
}

TEST(InferenceMode, RecordsNothing) {
  const Tensor x = leaf({2, 3});
  const Tensor before = sum(x * x);
  Tensor inside;
  {
    const InferenceMode mode;
    EXPECT_TRUE(inference());
    EXPECT_FALSE(recording());
    const EnableGrad on;
    EXPECT_FALSE(recording());
    inside = x * x;
    EXPECT_FALSE(inside.requires_grad());
    { const InferenceMode again; }
    EXPECT_TRUE(inference());
    EXPECT_ERROR(GradError,
                 "backward: create_graph asks for what an InferenceMode forbids, a recorded pass",
                 before.backward({}, {.create_graph = true}));
    EXPECT_ERROR(GradError,
                 "grad: create_graph asks for what an InferenceMode forbids, a recorded pass",
                 grad({before}, {x}, {}, {.create_graph = true}));
    before.backward();  // of a graph that is there
  }
  EXPECT_FALSE(inference());
  EXPECT_TRUE(recording());
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
  sum(inside * x).backward();  // a constant like any other
  EXPECT_EQ(numbers(x.grad()), (Numbers{8, 15}));
}

// y = x^3 whose derivative runs grad() over a graph of its own.
TEST(Nested, GradInsideADerivative) {
  const auto cube = [](const Tensor& x) {
    return record("cube", (x.detach() * x.detach() * x.detach()).array(), {x},
                  [x = Saved(x)](const Tensor& g) {
                    const EnableGrad on;
                    Tensor inner = x().detach();
                    inner.set_requires_grad();
                    return g * grad({sum(inner * inner * inner)}, {inner})[0];
                  });
  };
  const Tensor x = leaf({2, 3});
  sum(cube(x) * x).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{4 * 8, 4 * 27}));
}

TEST(Nested, CreateGraphInsideAHook) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * x;
  Numbers second;
  h.register_hook([&](const Tensor&) {
    const EnableGrad on;
    Tensor inner = leaf({5});
    const Tensor g = grad({sum(inner * inner * inner)}, {inner}, {}, {.create_graph = true})[0];
    second = numbers(grad({sum(g)}, {inner})[0]);
    return Tensor();
  });
  sum(h * h).backward();
  EXPECT_EQ(second, (Numbers{30}));
  EXPECT_EQ(numbers(x.grad()), (Numbers{32, 108}));
}

// A pass inside a pass must not walk into what the outer one is at work on.
TEST(Nested, AnotherPassOverTheSameGraphIsRefused) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * x;
  const Tensor y = sum(h * h);
  const HookId id = h.register_hook([&](const Tensor&) {
    return grad({h}, {x}, {ones({2}, DType::f64)}, {.retain_graph = true})[0];
  });
  EXPECT_ERROR(GradError,
               "backward: mul is part of a pass that is running; one that is started by a hook or "
               "a derivative, or on another thread, must walk another graph",
               y.backward({}, {.retain_graph = true}));
  EXPECT_FALSE(x.grad().defined());
  h.remove_hook(id);
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{32, 108}));
}

// One that asks for newer things only does not get as far.
TEST(Nested, WhatLiesBehindAllThatIsAskedForIsNotReached) {
  const Tensor x = leaf({2, 3});
  const Tensor h = x * x;
  const Tensor a = h * 3;
  std::vector<Numbers> found;
  a.register_hook([&](const Tensor&) {
    const EnableGrad on;
    const Tensor first = h * 1, second = h * 2;
    for (const Tensor& g : grad({sum(first * second)}, {first, second})) {
      found.push_back(numbers(g));
    }
    return Tensor();
  });
  sum(a * h).backward();  // h has its gradient from the product already
  EXPECT_EQ(found, (std::vector<Numbers>{{8, 18}, {4, 9}}));
  EXPECT_EQ(numbers(x.grad()), (Numbers{12 * 8, 12 * 27}));
}

// grad() answers for very many inputs in linear time.
TEST(Wide, AMillionInputsIntoOneSum) {
  constexpr std::size_t kCount = 1000000;
  std::vector<Tensor> leaves;
  for (std::size_t i = 0; i < kCount; ++i) {
    leaves.push_back(full({1}, 1.0));
    leaves.back().set_requires_grad();
  }
  const Tensor y = sum(concat(leaves) * 3);
  EXPECT_EQ(y.item(), 3 * kCount);
  const auto gradients = grad({y}, leaves, {}, {.retain_graph = true});
  for (const std::size_t i : {std::size_t{0}, kCount / 2, kCount - 1}) {
    EXPECT_EQ(gradients[i].item(), 3) << i;
  }
  y.backward();
  EXPECT_EQ(leaves[kCount - 1].grad().item(), 3);
}

TEST(Wide, ManyInteriorResultsAskedFor) {
  const Tensor x = leaf({1});
  std::vector<Tensor> steps = {x * 1};
  for (int i = 1; i < 100000; ++i) steps.push_back(steps.back() + x);
  const auto gradients = grad({sum(steps.back())}, steps);
  EXPECT_EQ(gradients.front().item(), 1);
  EXPECT_EQ(gradients.back().item(), 1);
}

}  // namespace
}  // namespace heed
