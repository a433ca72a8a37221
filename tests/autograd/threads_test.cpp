// Graphs on several threads: each thread its own, over shared parameters that nobody writes to.
#include <gtest/gtest.h>

#include <thread>

#include "../../autograd/anomaly.h"
#include "../../autograd/backward.h"
#include "../../autograd/checkpoint.h"
#include "../../autograd/functional.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/allocator.h"
#include "../../core/generator.h"

namespace heed {
namespace {

constexpr int kThreads = 4;

template <class Body>
void on_threads(const Body& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

std::vector<double> train(std::uint64_t seed) {
  Generator generator(seed);
  Tensor w = randn({7, 5}, DType::f64, generator);
  w.set_requires_grad();
  for (int step = 0; step < 50; ++step) {
    const Tensor x = randn({3, 7}, DType::f64, generator);
    w.zero_grad();
    sum(square(tanh(matmul(x, w)))).backward();
    const NoGrad scope;
    w.copy_from(w - 0.1 * w.grad());
  }
  return w.array().to_vector<double>();
}

TEST(Threads, IndependentGraphsDoNotMeet) {
  const MemoryStats before = memory_stats();
  std::vector<std::vector<double>> found(kThreads);
  on_threads(
      [&](int t) { found[static_cast<std::size_t>(t)] = train(static_cast<std::uint64_t>(t)); });
  for (int t = 0; t < kThreads; ++t) {
    EXPECT_EQ(found[static_cast<std::size_t>(t)], train(static_cast<std::uint64_t>(t)))
        << "thread " << t;
  }
  const MemoryStats after = memory_stats();
  EXPECT_EQ(after.live_nodes, before.live_nodes);
  EXPECT_EQ(after.live_tensors, before.live_tensors);
  EXPECT_EQ(after.live_storages, before.live_storages);
}

// What else a pass can be: checked for anomalies, checkpointed, of second order.
std::vector<double> derive(std::uint64_t seed) {
  Generator generator(seed);
  Tensor w = randn({7, 5}, DType::f64, generator);
  w.set_requires_grad();
  const Tensor x = randn({3, 7}, DType::f64, generator);
  const auto layer = [&](const Tensor& in) { return tanh(matmul(in, w)); };
  std::vector<double> out;
  for (int step = 0; step < 20; ++step) {
    const DetectAnomaly anomaly;
    const AnomalyScope scope("thread");
    const Tensor h = checkpoint(layer, x);
    h.retain_grad();
    const Tensor g = grad({sum(h * h)}, {w}, {}, {.create_graph = true})[0];
    sum(square(g)).backward();
    out.push_back(sum(w.grad()).item());
    const Tensor v = vjp(layer, x, h.detach()).product;
    out.push_back(sum(v).item());
  }
  return out;
}

TEST(Threads, EveryKindOfPass) {
  std::vector<std::vector<double>> found(kThreads);
  on_threads(
      [&](int t) { found[static_cast<std::size_t>(t)] = derive(static_cast<std::uint64_t>(t)); });
  for (int t = 0; t < kThreads; ++t) {
    EXPECT_EQ(found[static_cast<std::size_t>(t)], derive(static_cast<std::uint64_t>(t)))
        << "thread " << t;
  }
}

// Gradients of several graphs that add into one leaf.
TEST(Threads, AddIntoOneLeaf) {
  Tensor w = ones({5}, DType::f64);
  w.set_requires_grad();
  on_threads([&](int) {
    for (int i = 0; i < 50; ++i) sum(w * 3).backward();
  });
  EXPECT_EQ(w.grad().array().to_vector<double>(), std::vector<double>(5, 3 * 50 * kThreads));
}

TEST(Threads, ReadOneParameterUnderNoGrad) {
  Generator generator(5);
  Tensor w = randn({7, 5}, DType::f64, generator);
  w.set_requires_grad();
  const Tensor x = randn({3, 7}, DType::f64, generator);
  const std::vector<double> expected = tanh(matmul(x, w)).array().to_vector<double>();
  std::vector<int> wrong(kThreads, 0);
  on_threads([&](int t) {
    const NoGrad scope;
    for (int i = 0; i < 50; ++i) {
      wrong[static_cast<std::size_t>(t)] +=
          tanh(matmul(x, w)).array().to_vector<double>() != expected;
    }
  });
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

TEST(Threads, ModeBelongsToTheThread) {
  const NoGrad scope;
  bool elsewhere = false;
  std::thread([&] { elsewhere = recording(); }).join();
  EXPECT_TRUE(elsewhere);
  EXPECT_FALSE(recording());
}

// A graph made on one thread, differentiated on another and freed on a third.
TEST(Threads, HandGraphsOver) {
  Tensor x = tensor({2, 3}, {2}, DType::f64);
  x.set_requires_grad();
  Tensor y;
  std::thread([&] { y = sum(x * x * x); }).join();
  std::thread([&] { y.backward(); }).join();
  std::thread([&] { y = Tensor(); }).join();
  EXPECT_EQ(x.grad().array().to_vector<double>(), (std::vector<double>{12, 27}));
}

}  // namespace
}  // namespace heed
