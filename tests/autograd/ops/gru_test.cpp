#include "../../../autograd/ops/gru.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../../../autograd/backward.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/gradcheck.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/ops/reduce.h"
#include "../../../autograd/ops/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../core/parallel.h"

namespace heed {
namespace {

// x, h0 or nothing, then each direction's weights; what gru() takes, as one list of leaves.
struct Case {
  Index batch, steps, inputs, hidden;
  std::size_t directions;
  bool bias = true, start = true;
  std::vector<Index> lengths;

  std::vector<Tensor> leaves(DType dtype = DType::f64, std::uint64_t seed = 3) const {
    Generator draw(seed);
    std::vector<Shape> shapes = {Shape{batch, steps, inputs}};
    if (start) shapes.push_back(Shape{static_cast<Index>(directions), batch, hidden});
    for (std::size_t d = 0; d < directions; ++d) {
      shapes.push_back(Shape{3 * hidden, inputs});
      shapes.push_back(Shape{3 * hidden, hidden});
      if (bias) shapes.insert(shapes.end(), 2, Shape{3 * hidden});
    }
    std::vector<Tensor> out;
    for (const Shape& shape : shapes) out.push_back(draw.uniform(shape, -0.9, 0.9, dtype));
    return out;
  }

  template <class Function>
  GruResult run(const Function& function, const std::vector<Tensor>& from) const {
    std::size_t next = 0;
    const Tensor x = from[next++];
    const Tensor h0 = start ? from[next++] : Tensor();
    std::vector<GruWeights> weights(directions);
    for (GruWeights& w : weights) {
      w.w_ih = from[next++];
      w.w_hh = from[next++];
      if (!bias) continue;
      w.b_ih = from[next++];
      w.b_hh = from[next++];
    }
    return function(x, h0, weights, lengths);
  }

  // Outputs, then the gradient of every leaf, given the same random cotangents.
  template <class Function>
  std::vector<Tensor> all(const Function& function, std::vector<Tensor> from,
                          bool create_graph = false) const {
    for (Tensor& leaf : from) leaf.set_requires_grad();
    const GruResult result = run(function, from);
    Generator draw(5);
    const Tensor g = draw.normal(result.output.shape(), 0, 1, result.output.dtype());
    const Tensor g_end = draw.normal(result.h_n.shape(), 0, 1, result.output.dtype());
    std::vector<Tensor> out = {result.output, result.h_n};
    // No step, no path: the definition's output is a constant then.
    const auto grads = steps == 0 ? grad({out[1]}, from, {g_end}, {.create_graph = create_graph})
                                  : grad(out, from, {g, g_end}, {.create_graph = create_graph});
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

double difference(const Tensor& a, const Tensor& b) {
  EXPECT_TRUE(a.shape() == b.shape()) << describe(a) << " against " << describe(b);
  const auto x = a.array().contiguous().to(DType::f64).to_vector<double>();
  const auto y = b.array().contiguous().to(DType::f64).to_vector<double>();
  double worst = 0;
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    // Not std::max, which would lose a NaN.
    if (!(std::abs(x[i] - y[i]) <= worst)) worst = std::abs(x[i] - y[i]);
  }
  return worst;
}

// An undefined gradient counts as zeros.
Tensor or_zeros(const Tensor& gradient, const Tensor& like) {
  return gradient.defined() ? gradient : zeros(like.shape(), like.dtype());
}

void expect_near(const std::vector<Tensor>& a, const std::vector<Tensor>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].defined() && !b[i].defined()) continue;
    const Tensor& like = a[i].defined() ? a[i] : b[i];
    EXPECT_LE(difference(or_zeros(a[i], like), or_zeros(b[i], like)), tolerance) << "result " << i;
  }
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Array x = a.array().contiguous();
  const Array y = b.array().contiguous();
  return x.numel() == y.numel() &&
         std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.numel()) * size_of(x.dtype())) ==
             0;
}

