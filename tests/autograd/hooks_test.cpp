#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/methods.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

class GradientHooks : public testing::Test {
 protected:
  GradientHooks() { x.set_requires_grad(); }
  Tensor x = tensor({2, 3}, {2}, DType::f64);
  static std::vector<double> numbers(const Tensor& t) { return t.array().to_vector<double>(); }
  using Numbers = std::vector<double>;
};

TEST_F(GradientHooks, SeeTheWholeGradientOnce) {
  std::vector<Numbers> seen;
  const auto watch = [&](const Tensor& g) {
    seen.push_back(numbers(g));
    return Tensor();
  };
  const Tensor h = x * x;
  h.register_hook(watch);
  x.register_hook(watch);
  sum(h + 2 * h).backward();
  EXPECT_EQ(seen, (std::vector<Numbers>{{3, 3}, {12, 18}}));
  EXPECT_EQ(numbers(x.grad()), (Numbers{12, 18}));
}

TEST_F(GradientHooks, ReplaceGradients) {
  const Tensor h = x * x;
  h.register_hook([](const Tensor& g) { return g * 10; });
  sum(h).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{40, 60}));
  x.zero_grad();
  x.register_hook([](const Tensor& g) { return -g; });
  x.register_hook([](const Tensor& g) { return g + 1; });  // after the first
  sum(x * x).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{-3, -5}));
}

TEST_F(GradientHooks, ReachGradsResults) {
  x.register_hook([](const Tensor& g) { return g * 10; });
  EXPECT_EQ(numbers(grad({sum(x * x)}, {x})[0]), (Numbers{40, 60}));
}

TEST_F(GradientHooks, AreRemoved) {
  int calls = 0;
  const auto count = [&](const Tensor&) {
    ++calls;
    return Tensor();
  };
  const HookId first = x.register_hook(count);
  x.register_hook(count);
  const Tensor h = x * x;
  const HookId interior = h.register_hook(count);
  h.remove_hook(interior);
  h.remove_hook(interior);  // gone already: nothing happens
  sum(h).backward();
  EXPECT_EQ(calls, 2);
  x.remove_hook(first);
  sum(x).backward();
  EXPECT_EQ(calls, 3);
}

TEST_F(GradientHooks, MayRemoveThemselves) {
  int calls = 0;
  HookId id = 0;
  id = x.register_hook([&](const Tensor&) {
    ++calls;
    x.remove_hook(id);
    return Tensor();
  });
  sum(x).backward();
  sum(x).backward();
  EXPECT_EQ(calls, 1);
}

TEST_F(GradientHooks, MayRunAPassOfTheirOwn) {
  Tensor inner = tensor({5}, {1}, DType::f64);
  inner.set_requires_grad();
  const Tensor h = x * x;
  h.register_hook([&](const Tensor&) {
    const EnableGrad scope;
    sum(inner * inner).backward();
    return Tensor();
  });
  sum(h).backward();
  EXPECT_EQ(inner.grad().item(), 10);
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
}

TEST_F(GradientHooks, MustKeepShapeAndDType) {
  x.register_hook([](const Tensor&) { return ones({3}, DType::f64); });
  EXPECT_ERROR(GradError, "hook: returned f64[3] for a gradient of f64[2]", sum(x * x).backward());
  EXPECT_TRUE(throws<GradError>("register_hook: f32[3] does not require a gradient", [&] {
    zeros({3}).register_hook([](const Tensor& g) { return g; });
  }));
}

TEST_F(GradientHooks, AreDifferentiatedThrough) {
  const Tensor h = x * 1;
  const HookId id = h.register_hook([](const Tensor& g) { return g * g; });
  const Tensor g = grad({sum(h * h)}, {x}, {}, {.create_graph = true})[0];  // (2 x)^2
  EXPECT_EQ(numbers(g), (Numbers{16, 36}));
  h.remove_hook(id);
  EXPECT_EQ(numbers(grad({sum(g)}, {x})[0]), (Numbers{16, 24}));
}

TEST_F(GradientHooks, ThatThrowLeaveNoLeafWithAPart) {
  Tensor y = tensor({5, 7}, {2}, DType::f64);
  y.set_requires_grad();
  for (Tensor* const thrower : {&x, &y}) {
    const HookId id =
        thrower->register_hook([](const Tensor&) -> Tensor { throw ValueError("enough"); });
    EXPECT_THROW(sum(x * y).backward(), ValueError);
    EXPECT_FALSE(x.grad().defined());
    EXPECT_FALSE(y.grad().defined());
    thrower->remove_hook(id);
  }
}

TEST_F(GradientHooks, AreNotCalledOfWhatWasFreed) {
  const Tensor h = x * x;
  int calls = 0;
  h.register_hook([&](const Tensor&) {
    ++calls;
    return Tensor();
  });
  h.retain_grad();
  h.backward(ones({2}, DType::f64));
  EXPECT_THROW(h.backward(ones({2}, DType::f64)), GradError);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(numbers(h.grad()), (Numbers{1, 1}));
}

TEST_F(GradientHooks, MayGiveNothing) {
  Numbers seen;
  x.register_hook([&seen](const Tensor& g) { seen = numbers(g); });
  x.register_hook([calls = 0](const Tensor&) mutable { ++calls; });
  sum(x * x).backward();
  EXPECT_EQ(seen, (Numbers{4, 6}));
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
}

TEST_F(GradientHooks, AreNotEmpty) {
  EXPECT_ERROR(ValueError, "register_hook: the hook is empty", x.register_hook(Hook()));
  const Tensor h = x * x;
  EXPECT_ERROR(ValueError, "register_hook: the hook is empty", h.register_hook({}));
  sum(h).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
}

}  // namespace
}  // namespace heed
