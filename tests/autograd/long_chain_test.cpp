// A chain of a million operators on a small stack: forward, backward and destruction walk, never
// recurse.
#include <gtest/gtest.h>
#include <pthread.h>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/allocator.h"

namespace heed {
namespace {

// Runs body on a thread with 256 KB of stack.
void on_small_stack(void (*body)()) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* entry) -> void* {
                  (*static_cast<void (**)()>(entry))();
                  return nullptr;
                },
                &body),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

constexpr int kLength = 1000000;

Tensor leaf() {
  Tensor x = tensor({1, 2, 3}, {3}, DType::f64);
  x.set_requires_grad();
  return x;
}

TEST(LongChain, ForwardBackwardAndEnd) {
  const std::int64_t nodes = memory_stats().live_nodes;
  on_small_stack([] {
    const Tensor x = leaf();
    Tensor y = x;
    for (int i = 0; i < kLength; ++i) y = y + x;
    EXPECT_GE(memory_stats().live_nodes, kLength);
    y.backward(ones({3}, DType::f64));
    EXPECT_EQ(x.grad().array().to_vector<double>(), std::vector<double>(3, kLength + 1));
  });
  EXPECT_EQ(memory_stats().live_nodes, nodes);
}

TEST(LongChain, EndsWithoutBackward) {
  const std::int64_t nodes = memory_stats().live_nodes;
  on_small_stack([] {
    Tensor y = leaf();
    for (int i = 0; i < kLength; ++i) y = y * y;  // keeps its inputs
  });
  EXPECT_EQ(memory_stats().live_nodes, nodes);
}

TEST(LongChain, OfTheSecondOrder) {
  const std::int64_t nodes = memory_stats().live_nodes;
  on_small_stack([] {
    const Tensor x = leaf();
    Tensor y = square(x);
    for (int i = 0; i < kLength / 20; ++i) y = -y;
    const Tensor g = grad({sum(y)}, {x}, {}, {.create_graph = true})[0];
    EXPECT_EQ(grad({sum(g)}, {x})[0].array().to_vector<double>(), std::vector<double>(3, 2));
  });
  EXPECT_EQ(memory_stats().live_nodes, nodes);
}

}  // namespace
}  // namespace heed
