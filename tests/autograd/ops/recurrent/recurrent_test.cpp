#include "../../../../autograd/ops/recurrent/recurrent_plain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/recurrent/lstm.h"
#include "../../../../autograd/ops/recurrent/rnn.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"
#include "../../../support/numbers.h"

namespace heed {
namespace {

using detail::recurrent;
using detail::recurrent_plain;
using detail::RnnCell;
using Function = decltype(&recurrent);

// x, the first states or nothing, then each direction's weights, as one list of leaves.
struct Case {
  Index batch, steps, inputs, hidden;
  std::size_t directions;
  bool bias = true, start = true;
  std::vector<Index> lengths;

  std::vector<Tensor> leaves(RnnCell cell, DType dtype = DType::f64, std::uint64_t seed = 3) const {
    Generator draw(seed);
    const Index rows = kernels::parts_of(cell).gates * hidden;
    std::vector<Shape> shapes = {Shape{batch, steps, inputs}};
    if (start) {
      shapes.insert(shapes.end(), cell == RnnCell::lstm ? 2 : 1,
                    Shape{static_cast<Index>(directions), batch, hidden});
    }
    for (std::size_t d = 0; d < directions; ++d) {
      shapes.push_back(Shape{rows, inputs});
      shapes.push_back(Shape{rows, hidden});
      if (bias) shapes.insert(shapes.end(), 2, Shape{rows});
    }
    std::vector<Tensor> out;
    for (const Shape& shape : shapes) out.push_back(draw.uniform(shape, -0.9, 0.9, dtype));
    return out;
  }

  std::vector<Tensor> run(RnnCell cell, Function function, const std::vector<Tensor>& from) const {
    std::size_t next = 1;
    LstmState first;
    if (start) first.h = from[next++];
    if (start && cell == RnnCell::lstm) first.c = from[next++];
    std::vector<RnnWeights> weights(directions);
    for (RnnWeights& w : weights) {
      w.w_ih = from[next++];
      w.w_hh = from[next++];
      if (!bias) continue;
      w.b_ih = from[next++];
      w.b_hh = from[next++];
    }
    return function(cell, from[0], first, weights, {lengths});
  }

  // Outputs, then the gradient of every leaf, given the same random cotangents.
  std::vector<Tensor> all(RnnCell cell, Function function, std::vector<Tensor> from,
                          bool create_graph = false) const {
    for (Tensor& leaf : from) leaf.set_requires_grad();
    std::vector<Tensor> out = run(cell, function, from);
    Generator draw(5);
    std::vector<Tensor> cotangents, reached;
    for (const Tensor& tensor : out) {
      const Tensor g = draw.normal(tensor.shape(), 0, 1, tensor.dtype());
      // No step, no path: the definition's output is a constant then.
      if (steps == 0 && tensor.is_same(out[0])) continue;
      reached.push_back(tensor);
      cotangents.push_back(g);
    }
    const auto grads = grad(reached, from, cotangents, {.create_graph = create_graph});
    out.insert(out.end(), grads.begin(), grads.end());
    return out;
  }
};

const Case kCases[] = {
    {5, 7, 3, 2, 1, true, true, {}},
    {5, 7, 3, 2, 2, true, true, {4, 7, 0, 1, 6}},
    {3, 5, 2, 11, 2, false, true, {5, 5, 2}},
    {23, 3, 7, 17, 2, true, false, {1, 0, 3, 2, 2, 3, 1, 0, 0, 3, 1, 2,
                                    3, 3, 2, 1, 1, 2, 3, 0, 1, 2, 2}},
    {37, 2, 5, 13, 1, true, true, {}},
    {4, 1, 3, 5, 2, true, true, {1, 0, 1, 1}},
    {3, 5, 1, 1, 2, true, true, {2, 5, 3}},
    {2, 3, 2, 3, 2, true, true, {0, 0}},
    {2, 0, 3, 5, 2, true, true, {}},
    {0, 3, 2, 5, 2, true, true, {}},
};

// An undefined gradient counts as zeros.
Tensor or_zeros(const Tensor& gradient, const Tensor& like) {
  return gradient.defined() ? gradient : zeros(like.shape(), like.dtype());
}

void expect_near(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].defined() && !b[i].defined()) continue;
    const Tensor& like = a[i].defined() ? a[i] : b[i];
    EXPECT_LE(relative_difference(or_zeros(a[i], like), or_zeros(b[i], like)), tolerance)
        << "result " << i;
  }
}

class Recurrent : public testing::TestWithParam<RnnCell> {};

