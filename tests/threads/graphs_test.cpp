// Graphs on several threads: over leaves that they share, through operators that they share, and
// while handles come and go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "../../autograd/backward.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/dropout.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/allocator.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/numbers.h"
#include "on_threads.h"

namespace heed {
namespace {

constexpr int kThreads = 8;

Tensor leaf(const Shape& shape, double value) {
  Tensor x = full(shape, value, DType::f64);
  x.set_requires_grad();
  return x;
}

// Whole numbers: their sum is exact in any order.
TEST(SharedLeaves, GatherTheSumOfAllPasses) {
  const Tensor a = leaf({7}, 3), b = leaf({5, 7}, 2);
  on_threads(kThreads, [&](int t) {
    for (int i = 0; i < 20; ++i) sum(a * b * (t + 1)).backward();
  });
  // 20 (1 + ... + 8) = 720
  EXPECT_EQ(numbers(a.grad()), std::vector<double>(7, 720 * 5 * 2));
  EXPECT_EQ(numbers(b.grad()), std::vector<double>(35, 720 * 3));
}

// Every pass through the operators that all share is whole, or is refused and adds nothing.
TEST(SharedGraph, GivesTheRightSumOrANamedError) {
  const Tensor x = leaf({5, 5}, 1);
  Tensor h = x;
  for (int i = 0; i < 20; ++i) h = h + x;
  std::atomic<int> passed = 0, refused = 0, other = 0;
  on_threads(kThreads, [&](int) {
    const Tensor y = sum(h * 3);
    for (int i = 0; i < 20; ++i) {
      try {
        y.backward({}, {.retain_graph = true});
        ++passed;
      } catch (const GradError& error) {
        ++(testing::Value(std::string(error.what()), testing::HasSubstr("is part of a pass"))
               ? refused
               : other);
      }
    }
  });
  EXPECT_EQ(other, 0);
  EXPECT_EQ(passed + refused, kThreads * 20);
  EXPECT_GE(passed, 1);
  EXPECT_EQ(numbers(x.grad()), std::vector<double>(25, 3.0 * 21 * passed));
}

// What is freed by one pass is refused to the others; one of them is whole.
TEST(SharedGraph, IsFreedByOnePass) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = leaf({5}, 2);
    const Tensor y = sum(tanh(x * x) * x);
    std::atomic<int> passed = 0, refused = 0;
    on_threads(kThreads, [&](int) {
      try {
        y.backward();
        ++passed;
      } catch (const GradError&) {
        ++refused;
      }
    });
    EXPECT_EQ(passed, 1);
    EXPECT_EQ(refused, kThreads - 1);
  }
}

// Results of operators that are walked: handles of them are copied, moved and dropped meanwhile.
TEST(Handles, ComeAndGoWhileAnotherThreadWalks) {
  const MemoryStats before = memory_stats();
  {
    const Tensor x = leaf({5, 5}, 1);
    for (int round = 0; round < 10; ++round) {
      std::vector<Tensor> steps;
      Tensor h = x;
      for (int i = 0; i < 40; ++i) {
        h = h + x;
        if (i % 3 == 0) h.retain_grad();
        steps.push_back(h);
      }
      Tensor y = sum(h);
      h = Tensor();
      std::vector<std::vector<Tensor>> copies(kThreads, steps);
      steps.clear();
      on_threads(kThreads, [&](int t) {
        if (t == 0) {
          y.backward();
          return;
        }
        std::vector<Tensor>& mine = copies[static_cast<std::size_t>(t)];
        for (int i = 0; i < 100; ++i) {
          const auto k = static_cast<std::size_t>(i) % mine.size();
          const Tensor copy = mine[k];
          std::swap(mine[k], mine[(k * 7 + 3) % mine.size()]);
          EXPECT_EQ(copy.rank(), 2);
        }
        mine.clear();
      });
    }
    EXPECT_EQ(numbers(x.grad()), std::vector<double>(25, 10 * 41));
  }
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.live_tensors, before.live_tensors);
}

// The last handles of results that retained their gradient go while the pass gets there.
TEST(Handles, ThatRetainGradientsGoWhileAnotherThreadWalks) {
  const Tensor x = leaf({3}, 1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Tensor> steps;
    Tensor h = x;
    for (int i = 0; i < 20; ++i) {
      h = h * 1;
      h.retain_grad();
      steps.push_back(h);
    }
    const Tensor y = sum(h);
    h = Tensor();
    on_threads(2, [&](int t) {
      if (t == 0) y.backward();
      if (t == 1) steps.clear();
    });
  }
  EXPECT_EQ(numbers(x.grad()), std::vector<double>(3, 50));
}

// Graphs made on one thread, walked on the next, freed on a third, in a ring.
TEST(Graphs, WanderFromThreadToThread) {
  const MemoryStats before = memory_stats();
  {
    std::vector<Tensor> leaves, losses(kThreads);
    for (int t = 0; t < kThreads; ++t) leaves.push_back(leaf({31, 31}, 0.5));
    for (int round = 0; round < 5; ++round) {
      on_threads(kThreads, [&](int t) {
        const auto at = static_cast<std::size_t>(t);
        losses[at] = sum(matmul(leaves[at], leaves[at]) + 1);
      });
      on_threads(kThreads,
                 [&](int t) { losses[static_cast<std::size_t>((t + 1) % 8)].backward(); });
      on_threads(kThreads,
                 [&](int t) { losses[static_cast<std::size_t>((t + 3) % 8)] = Tensor(); });
    }
    for (const Tensor& x : leaves) {
      EXPECT_EQ(numbers(x.grad()), std::vector<double>(31 * 31, 5 * 31.0));
    }
  }
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.live_nodes, before.live_nodes);
}

// The mask of the second run is that of the first, whatever others draw meanwhile.
TEST(Checkpoints, DrawAgainWhatTheyDrewOnEveryThread) {
  std::vector<int> wrong(kThreads, 0);
  on_threads(kThreads, [&](int t) {
    for (int i = 0; i < 20; ++i) {
      const Tensor x = leaf({97}, 1);
      const Tensor y =
          checkpoint([](const Tensor& in) { return dropout(dropout(in, 0.3), 0.2); }, x);
      sum(y).backward();
      wrong[static_cast<std::size_t>(t)] += numbers(x.grad()) != numbers(y);
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

TEST(Modes, BelongToTheThread) {
  const InferenceMode mode;
  on_threads(kThreads, [&](int t) {
    EXPECT_TRUE(recording());
    EXPECT_FALSE(inference());
    const Tensor x = leaf({3}, t);
    if (t % 2 == 0) {
      const NoGrad off;
      EXPECT_FALSE((x * x).requires_grad());
    } else {
      EXPECT_TRUE((x * x).requires_grad());
    }
  });
  EXPECT_FALSE(recording());
}

}  // namespace
}  // namespace heed
