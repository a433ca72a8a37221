// What is exported and read back gives the same numbers, at sizes that were not looked at.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "../../autograd/autograd.h"
#include "../../core/generator.h"
#include "../../nn/module.h"
#include "../../onnx/export.h"
#include "../../onnx/graph_module.h"

namespace heed::onnx {

using Function = std::function<Tensor(const Tensor&)>;

/// Of one input [batch, length, ..], exported at its size, read at others.
inline void expect_back(nn::Module& module, const Function& f, const Tensor& x,
                        double tolerance = 1e-5) {
  const Forward forward = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{f(in[0])};
  };
  const GraphModule back(export_model(module, {{"x", x, {"batch", "length"}}}, forward));
  module.eval();
  const NoGrad scope;
  Generator generator(7);
  for (const auto& [batch, length] : {std::pair<Index, Index>{6, 9}, {4, 23}}) {
    Shape shape = x.shape();
    shape[0] = batch;
    shape[1] = length;
    Tensor y = x.dtype() == DType::i64 ? randint(0, 5, shape) : randn(shape, x.dtype(), generator);
    const Tensor wanted = f(y), got = back.run(std::vector<Tensor>{y})[0];
    ASSERT_EQ(got.shape(), wanted.shape());
    ASSERT_EQ(got.dtype(), wanted.dtype());
    if (wanted.dtype() == DType::boolean || wanted.dtype() == DType::i64) {
      EXPECT_TRUE(got.equal(wanted));
    } else {
      EXPECT_TRUE(got.allclose(wanted, tolerance, tolerance));
    }
  }
}

}  // namespace heed::onnx
