#include "../../core/precision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../../autograd/autograd.h"
#include "../../core/kernels/gemm/gemm_simd.h"
#include "../../core/parallel.h"
#include "../../core/simd.h"

namespace heed {
namespace {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

// An operator whose products are large enough for panels, and how far its results and gradients may
// be from those of doubles, as a part of their norm: a number is rounded by 2^-8 of itself at most,
// 0.0017 in the root mean square, the factors of a product together by 0.0024; what comes one after
// the other adds up.
struct Row {
  const char* name;
  std::vector<Shape> inputs;
  Function function;
  double bound;
  std::size_t rounded = 0;  ///< of what is found, something that is rounded: 0, the result
  double gradients = bound;
};

// Of scores with a deviation of two a weight's is 0.0048, which its gradient has beside that of
// three products' factors: 0.006 where a few weights are nearly all.
constexpr double kScores = 9e-3;

// Of one direction, without biases.
std::vector<RnnWeights> weights_of(const std::vector<Tensor>& x) {
  return {RnnWeights{x[1], x[2], Tensor(), Tensor()}};
}

std::vector<Row> rows() {
  return {
      {"linear",
       {{67, 129}, {131, 129}, {131}},
       [](const auto& x) { return linear(x[0], x[1], x[2]); },
       3e-3},
      {"linear of a batch",
       {{3, 37, 65}, {401, 65}},
       [](const auto& x) { return linear(x[0], x[1]); },
       3e-3},
      {"matmul", {{127, 131}, {131, 137}}, [](const auto& x) { return matmul(x[0], x[1]); }, 3e-3},
      {"matmul of a batch",
       {{2, 263, 257}, {2, 257, 269}},
       [](const auto& x) { return matmul(x[0], x[1]); },
       3e-3},
      {"attention",
       {{2, 67, 37}, {2, 71, 37}, {2, 71, 41}},
       [](const auto& x) { return dot_attention(x[0], x[1], x[2], {.scale = 2, .right = 0}); },
       4.5e-3,
       0,
       kScores},
      {"attention with a bias, some of it hidden",
       {{3, 101, 64}, {257, 64}, {257, 65}, {101, 257}},
       [](const auto& x) {
         return dot_attention(
             x[0], x[1], x[2],
             {.scale = 2, .lengths = Tensor(Array::from<Index>({211, 257, 3})), .bias = x[3]});
       },
       4.5e-3,
       0,
       kScores},
      {"two products",
       {{67, 129}, {131, 129}, {131, 127}},
       [](const auto& x) { return matmul(tanh(linear(x[0], x[1])), x[2]); },
       4.5e-3},
      {"einsum",
       {{127, 131}, {131, 137}},
       [](const auto& x) { return einsum("ij,jk->ki", x[0], x[1]); },
       3e-3},
      {"einsum of a batch",
       {{2, 263, 257}, {2, 269, 257}},
       [](const auto& x) { return einsum("bik,bjk->bij", x[0], x[1]); },
       3e-3},
      {"inner", {{67, 129}, {131, 129}}, [](const auto& x) { return inner(x[0], x[1]); }, 3e-3},
      {"bilinear",
       {{31, 37}, {31, 43}, {41, 37, 43}},
       [](const auto& x) { return bilinear(x[0], x[1], x[2]); },
       3e-3},
      {"cov", {{101, 131}}, [](const auto& x) { return cov(x[0]); }, 3e-3},
      {"multi_dot",
       {{127, 131}, {131, 137}, {137, 139}},
       [](const auto& x) {
         return multi_dot({x[0], x[1], x[2]});
       },
       4.5e-3},
      // The weights' gradients; all else is f32's.
      {"gru",
       {{53, 7, 47}, {129, 47}, {129, 43}},
       [](const auto& x) { return gru(x[0], {}, weights_of(x)).output; },
       3e-3,
       2},
      {"lstm",
       {{53, 7, 41}, {148, 41}, {148, 37}},
       [](const auto& x) { return lstm(x[0], {}, weights_of(x)).output; },
       3e-3,
       2},
      {"rnn",
       {{53, 7, 83}, {79, 83}, {79, 79}},
       [](const auto& x) { return rnn(x[0], {}, weights_of(x)).output; },
       3e-3,
       2},
  };
}

// Results, gradients of a pass by itself and of one that is recorded, and gradients of the sum of
// squares of the latter.
std::vector<Tensor> found(const Row& row, DType dtype, Precision precision) {
  Generator generator(17);
  std::vector<Tensor> inputs;
  for (const Shape& shape : row.inputs) {
    const double scale = 1 / std::sqrt(static_cast<double>(shape[shape.rank() - 1]));
    inputs.push_back(Tensor(generator.normal(shape, 0, 1, DType::f64).to(dtype)) *
                     (inputs.empty() ? 1.0 : scale));
  }
  for (Tensor& input : inputs) input = input.detach().requires_grad_();
  std::vector<Tensor> out;
  Tensor result;
  {
    const PrecisionScope scope(precision);
    result = row.function(inputs);
  }
  const Tensor g(generator.normal(result.shape(), 0, 1, DType::f64).to(dtype));
  out.push_back(result);
  const std::vector<Tensor> alone =
      grad(std::vector<Tensor>{result}, inputs, {g}, {.retain_graph = true});
  out.insert(out.end(), alone.begin(), alone.end());
  const std::vector<Tensor> gradients =
      grad(std::vector<Tensor>{result}, inputs, {g}, {.create_graph = true});
  Tensor squares = tensor(0.0, dtype);
  for (const Tensor& gradient : gradients) squares = squares + sum(square(gradient));
  out.insert(out.end(), gradients.begin(), gradients.end());
  for (const Tensor& second : grad(std::vector<Tensor>{squares}, inputs)) {
    if (second.defined()) out.push_back(second);
  }
  return out;
}

double norm(const Array& x) { return std::sqrt(sum(square(Tensor(x.to(DType::f64)))).item()); }
double distance(const Tensor& x, const Tensor& y) {
  const Array difference = (Tensor(x.array().to(DType::f64)) - y.detach()).array();
  return norm(difference) / norm(y.array());
}

bool has_panels() { return kernels::simd::gemm<float>().panels.rows > 0; }

TEST(Precision, ResultsAndGradientsOfBothOrdersStayWithinTheirBounds) {
  for (const Row& row : rows()) {
    const auto exact = found(row, DType::f64, Precision::f32);
    const auto single = found(row, DType::f32, Precision::f32);
    const auto rounded = found(row, DType::f32, Precision::bf16);
    ASSERT_EQ(rounded.size(), exact.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      SCOPED_TRACE(std::string(row.name) + " " + std::to_string(i));
      EXPECT_EQ(rounded[i].dtype(), DType::f32);
      EXPECT_LT(distance(single[i], exact[i]), 1e-5);
      const bool second = i > 2 * row.inputs.size();
      const double bound = i == 0 ? row.bound : second ? 4 * row.bound : row.gradients;
      EXPECT_LT(distance(rounded[i], exact[i]), bound);
    }
    if (has_panels() && (has_bf16_dot() || !std::string(row.name).starts_with("attention"))) {
      EXPECT_GT(distance(rounded[row.rounded], exact[row.rounded]), 1e-4) << row.name;
    }
  }
}

std::vector<float> bits(const Tensor& x) { return x.array().to_vector<float>(); }

TEST(Precision, DerivativesHaveThatOfWhatTheyBelongTo) {
  Generator generator(3);
  const Tensor x(generator.normal({67, 129}, 0, 1, DType::f32));
  const Array numbers = generator.normal({131, 129}, 0, 1, DType::f32);
  const auto weight_gradient = [&](Precision forward, Precision backward) {
    const Tensor w = Tensor(numbers.clone()).requires_grad_();
    Tensor result;
    {
      const PrecisionScope scope(forward);
      result = sum(square(linear(x, w)));
    }
    const PrecisionScope scope(backward);
    result.backward();
    return bits(w.grad());
  };
  const auto single = weight_gradient(Precision::f32, Precision::f32);
  const auto rounded = weight_gradient(Precision::bf16, Precision::bf16);
  EXPECT_EQ(weight_gradient(Precision::f32, Precision::bf16), single);
  EXPECT_EQ(weight_gradient(Precision::bf16, Precision::f32), rounded);
  EXPECT_EQ(single != rounded, has_panels());
}

TEST(Precision, ACheckpointHasThatOfItsFirstRun) {
  Generator generator(5);
  Tensor x = Tensor(generator.normal({67, 129}, 0, 1, DType::f32)).requires_grad_();
  const Tensor w = Tensor(generator.normal({131, 129}, 0, 1, DType::f32)).requires_grad_();
  const auto run = [&](bool again) {
    x.zero_grad();
    const auto function = [](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{square(linear(in[0], in[1]))};
    };
    Tensor result;
    {
      const PrecisionScope scope(Precision::bf16);
      result = (again ? checkpoint(function, {x, w}) : function({x, w}))[0];
    }
    sum(result).backward();
    return bits(x.grad());
  };
  EXPECT_EQ(run(true), run(false));
}

// The weights are computed again, with the scores of the call, wherever that is asked for.
TEST(Precision, WeightsOfACallAddUpToOneOutsideOfItsScope) {
  Generator generator(19);
  const Tensor q(generator.normal({2, 67, 64}, 0, 3, DType::f32));
  const Tensor k(generator.normal({2, 71, 64}, 0, 1, DType::f32));
  const auto called = [&] {
    const PrecisionScope scope(Precision::bf16);
    AttentionCall call{q, k, {}, {}, {}};
    dot_attention(q, k, k, {}, &call.log_sums);
    return call;
  };
  const AttentionCall call = called();
  EXPECT_EQ(call.precision, Precision::bf16);
  const Tensor few(Array::from<Index>({0, 31, 66}));
  const Tensor some = attention_weights(call, few);
  const Tensor all = attention_weights(call, arange(67));
  EXPECT_LT(amax(abs(sum(all, {-1}) - 1)).item(), 1e-5);
  // A few rows take a way of their own in f32; scores of bf16 would be some tenths away.
  EXPECT_LT(amax(abs(some - index_select(all, 1, few))).item(), 1e-4);
  EXPECT_NEAR(sum(attention_received(call)).item(), 134, 1e-3);
}

TEST(Precision, TheSameBitsForAnyNumberOfThreads) {
  const int threads = num_threads();
  for (const Row& row : rows()) {
    std::vector<std::vector<float>> one;
    for (const int count : {1, 2, 3, 4}) {
      set_num_threads(count);
      std::vector<std::vector<float>> found_bits;
      for (const Tensor& each : found(row, DType::f32, Precision::bf16)) {
        found_bits.push_back(bits(each));
      }
      if (count == 1) one = found_bits;
      EXPECT_TRUE(found_bits == one) << row.name << ", " << count << " threads";
    }
  }
  set_num_threads(threads);
}

TEST(Precision, ScopesNestAndEnd) {
  EXPECT_EQ(precision(), Precision::f32);
  try {
    const PrecisionScope outer(Precision::bf16);
    {
      const PrecisionScope inner(Precision::f32);
      EXPECT_EQ(precision(), Precision::f32);
    }
    EXPECT_STREQ(name(precision()), "bf16");
    throw 1;
  } catch (int) {
    EXPECT_STREQ(name(precision()), "f32");
  }
}

TEST(Precision, DoublesStayAsTheyAre) {
  const Row row = rows()[0];
  const auto plain = found(row, DType::f64, Precision::f32);
  const auto scoped = found(row, DType::f64, Precision::bf16);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i].array().to_vector<double>(), scoped[i].array().to_vector<double>());
  }
}

}  // namespace
}  // namespace heed
