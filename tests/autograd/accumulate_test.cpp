#include "../../autograd/accumulate.h"

#include <gtest/gtest.h>

#include <thread>

#include "../../autograd/grad_mode.h"
#include "../../autograd/tensor.h"
#include "../../core/array.h"

namespace heed {
namespace {

// Numbers of others, and whether another thread could go on when they were let go of.
struct Lent {
  double numbers[6] = {2, 3, 5, 7, 11, 13};
  int released = 0;
  bool was_free = true;

  Tensor tensor() {  // turned, so that it is not kept as it is
    return Tensor(Array::around(numbers, Shape{2, 3}, Strides{1, 2}, DType::f64, &release, this));
  }
  static void release(void* owner) {
    auto& lent = *static_cast<Lent*>(owner);
    ++lent.released;
    std::thread([&lent] {
      if (grad_mutex().try_lock()) {
        grad_mutex().unlock();
      } else {
        lent.was_free = false;
      }
    }).join();
  }
};

class Accumulate : public testing::Test {
 protected:
  Accumulate() { leaf.set_requires_grad(); }
  Tensor leaf = Tensor(Array::zeros(Shape{2, 3}, DType::f64));
  using Numbers = std::vector<double>;
};

TEST_F(Accumulate, TheFirstGradientIsLetGoOfWithoutTheLock) {
  Lent lent;
  const NoGrad scope;
  add_to_grad(*leaf.impl(), lent.tensor());
  EXPECT_EQ(lent.released, 1);
  EXPECT_TRUE(lent.was_free);
  EXPECT_EQ(leaf.grad().array().to_vector<double>(), (Numbers{2, 5, 11, 3, 7, 13}));
}

TEST_F(Accumulate, WhatASumReplacesIsLetGoOfWithoutTheLock) {
  Lent lent;
  const NoGrad scope;
  leaf.set_grad(lent.tensor());
  add_to_grad(*leaf.impl(), Tensor(Array::full(Shape{2, 3}, 1, DType::f64)));
  EXPECT_EQ(lent.released, 1);
  EXPECT_TRUE(lent.was_free);
  EXPECT_EQ(leaf.grad().array().to_vector<double>(), (Numbers{3, 6, 12, 4, 8, 14}));
}

}  // namespace
}  // namespace heed