INSTANTIATE_TEST_SUITE_P(Cells, Recurrent,
                         testing::Values(RnnCell::tanh, RnnCell::relu, RnnCell::gru, RnnCell::lstm),
                         [](const auto& entry) -> std::string {
                           if (entry.param == RnnCell::relu) return "relu";
                           return detail::name_of(entry.param);
                         });

TEST_P(Recurrent, EqualsItsDefinition) {
  const RnnCell cell = GetParam();
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << "B " << c.batch << " T " << c.steps << " I " << c.inputs
                                    << " H " << c.hidden << " D " << c.directions);
    expect_near(c.all(cell, recurrent, c.leaves(cell)),
                c.all(cell, recurrent_plain, c.leaves(cell)), 1e-12);
    expect_near(c.all(cell, recurrent, c.leaves(cell, DType::f32)),
                c.all(cell, recurrent_plain, c.leaves(cell, DType::f32)), 5e-5);
  }
}

TEST_P(Recurrent, RecordedDerivativeEqualsTheFusedOne) {
  const RnnCell cell = GetParam();
  for (const Case& c : kCases) {
    expect_near(c.all(cell, recurrent, c.leaves(cell), true),
                c.all(cell, recurrent, c.leaves(cell)), 1e-12);
  }
}

TEST_P(Recurrent, Gradcheck) {
  const RnnCell cell = GetParam();
  for (const std::size_t i : {0u, 1u, 2u, 5u, 6u}) {
    const Case& c = kCases[i];
    const TensorFunction function = [&](const std::vector<Tensor>& from) {
      return c.run(cell, recurrent, from);
    };
    GradcheckOptions options;
    options.max_elements = 40;
    const GradcheckReport first = gradcheck(function, c.leaves(cell), options);
    EXPECT_TRUE(first) << "case " << i << "\n" << first.text();
    options.max_elements = 12;
    const GradcheckReport second = gradgradcheck(function, c.leaves(cell), options);
    EXPECT_TRUE(second) << "case " << i << "\n" << second.text();
  }
}

TEST_P(Recurrent, OneOutputAloneIsDifferentiated) {
  const RnnCell cell = GetParam();
  const Case& c = kCases[1];
  for (std::size_t output = 0; output < (cell == RnnCell::lstm ? 3 : 2); ++output) {
    std::vector<std::vector<Tensor>> grads;
    for (const bool fused : {true, false}) {
      std::vector<Tensor> from = c.leaves(cell);
      for (Tensor& leaf : from) leaf.set_requires_grad();
      const Tensor out = c.run(cell, fused ? recurrent : recurrent_plain, from)[output];
      grads.push_back(grad({sum(out * out)}, from));
    }
    expect_near(grads[0], grads[1], 1e-12);
  }
}

TEST_P(Recurrent, OneTensorInSeveralPlacesSumsItsGradients) {
  const RnnCell cell = GetParam();
  // Tied weights of both directions, in the fused and in the recorded derivative.
  const Case c{3, 4, 2, 5, 2, false, false, {4, 2, 3}};
  std::vector<Tensor> from = c.leaves(cell);
  const TensorFunction tied = [&](const std::vector<Tensor>& x) {
    return c.run(cell, recurrent, {x[0], x[1], x[2], x[1], x[2]});
  };
  from.resize(3);
  GradcheckOptions options;
  options.max_elements = 20;
  const GradcheckReport first = gradcheck(tied, from, options);
  EXPECT_TRUE(first) << first.text();
  const GradcheckReport second = gradgradcheck(tied, from, options);
  EXPECT_TRUE(second) << second.text();
}

TEST_P(Recurrent, PaddingIsNeverRead) {
  const RnnCell cell = GetParam();
  for (const std::size_t i : {1u, 3u, 7u}) {
    const Case& c = kCases[i];
    for (const bool create_graph : {false, true}) {
      const std::vector<Tensor> clean = c.leaves(cell);
      std::vector<Tensor> dirty = c.leaves(cell);
      Array x = dirty[0].array();
      for (Index row = 0; row < c.batch; ++row) {
        const Index length = c.lengths[static_cast<std::size_t>(row)];
        for (Index at = length * c.inputs; at < c.steps * c.inputs; ++at) {
          x.mutable_data<double>()[row * c.steps * c.inputs + at] =
              std::numeric_limits<double>::quiet_NaN();
        }
      }
      const auto expected = c.all(cell, recurrent, clean, create_graph);
      const auto got = c.all(cell, recurrent, dirty, create_graph);
      for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(same_bits(got[k], expected[k])) << k;
      const auto plain = c.all(cell, recurrent_plain, dirty, create_graph);
      expect_near(plain, expected, 1e-12);
    }
  }
}

