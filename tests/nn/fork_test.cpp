// Modules and gradients that a thread makes while another one forks.
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../nn/module.h"
#include "../support/fork_beside.h"

namespace heed::nn {
namespace {

struct Leaf : Module {};
struct Tree : Module {
  Leaf& leaf = child<Leaf>("leaf");
};

TEST(Fork, AChildMakesModules) {
  const auto work = [] { return Tree().leaf.path() == "leaf"; };
  fork_beside(work, work);
}

TEST(Fork, AChildWalksBack) {
  const auto work = [] {
    const Tensor x = Tensor(Array::full({3}, 2, DType::f64)).requires_grad_();
    for (int i = 0; i < 20; ++i) sum(x * x).backward();
    return sum(x.grad()).item() == 240;
  };
  fork_beside(work, work);
}

}  // namespace
}  // namespace heed::nn