TEST(Gru, FollowsItsFormula) {
  // One number in, one state: the equations by hand.
  const auto w = [](std::vector<double> values) { return tensor(values, {3, 1}, DType::f64); };
  const auto b = [](std::vector<double> values) { return tensor(values, {3}, DType::f64); };
  const GruWeights weights{w({0.5, -0.3, 0.8}), w({0.2, 0.7, -0.6}), b({0.1, 0.2, 0.3}),
                           b({-0.4, 0.5, 0.6})};
  const double x = 1.7, h = -0.45;
  const auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
  const double r = sigmoid_of(0.5 * x + 0.1 + 0.2 * h - 0.4);
  const double z = sigmoid_of(-0.3 * x + 0.2 + 0.7 * h + 0.5);
  const double n = std::tanh(0.8 * x + 0.3 + r * (-0.6 * h + 0.6));
  const GruResult result =
      gru(tensor({x}, {1, 1, 1}, DType::f64), tensor({h}, {1, 1, 1}, DType::f64), {weights});
  EXPECT_NEAR(result.output.item(), (1 - z) * n + z * h, 1e-15);
  EXPECT_NEAR(result.h_n.item(), (1 - z) * n + z * h, 1e-15);
}

TEST(Gru, EqualsItsDefinition) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << "B " << c.batch << " T " << c.steps << " I " << c.inputs
                                    << " H " << c.hidden << " D " << c.directions);
    expect_near(c.all(gru, c.leaves()), c.all(gru_plain, c.leaves()), 1e-12);
    expect_near(c.all(gru, c.leaves(DType::f32)), c.all(gru_plain, c.leaves(DType::f32)), 5e-5);
  }
}

TEST(Gru, RecordedDerivativeEqualsTheFusedOne) {
  for (const Case& c : kCases) {
    expect_near(c.all(gru, c.leaves(), true), c.all(gru, c.leaves()), 1e-12);
  }
}

TEST(Gru, Gradcheck) {
  for (const std::size_t i : {0u, 1u, 2u, 5u, 6u}) {
    const Case& c = kCases[i];
    const TensorFunction function = [&](const std::vector<Tensor>& from) {
      const GruResult result = c.run(gru, from);
      return std::vector<Tensor>{result.output, result.h_n};
    };
    GradcheckOptions options;
    options.max_elements = 40;
    const GradcheckReport first = gradcheck(function, c.leaves(), options);
    EXPECT_TRUE(first) << "case " << i << "\n" << first.text();
    options.max_elements = 12;
    const GradcheckReport second = gradgradcheck(function, c.leaves(), options);
    EXPECT_TRUE(second) << "case " << i << "\n" << second.text();
  }
}

TEST(Gru, OneOutputAloneIsDifferentiated) {
  const Case& c = kCases[1];
  for (const int output : {0, 1}) {
    std::vector<std::vector<Tensor>> grads;
    for (const bool fused : {true, false}) {
      std::vector<Tensor> from = c.leaves();
      for (Tensor& leaf : from) leaf.set_requires_grad();
      const GruResult result = fused ? c.run(gru, from) : c.run(gru_plain, from);
      const Tensor& out = output == 0 ? result.output : result.h_n;
      grads.push_back(grad({sum(out * out)}, from));
    }
    expect_near(grads[0], grads[1], 1e-12);
  }
}

TEST(Gru, OneTensorInSeveralPlacesSumsItsGradients) {
  // Tied weights of both directions, in the fused and in the recorded derivative.
  const Case c{3, 4, 2, 5, 2, false, false, {4, 2, 3}};
  std::vector<Tensor> from = c.leaves();
  const TensorFunction tied = [&](const std::vector<Tensor>& x) {
    const GruResult result = c.run(gru, {x[0], x[1], x[2], x[1], x[2]});
    return std::vector<Tensor>{result.output, result.h_n};
  };
  from.resize(3);
  GradcheckOptions options;
  options.max_elements = 20;
  const GradcheckReport first = gradcheck(tied, from, options);
  EXPECT_TRUE(first) << first.text();
  const GradcheckReport second = gradgradcheck(tied, from, options);
  EXPECT_TRUE(second) << second.text();
}

TEST(Gru, PaddingIsNeverRead) {
  for (const std::size_t i : {1u, 3u, 7u}) {
    const Case& c = kCases[i];
    for (const bool create_graph : {false, true}) {
      const std::vector<Tensor> clean = c.leaves();
      std::vector<Tensor> dirty = c.leaves();
      Array x = dirty[0].array();
      for (Index row = 0; row < c.batch; ++row) {
        const Index length = c.lengths[static_cast<std::size_t>(row)];
        for (Index at = length * c.inputs; at < c.steps * c.inputs; ++at) {
          x.mutable_data<double>()[row * c.steps * c.inputs + at] =
              std::numeric_limits<double>::quiet_NaN();
        }
      }
      const auto expected = c.all(gru, clean, create_graph);
      const auto got = c.all(gru, dirty, create_graph);
      for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(same_bits(got[k], expected[k])) << k;
      const auto plain = c.all(gru_plain, dirty, create_graph);
      expect_near(plain, expected, 1e-12);
    }
  }
}

