// What hooks may do to the graph that is being walked, on the same thread.
#include <gtest/gtest.h>

#include "../../autograd/backward.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/join.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

class Walk : public testing::Test {
 protected:
  Walk() { x.set_requires_grad(); }
  ~Walk() override {
    x = Tensor();
    EXPECT_EQ(memory_stats().live_nodes, before_.live_nodes);
    EXPECT_EQ(memory_stats().live_tensors, before_.live_tensors);
  }
  static std::vector<double> numbers(const Tensor& t) { return t.array().to_vector<double>(); }
  using Numbers = std::vector<double>;

 private:
  MemoryStats before_ = memory_stats();

 protected:
  Tensor x = tensor({2, 3}, {2}, DType::f64);
};

TEST_F(Walk, OutlivesAGraphThatAHookDrops) {
  Tensor h = x * x;
  Tensor y = sum(tanh(h * 0) + h);
  h.register_hook([&](const Tensor&) {
    h = Tensor();
    y = Tensor();
    return Tensor();
  });
  y.backward();
  EXPECT_FALSE(y.defined());
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
}

TEST_F(Walk, OutlivesTheTensorWhoseHookRuns) {
  auto h = std::make_unique<Tensor>(x * x);
  const Tensor y = sum(*h);
  h->retain_grad();
  h->register_hook([&](const Tensor& g) {
    h.reset();
    return g * 2;
  });
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{8, 12}));
}

// The hook of a leaf that is held by the graph alone.
TEST_F(Walk, OutlivesALeafThatItsHookDrops) {
  auto leaf = std::make_unique<Tensor>(ones({2}, DType::f64));
  leaf->set_requires_grad();
  Tensor y = sum(*leaf * x);
  Numbers seen;
  leaf->register_hook([&](const Tensor& g) {
    leaf.reset();
    y = Tensor();
    seen = numbers(g);
    return Tensor();
  });
  y.backward();
  EXPECT_EQ(seen, (Numbers{2, 3}));
  EXPECT_EQ(numbers(x.grad()), (Numbers{1, 1}));
}

TEST_F(Walk, TakesHooksThatAreAddedFromTheNextPassOn) {
  int late = 0;
  const Tensor h = x * x;
  h.register_hook([&](const Tensor&) {
    for (int i = 0; i < 50; ++i) {  // the list grows while it is gone over
      h.register_hook([&](const Tensor&) {
        ++late;
        return Tensor();
      });
    }
    return Tensor();
  });
  sum(h).backward({}, {.retain_graph = true});
  EXPECT_EQ(late, 0);
  sum(h).backward();
  EXPECT_EQ(late, 50);
}

TEST_F(Walk, RunsHooksToTheEndThoughOneRemovesTheOthers) {
  std::vector<HookId> ids;
  int calls = 0;
  const Tensor h = x * x;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(h.register_hook([&](const Tensor&) {
      ++calls;
      for (const HookId id : ids) h.remove_hook(id);
      return Tensor();
    }));
  }
  sum(h).backward({}, {.retain_graph = true});
  EXPECT_EQ(calls, 5);
  sum(h).backward();
  EXPECT_EQ(calls, 5);
}

TEST_F(Walk, RefusesToBeEnteredTwiceAndThenWorksOn) {
  const Tensor h = x * x;
  const Tensor y = sum(h + 2 * h);
  const HookId id = h.register_hook([&](const Tensor&) {
    y.backward({}, {.retain_graph = true});
    return Tensor();
  });
  EXPECT_ERROR(GradError,
               "backward: mul is part of a pass that is running; one that is started by a hook or "
               "a derivative, or on another thread, must walk another graph",
               y.backward({}, {.retain_graph = true}));
  EXPECT_FALSE(x.grad().defined());
  h.remove_hook(id);
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{12, 18}));
}

TEST_F(Walk, LeavesTheGraphAsItWasWhereAHookThrows) {
  const Tensor h = x * x;
  const Tensor y = sum(h);
  const HookId id = h.register_hook([](const Tensor&) -> Tensor { throw ValueError("mine"); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_ERROR(ValueError, "mine", y.backward({}, {.retain_graph = true}));
    EXPECT_FALSE(x.grad().defined());
  }
  h.remove_hook(id);
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 6}));
}

// A leaf's hook runs after the walk: it may start a pass of its own, over the same graph too.
TEST_F(Walk, MayBeginAgainInTheHookOfALeaf) {
  const Tensor y = sum(x * x);
  HookId id = 0;
  id = x.register_hook([&](const Tensor& g) {
    x.remove_hook(id);
    y.backward();
    return g * 10;
  });
  y.backward({}, {.retain_graph = true});
  EXPECT_EQ(numbers(x.grad()), (Numbers{4 + 40, 6 + 60}));
}

TEST_F(Walk, RetainsGradientsAskedForByAHook) {
  const Tensor h = x * x;
  const Tensor k = h * 3;
  k.register_hook([&](const Tensor&) {
    h.retain_grad();
    return Tensor();
  });
  sum(k).backward();
  EXPECT_EQ(numbers(h.grad()), (Numbers{3, 3}));
}

// Handles that move about while their operators are walked.
TEST_F(Walk, GoesOnWhileHandlesMove) {
  std::vector<Tensor> steps = {x * 1};
  for (int i = 0; i < 20; ++i) steps.push_back(steps.back() * 1);
  for (const Tensor& step : steps) {
    step.register_hook([&](const Tensor&) {
      if (steps.size() > 1) {
        steps.front() = std::move(steps.back());
        steps.pop_back();
      }
      return Tensor();
    });
  }
  sum(steps.back()).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{1, 1}));
}

// As in PyTorch: a leaf that was frozen behind its operator's back gets nothing.
TEST_F(Walk, PassesOverALeafThatWasFrozenSince) {
  Tensor w = tensor({5, 7}, {2}, DType::f64).requires_grad(true);
  int calls = 0;
  w.register_hook([&](const Tensor&) {
    ++calls;
    return Tensor();
  });
  const Tensor y = sum(x * w), joined = sum(concat({x, w}));
  const Tensor told = sum(x * w);
  const Tensor again = sum(checkpoint([&](const Tensor& h) { return h * w; }, w));
  w.set_requires_grad(false);
  y.backward();
  joined.backward();
  again.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{6, 8}));
  EXPECT_FALSE(w.grad().defined());
  int told_of = 0;
  backward_and_tell({told}, [&](const Tensor& leaf, const Tensor&) {
    EXPECT_TRUE(leaf.is_same(x));
    ++told_of;
  });
  EXPECT_EQ(told_of, 1);
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace heed
