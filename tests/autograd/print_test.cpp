// How tensors print: core/print_test.cpp's rules, and what is known of their gradients.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "../../autograd/formatter.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/reduce/reduce.h"

namespace heed {
namespace {

TEST(PrintTensor, PrintsItsNumbers) {
  std::ostringstream out;
  out << tensor({1, 2.25, -3, 0.5}, {2, 2});
  EXPECT_EQ(out.str(),
            "tensor([[ 1.  ,  2.25],\n"
            "        [-3.  ,  0.5 ]])");
  EXPECT_EQ(to_string(tensor(3, DType::f64)), "tensor(3., dtype=f64)");
  EXPECT_EQ(to_string(Tensor()), "undefined");
}

TEST(PrintTensor, SaysWhereItsGradientGoes) {
  const Tensor x = tensor({1, 2}, {2}).set_requires_grad();
  EXPECT_EQ(to_string(x), "tensor([1., 2.], requires_grad=True)");
  EXPECT_EQ(to_string(x + x), "tensor([2., 4.], grad_fn=<add>)");
  EXPECT_EQ(to_string((x + x).detach()), "tensor([2., 4.])");
}

TEST(PrintTensor, LeavesASparseGradientSparse) {
  const Tensor weight = tensor({1, 2, 3, 4}, {2, 2}).set_requires_grad();
  const Array ids = Array::from(std::vector<std::int64_t>{1});
  sum(embedding(weight, ids, true)).backward();
  const Tensor gradient = weight.grad();
  ASSERT_TRUE(gradient.is_sparse());
  EXPECT_EQ(to_string(gradient), "tensor([[0., 0.],\n        [1., 1.]])");
  EXPECT_TRUE(gradient.is_sparse());
}

TEST(PrintTensor, GoesThroughFmt) {
  EXPECT_EQ(fmt::format("{}|{:>8}|{}", tensor(1.0), Shape{2, 3}, tensor(2).array()),
            "tensor(1.)|  [2, 3]|array(2)");
}

}  // namespace
}  // namespace heed