TEST(Gru, PaddingGivesZeros) {
  const Case& c = kCases[1];
  std::vector<Tensor> all = c.all(gru, c.leaves());
  for (Index row = 0; row < c.batch; ++row) {
    const Index length = c.lengths[static_cast<std::size_t>(row)];
    for (const Tensor& tensor : {all[0], all[2]}) {  // the output, the gradient of x
      const Tensor rest = slice(select(tensor, 0, row), 0, length, c.steps);
      EXPECT_EQ(sum(abs(rest)).item(), 0);
    }
  }
  // A row of length 0 ends where it began, and hands its gradient on.
  EXPECT_EQ(difference(select(all[1], 1, 2), select(c.leaves()[1], 1, 2)), 0);
}

TEST(Gru, ARowAloneEqualsTheRowInItsBatch) {
  const Case& c = kCases[3];
  const std::vector<Tensor> from = c.leaves();
  const GruResult batch = c.run(gru, from);
  for (Index row = 0; row < c.batch; ++row) {
    const Index length = c.lengths[static_cast<std::size_t>(row)];
    std::vector<Tensor> one = from;
    one[0] = contiguous(slice(slice(from[0], 0, row, row + 1), 1, 0, length));
    const Case alone{1, length, c.inputs, c.hidden, c.directions, c.bias, c.start, {}};
    const GruResult result = alone.run(gru, one);
    const Tensor row_output = slice(slice(batch.output, 0, row, row + 1), 1, 0, length);
    EXPECT_LE(difference(result.output, row_output), 1e-12) << row;
    EXPECT_LE(difference(result.h_n, slice(batch.h_n, 1, row, row + 1)), 1e-12) << row;
  }
}

TEST(Gru, SameBitsForAnyNumberOfThreads) {
  Case c{83, 29, 31, 37, 2, true, true, {}};
  for (Index i = 0; i < c.batch; ++i) c.lengths.push_back(i * 13 % 30);
  const int before = num_threads();
  for (const DType dtype : {DType::f32, DType::f64}) {
    set_num_threads(1);
    const auto expected = c.all(gru, c.leaves(dtype));
    for (const int threads : {2, 3, 4}) {
      set_num_threads(threads);
      const auto got = c.all(gru, c.leaves(dtype));
      for (std::size_t k = 0; k < got.size(); ++k) {
        EXPECT_TRUE(same_bits(got[k], expected[k]))
            << "result " << k << ", " << threads << " threads";
      }
    }
  }
  set_num_threads(before);
}

TEST(Gru, TakesStridedInputs) {
  const Case& c = kCases[1];
  const std::vector<Tensor> from = c.leaves();
  std::vector<Tensor> strided;
  for (const Tensor& tensor : from) {
    const Index last = tensor.rank() - 1;
    strided.push_back(last == 0 ? slice(stack({tensor, tensor}, 1), 1, 0, 1)
                                : transpose(contiguous(transpose(tensor, 0, last)), 0, last));
    if (last == 0) strided.back() = squeeze(strided.back(), 1);
  }
  const GruResult expected = c.run(gru, from);
  const GruResult got = c.run(gru, strided);
  EXPECT_TRUE(same_bits(got.output, expected.output));
  EXPECT_TRUE(same_bits(got.h_n, expected.h_n));
}

TEST(Gru, OnlyWhatIsAskedForGetsAGradient) {
  const Case& c = kCases[1];
  std::vector<Tensor> from = c.leaves();
  from[0].set_requires_grad();
  const GruResult result = c.run(gru, from);
  sum(result.output).backward();
  EXPECT_TRUE(from[0].grad().defined());
  for (std::size_t i = 1; i < from.size(); ++i) EXPECT_FALSE(from[i].grad().defined()) << i;
  const NoGrad guard;
  EXPECT_FALSE(c.run(gru, from).output.requires_grad());
}