TEST_P(Recurrent, PaddingGivesZeros) {
  const RnnCell cell = GetParam();
  const Case& c = kCases[1];
  std::vector<Tensor> all = c.all(cell, recurrent, c.leaves(cell));
  for (Index row = 0; row < c.batch; ++row) {
    const Index length = c.lengths[static_cast<std::size_t>(row)];
    for (const Tensor& tensor :
         {all[0], all[cell == RnnCell::lstm ? 3 : 2]}) {  // the output, the gradient of x
      const Tensor rest = slice(select(tensor, 0, row), 0, length, c.steps);
      EXPECT_EQ(sum(abs(rest)).item(), 0);
    }
  }
  // A row of length 0 ends where it began, and hands its gradient on.
  EXPECT_EQ(relative_difference(select(all[1], 1, 2), select(c.leaves(cell)[1], 1, 2)), 0);
}

TEST_P(Recurrent, ARowAloneEqualsTheRowInItsBatch) {
  const RnnCell cell = GetParam();
  const Case& c = kCases[3];
  const std::vector<Tensor> from = c.leaves(cell);
  const auto batch = c.run(cell, recurrent, from);
  for (Index row = 0; row < c.batch; ++row) {
    const Index length = c.lengths[static_cast<std::size_t>(row)];
    std::vector<Tensor> one = from;
    one[0] = contiguous(slice(slice(from[0], 0, row, row + 1), 1, 0, length));
    const Case alone{1, length, c.inputs, c.hidden, c.directions, c.bias, c.start, {}};
    const auto result = alone.run(cell, recurrent, one);
    const Tensor row_output = slice(slice(batch[0], 0, row, row + 1), 1, 0, length);
    EXPECT_LE(relative_difference(result[0], row_output), 1e-12) << row;
    for (std::size_t i = 1; i < result.size(); ++i) {
      EXPECT_LE(relative_difference(result[i], slice(batch[i], 1, row, row + 1)), 1e-12) << row;
    }
  }
}

TEST_P(Recurrent, SameBitsForAnyNumberOfThreads) {
  const RnnCell cell = GetParam();
  Case c{83, 29, 31, 37, 2, true, true, {}};
  for (Index i = 0; i < c.batch; ++i) c.lengths.push_back(i * 13 % 30);
  const int before = num_threads();
  for (const DType dtype : {DType::f32, DType::f64}) {
    set_num_threads(1);
    const auto expected = c.all(cell, recurrent, c.leaves(cell, dtype));
    for (const int threads : {2, 3, 4}) {
      set_num_threads(threads);
      const auto got = c.all(cell, recurrent, c.leaves(cell, dtype));
      for (std::size_t k = 0; k < got.size(); ++k) {
        EXPECT_TRUE(same_bits(got[k], expected[k]))
            << "result " << k << ", " << threads << " threads";
      }
    }
  }
  set_num_threads(before);
}

TEST_P(Recurrent, TakesStridedInputs) {
  const RnnCell cell = GetParam();
  const Case& c = kCases[1];
  const std::vector<Tensor> from = c.leaves(cell);
  std::vector<Tensor> strided;
  for (const Tensor& tensor : from) {
    const Index last = tensor.rank() - 1;
    strided.push_back(last == 0 ? slice(stack({tensor, tensor}, 1), 1, 0, 1)
                                : transpose(contiguous(transpose(tensor, 0, last)), 0, last));
    if (last == 0) strided.back() = squeeze(strided.back(), 1);
  }
  const auto expected = c.run(cell, recurrent, from);
  const auto got = c.run(cell, recurrent, strided);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(same_bits(got[i], expected[i])) << i;
}

TEST_P(Recurrent, OnlyWhatIsAskedForGetsAGradient) {
  const RnnCell cell = GetParam();
  const Case& c = kCases[1];
  std::vector<Tensor> from = c.leaves(cell);
  from[0].set_requires_grad();
  const auto result = c.run(cell, recurrent, from);
  sum(result[0]).backward();
  EXPECT_TRUE(from[0].grad().defined());
  for (std::size_t i = 1; i < from.size(); ++i) EXPECT_FALSE(from[i].grad().defined()) << i;
  const NoGrad guard;
  EXPECT_FALSE(c.run(cell, recurrent, from)[0].requires_grad());
}

TEST_P(Recurrent, AChangedWeightIsNoticed) {
  const RnnCell cell = GetParam();
  const Case& c = kCases[0];
  std::vector<Tensor> from = c.leaves(cell);
  from[0].set_requires_grad();
  const Tensor loss = sum(c.run(cell, recurrent, from)[0]);
  from[2].copy_from(zeros(from[2].shape(), DType::f64));
  EXPECT_THROW(loss.backward(), GradError);
}

}  // namespace
}  // namespace heed
