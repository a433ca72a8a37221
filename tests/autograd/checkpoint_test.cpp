#include "../../autograd/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/gradcheck.h"
#include "../../autograd/ops/elementwise/dropout.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

using Numbers = std::vector<float>;
Numbers numbers(const Tensor& x) { return x.array().to_vector<float>(); }

// Layers with weights of their own, dropout, and one weight that all share.
struct Tower {
  explicit Tower(int depth) {
    manual_seed(3);
    for (int i = 0; i < depth; ++i) weights.push_back(leaf({13, 13}));
    shared = leaf({13});
  }
  static Tensor leaf(const Shape& shape) {
    Tensor out = 0.3 * randn(shape);
    out.set_requires_grad();
    return out;
  }
  Tensor layer(std::size_t i, const Tensor& x) const {
    return tanh(matmul(dropout(x, 0.3), weights[i]) + shared) * shared;
  }
  // `every` layers in one checkpoint; 0: none.
  Tensor run(Tensor x, std::size_t every) const {
    for (std::size_t i = 0; i < weights.size(); i += std::max<std::size_t>(every, 1)) {
      const auto part = [this, i, every](const Tensor& h) {
        Tensor out = h;
        for (std::size_t k = i; k < std::min(i + every, weights.size()); ++k) out = layer(k, out);
        return out;
      };
      x = every == 0 ? layer(i, x) : checkpoint(part, x);
    }
    return x;
  }
  std::vector<Tensor> weights;
  Tensor shared;
};

// Every gradient of a step: input, weights, the shared one.
std::vector<Numbers> step(std::size_t every, bool by_grad) {
  Tower tower(7);
  Tensor x = randn({11, 13});
  x.set_requires_grad();
  std::vector<Tensor> leaves = tower.weights;
  leaves.push_back(tower.shared);
  leaves.push_back(x);
  const Tensor loss = sum(square(tower.run(x * 2, every) + tower.shared));
  std::vector<Numbers> out;
  if (by_grad) {
    for (const Tensor& g : grad({loss}, leaves)) out.push_back(numbers(g));
  } else {
    loss.backward();
    for (const Tensor& leaf : leaves) out.push_back(numbers(leaf.grad()));
  }
  out.push_back({static_cast<float>(loss.item()), static_cast<float>(rand({1}).item())});
  return out;
}

TEST(Checkpoint, GivesTheSameBits) {
  for (const bool by_grad : {false, true}) {
    const auto expected = step(0, by_grad);
    for (const std::size_t every : {1, 2, 7}) EXPECT_EQ(step(every, by_grad), expected) << every;
  }
}

TEST(Checkpoint, HoldsLess) {
  const auto held = [](std::size_t every) {
    Tower tower(12);
    const Tensor x = randn({11, 13});
    const std::int64_t before = memory_stats().live_storages;
    const Tensor y = tower.run(x, every);
    return memory_stats().live_storages - before;
  };
  EXPECT_LE(held(4), 3);
  EXPECT_GT(held(0), 24);
}

// The inputs and whatever the function holds go with the walk, though the result is still there.
TEST(Checkpoint, LetsGoOfWhatItKeptOnceWalked) {
  auto token = std::make_shared<int>(0);
  const std::weak_ptr<int> held = token;
  Tensor x = randn({3, 5});
  x.set_requires_grad();
  const Tensor y = checkpoint([token](const Tensor& h) { return square(h) + *token; }, x * 2);
  token.reset();
  EXPECT_FALSE(held.expired());
  sum(y).backward();
  EXPECT_TRUE(held.expired());
  EXPECT_EQ(y.shape(), (Shape{3, 5}));
}

// The most nodes alive at once in a backward pass of 40 layers stays near one segment's.
TEST(Checkpoint, FreesWhatItMadeAgainSegmentBySegment) {
  Tower tower(40);
  const Tensor x = randn({11, 13});
  const std::int64_t before = memory_stats().live_nodes;
  std::int64_t most = 0;
  const auto watch = [&](const Tensor& h) {
    const Tensor out = h * 1;
    if (out.requires_grad()) {
      out.register_hook([&](const Tensor&) {
        most = std::max(most, memory_stats().live_nodes - before);
        return Tensor();
      });
    }
    return out;
  };
  Tensor y = x;
  for (std::size_t i = 0; i < 40; ++i) {
    y = checkpoint([&tower, &watch, i](const Tensor& h) { return watch(tower.layer(i, h)); }, y);
  }
  sum(y).backward();
  EXPECT_GT(most, 0);
  EXPECT_LT(most, 40 + 20);
}

TEST(Checkpoint, InsideCheckpoints) {
  Tower tower(4);
  Tensor x = randn({5, 13});
  x.set_requires_grad();
  const auto run = [&](bool nested) {
    manual_seed(17);
    const auto inner = [&](const Tensor& h) { return tower.layer(1, tower.layer(0, h)); };
    const auto outer = [&](const Tensor& h) {
      const Tensor a = nested ? checkpoint(inner, h) : inner(h);
      return tower.layer(3, tower.layer(2, a) + a);
    };
    const Tensor y = sum(nested ? checkpoint(outer, x) : outer(x));
    std::vector<Numbers> out;
    for (const Tensor& g : grad({y}, {x, tower.weights[0], tower.weights[2], tower.shared})) {
      out.push_back(numbers(g));
    }
    return out;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(Checkpoint, ReachesResultsThroughTheClosure) {
  Tensor x = tensor({2, 3}, {2});
  x.set_requires_grad();
  const Tensor h = x * x;
  const Tensor y = checkpoint([&](const Tensor& a) { return a * h; }, x);  // x^3
  sum(y).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{12, 27}));
}