TEST(Gru, AChangedWeightIsNoticed) {
  const Case& c = kCases[0];
  std::vector<Tensor> from = c.leaves();
  from[0].set_requires_grad();
  const Tensor loss = sum(c.run(gru, from).output);
  from[2].copy_from(zeros(from[2].shape(), DType::f64));
  EXPECT_THROW(loss.backward(), GradError);
}

template <class Wrong>
std::string message(const std::function<void()>& body) {
  try {
    body();
  } catch (const Wrong& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Gru, SaysWhatIsWrong) {
  const Tensor x = randn({2, 5, 3});
  const GruWeights w{randn({21, 3}), randn({21, 7}), randn({21}), randn({21})};
  const auto shape = [](const Tensor& in, const Tensor& h0, const std::vector<GruWeights>& ws,
                        const std::vector<Index>& lengths) {
    const auto plain = message<ShapeError>([&] { gru_plain(in, h0, ws, lengths); });
    const auto fused = message<ShapeError>([&] { gru(in, h0, ws, lengths); });
    EXPECT_EQ(plain, fused);
    return fused;
  };
  EXPECT_EQ(shape({}, {}, {w}, {}), "gru: x must be [B, T, I], not undefined");
  EXPECT_EQ(shape(randn({2, 5}), {}, {w}, {}), "gru: x must be [B, T, I], not f32[2, 5]");
  EXPECT_EQ(shape(x, {}, {{w.w_ih, {}, {}, {}}}, {}),
            "gru: w_hh must be [3 H, H] with H > 0, not undefined");
  EXPECT_EQ(shape(x, {}, {{w.w_ih, randn({20, 7}), {}, {}}}, {}),
            "gru: w_hh must be [3 H, H] with H > 0, not f32[20, 7]");
  EXPECT_EQ(shape(x, {}, {{w.w_ih, randn({0, 0}), {}, {}}}, {}),
            "gru: w_hh must be [3 H, H] with H > 0, not f32[0, 0]");
  EXPECT_EQ(shape(x, {}, {{randn({21, 5}), w.w_hh, {}, {}}}, {}),
            "gru: w_ih must be [21, 3] for x f32[2, 5, 3], not f32[21, 5]");
  EXPECT_EQ(shape(x, {}, {w, {w.w_ih, randn({33, 11}), {}, {}}}, {}),
            "gru: w_hh must be [21, 7] for x f32[2, 5, 3], not f32[33, 11]");
  EXPECT_EQ(shape(x, {}, {{w.w_ih, w.w_hh, randn({7}), {}}}, {}),
            "gru: b_ih must be [21] for x f32[2, 5, 3], not f32[7]");
  EXPECT_EQ(shape(x, {}, {{w.w_ih, w.w_hh, {}, randn({7})}}, {}),
            "gru: b_hh must be [21] for x f32[2, 5, 3], not f32[7]");
  EXPECT_EQ(shape(x, randn({2, 7}), {w}, {}),
            "gru: h0 must be [1, 2, 7] for x f32[2, 5, 3], not f32[2, 7]");
  EXPECT_EQ(shape(x, {}, {w}, {1, 2, 3}), "gru: 3 lengths for x f32[2, 5, 3]");
  EXPECT_EQ(message<ValueError>([&] { gru(x, {}, {}); }), "gru: directions must be 1 or 2, not 0");
  EXPECT_EQ(message<ValueError>([&] {
              gru(x, {}, {w, w, w});
            }),
            "gru: directions must be 1 or 2, not 3");
  EXPECT_EQ(message<ValueError>([&] {
              gru(x, {}, {w}, {5, 6});
            }),
            "gru: length 6 at 1 is not in [0, 5]");
  EXPECT_EQ(message<ValueError>([&] {
              gru(x, {}, {w}, {-1, 5});
            }),
            "gru: length -1 at 0 is not in [0, 5]");
  EXPECT_EQ(message<DTypeError>([&] {
              gru(randn({2, 5, 3}, DType::f64), {}, {w});
            }),
            "gru: w_ih is f32[21, 3] for x f64[2, 5, 3]");
  EXPECT_THAT(message<DTypeError>([&] {
                gru(zeros({2, 5, 3}, DType::i64), {}, {w});
              }),
              testing::HasSubstr("i64"));
}

}  // namespace
}  // namespace heed