TEST(Checkpoint, CanBeDifferentiatedTwice) {
  const auto f = [](const std::vector<Tensor>& x) {
    return checkpoint(
        [](const std::vector<Tensor>& in) {
          return std::vector<Tensor>{tanh(in[0] * in[1]), square(in[1])};
        },
        x);
  };
  const std::vector<Tensor> inputs = {randn({3, 5}, DType::f64), randn({5}, DType::f64)};
  EXPECT_TRUE(gradcheck(f, inputs));
  const auto second = gradgradcheck(f, inputs);
  EXPECT_TRUE(second) << second.text();
}

TEST(Checkpoint, PassesInputsThrough) {
  Tensor x = tensor({2, 3}, {2});
  x.set_requires_grad();
  sum(checkpoint([](const Tensor& a) { return a; }, x) * 5).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{5, 5}));
  const Tensor y = checkpoint([](const Tensor& a) { return a; }, ones({2}));
  EXPECT_NO_THROW(sum(y).backward());  // nothing in it needed a gradient
}

TEST(Checkpoint, MayBeWalkedTwiceWhenRetained) {
  Tensor x = tensor({2, 3}, {2});
  x.set_requires_grad();
  int runs = 0;
  const Tensor y = sum(checkpoint(
      [&](const Tensor& a) {
        ++runs;
        return a * a;
      },
      x));
  y.backward({}, {.retain_graph = true});
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{8, 12}));
  EXPECT_EQ(runs, 3);
  EXPECT_THROW(y.backward(), GradError);
}

TEST(Checkpoint, RunsPlainlyUnderNoGrad) {
  Tensor x = tensor({2, 3}, {2});
  x.set_requires_grad();
  const NoGrad off;
  const Tensor y = checkpoint([](const Tensor& a) { return a * a; }, x);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(numbers(y), (Numbers{4, 9}));
}

TEST(Checkpoint, PutsTheRandomStateBack) {
  manual_seed(5);
  Tensor x = ones({31});
  x.set_requires_grad();
  const Tensor y = checkpoint([](const Tensor& a) { return dropout(a, 0.5); }, x);
  const Generator::State state = default_generator().state();
  sum(y).backward();
  EXPECT_EQ(default_generator().state(), state);
  EXPECT_EQ(numbers(x.grad()), numbers(y));
}

TEST(Checkpoint, FromAnotherThread) {
  Tower tower(3);
  Tensor x = randn({5, 13});
  const Tensor y = sum(tower.run(x, 1));
  std::thread([&] { y.backward(); }).join();
  EXPECT_TRUE(tower.weights[0].grad().defined());
}

TEST(Checkpoint, SaysWhatWentWrong) {
  Tensor x = tensor({2, 3}, {2});
  x.set_requires_grad();
  Index length = 1;
  const Tensor y = checkpoint([&](const Tensor& a) { return narrow(a, 0, 0, length); }, x);
  length = 2;
  EXPECT_ERROR(GradError, "checkpoint: result 0 was f32[1], but f32[2] when it was made again",
               sum(y).backward());
  const Tensor h = x * 1;
  const Tensor z = checkpoint([&](const Tensor& a) { return a * a; }, h);
  h.detach().copy_from(x.detach());
  EXPECT_ERROR(GradError,
               "backward: checkpoint kept its input f32[2] for the derivative, but it was written "
               "in place since (version 1, kept at 0)",
               sum(z).backward());
  const Tensor w = checkpoint([](const Tensor& a) { return a * a; }, x);
  const InferenceMode mode;
  EXPECT_ERROR(GradError,
               "checkpoint: its backward pass must record, which an InferenceMode forbids",
               w.backward(ones({2})));
  EXPECT_ERROR(GradError, "checkpoint: there is no function",
               checkpoint(std::function<Tensor(const Tensor&)>(), x));
}

// Nothing is drawn last, first and between: that asks for no numbers, and steps over none.
TEST(Checkpoint, DrawsNothingWhereThereIsNothing) {
  const auto gradient = [](bool again) {
    manual_seed(7);
    Tensor x = randn({5, 3}).requires_grad(true);
    const auto function = [](const Tensor& h) {
      const Tensor none = narrow(h, 0, 0, 0);
      Tensor out = h + sum(dropout(none, 0.5));
      out = dropout(out, 0.5) + sum(dropout(none, 0.5));
      return dropout(out, 0.5) + sum(dropout(none, 0.5));
    };
    sum(again ? checkpoint(function, x) : function(x)).backward();
    return numbers(x.grad());
  };
  EXPECT_EQ(gradient(true), gradient(false));
}

// Whose number is the lowest that there is; what is asked for is reached by its function alone.
TEST(Checkpoint, AsTheFirstThatAThreadRecords) {
  const Tensor x = full({3}, 5.0), w = full({3}, 2.0).set_requires_grad();
  Tensor found;
  std::thread([&] {
    const Tensor y = checkpoint([&](const Tensor& h) { return h * w; }, x);
    found = grad({y}, {w}, {ones({3})})[0];
  }).join();
  ASSERT_TRUE(found.defined());
  EXPECT_EQ(numbers(found), Numbers(3, 5));
}

}  // namespace
}  // namespace heed
