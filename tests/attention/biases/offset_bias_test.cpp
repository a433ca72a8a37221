#include "../../../attention/biases/offset_bias.h"
#include "../../../attention/biases/alibi.h"
#include "../../../attention/biases/gaussian_bias.h"
#include "../../../attention/biases/t5_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../attention/attend.h"
#include "../../../attention/positions/relative.h"
#include "../../../attention/scores/additive.h"
#include "../../../autograd/backward.h"
#include "../../../autograd/gradcheck.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../support/throws.h"
#include "../numbers.h"

namespace heed::attention {
namespace {

const ScaledDot plain_score;

using testing::ElementsAre;

constexpr Index kQ = 3, kK = 7;

double at(const Tensor& x, Index h, Index i, Index j) {
  return select(select(select(x, 0, h), 0, i), 0, j).item();
}

TEST(Bias, AlibiSlopesAreThePapers) {
  const auto slopes = [](Index heads) { return numbers(Alibi(heads, DType::f64).slopes); };
  EXPECT_THAT(slopes(8),
              ElementsAre(1 / 2., 1 / 4., 1 / 8., 1 / 16., 1 / 32., 1 / 64., 1 / 128., 1 / 256.));
  EXPECT_THAT(slopes(1), ElementsAre(1 / 256.));
  // Between two powers of two: those of 4, then the first, third, ... of 8.
  EXPECT_THAT(slopes(6), ElementsAre(1 / 4., 1 / 16., 1 / 64., 1 / 256., 1 / 2., 1 / 8.));
  EXPECT_THAT(slopes(3), ElementsAre(1 / 16., 1 / 256., 1 / 4.));
}

TEST(Bias, AlibiFallsWithDistance) {
  const Tensor bias = Alibi(2, DType::f64)(kQ, kK);
  ASSERT_EQ(bias.shape(), (Shape{2, kQ, kK}));
  for (Index h = 0; h < 2; ++h) {
    for (Index i = 0; i < kQ; ++i) {
      for (Index j = 0; j < kK; ++j) {
        const double slope = std::exp2(-4.0 * static_cast<double>(h + 1));
        EXPECT_EQ(at(bias, h, i, j), -slope * std::abs(static_cast<double>(j - (i + kK - kQ))));
      }
    }
  }
  const Alibi alibi(2);
  EXPECT_EQ(alibi.at(kQ, kK, 1).array().to_vector<float>(),
            narrow(alibi(kK, kK), 1, 1, kQ).array().to_vector<float>());
  EXPECT_TRUE(alibi.parameters().empty());
  EXPECT_EQ(Alibi(ones({2}).set_requires_grad()).parameters().size(), 1U);
}

TEST(Bias, OfNoQueriesAndOfNoKeysIsNone) {
  const Tensor some = randn({2, kK, 3}, DType::f64), none = zeros({2, 0, 3}, DType::f64);
  const auto offsets = [](Index count) { return randn({2, count}, DType::f64); };
  EXPECT_EQ(attend(none, some, some, {.offset_bias = offsets(kK - 1)}).context.shape(),
            (Shape{2, 0, 3}));
  const Tensor empty = attend(some, none, none, {.offset_bias = offsets(kK - 1)}).context;
  EXPECT_EQ(empty.shape(), (Shape{2, kK, 3}));
  for (const double x : numbers(empty)) EXPECT_EQ(x, 0);
  EXPECT_ERROR_WITH(ShapeError, "offset_bias must be [.., 6]",
                    attend(none, some, some, {.offset_bias = offsets(kK)}));
}

TEST(Bias, ZeroSlopesAndWideWindowsChangeNothing) {
  const Tensor x = randn({2, 5, kK, 3}, DType::f64);  // [B, H, K, D]
  const Tensor plain = attend(x, x, x).context;
  const Alibi flat(zeros({5}, DType::f64));
  EXPECT_EQ(numbers(attend(x, x, x, {.bias = flat(kK, kK)}).context), numbers(plain));
  EXPECT_EQ(numbers(attend(x, x, x, {.offset_bias = flat.offsets(kK, kK)}).context),
            numbers(plain));
  EXPECT_EQ(numbers(attend(x, x, x, {.mask = Mask::window(kK, kK)}).context), numbers(plain));
}

TEST(Bias, T5BucketsAreThePapers) {
  const T5Bias both({.heads = 1});
  const auto buckets = [](const T5Bias& bias, std::initializer_list<Index> distances) {
    std::vector<Index> out;
    for (const Index distance : distances) out.push_back(bias.bucket(distance));
    return out;
  };
  EXPECT_THAT(
      buckets(both, {0,   -1,  -7,  -8,  -11, -12, -15, -16,  -22,  -23,  -31,
                     -32, -45, -46, -63, -64, -90, -91, -127, -128, -5000}),
      ElementsAre(0, 1, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 15));
  EXPECT_THAT(buckets(both, {1, 7, 8, 127, 128, 5000}), ElementsAre(17, 23, 24, 31, 31, 31));
  const T5Bias causal({.heads = 1, .bidirectional = false});
  EXPECT_THAT(buckets(causal, {3, 0, -1, -15, -16, -18, -19, -127, -128}),
              ElementsAre(0, 0, 1, 15, 16, 16, 17, 31, 31));
}

TEST(Bias, T5LooksUpItsTable) {
  T5Bias bias({.heads = 2, .buckets = 6, .max_distance = 5, .dtype = DType::f64});
  EXPECT_EQ(sum(abs(bias.weight)).item(), 0);
  nn::normal_(bias.weight, 0, 1);
  const Tensor out = bias(kQ, kK);
  ASSERT_EQ(out.shape(), (Shape{2, kQ, kK}));
  for (Index h = 0; h < 2; ++h) {
    for (Index i = 0; i < kQ; ++i) {
      for (Index j = 0; j < kK; ++j) {
        const Index row = bias.bucket(j - (i + kK - kQ));
        EXPECT_EQ(at(out, h, i, j), select(select(bias.weight, 0, row), 0, h).item());
      }
    }
  }
}

// Diagonals are what the block says, forward and backward, in tiles and by the definition.
TEST(Bias, DiagonalsAreTheBlock) {
  constexpr Index kH = 2, kD = 5;
  T5Bias t5({.heads = kH, .buckets = 6, .max_distance = 5, .dtype = DType::f64});
  nn::normal_(t5.weight, 0, 1);
  const Alibi alibi(tensor({0.3, 0.7}, {kH}, DType::f64).set_requires_grad());
  const Additive additive(kD, kD, 3, false, DType::f64);
  for (const auto& [queries, keys] : std::vector<std::pair<Index, Index>>{
           {3, 7}, {7, 3}, {5, 5}, {1, 7}, {7, 1}, {1, 1}, {70, 300}}) {
    SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys");
    Tensor q = randn({3, kH, queries, kD}, DType::f64), k = randn({3, kH, keys, kD}, DType::f64);
    const Tensor g = randn(q.shape(), DType::f64);
    q.set_requires_grad();
    k.set_requires_grad();
    for (const OffsetBias* bias : std::initializer_list<const OffsetBias*>{&alibi, &t5}) {
      EXPECT_EQ(bias->offsets(queries, keys).shape(), (Shape{kH, queries + keys - 1}));
      for (const Score* score : std::initializer_list<const Score*>{&plain_score, &additive}) {
        for (const Mask& mask : {Mask(), Mask::causal(), Mask::block(4) & Mask::window(3, 2)}) {
          const auto run = [&](Terms options) {
            options.mask = mask;
            const Tensor context = attend(*score, q, k, k, options).context;
            std::vector<Tensor> out = grad({context}, {q, k, bias->parameters()[0]}, {g});
            out.push_back(context);
            return out;
          };
          const auto block = run({.bias = (*bias)(queries, keys)});
          const auto tiled = run({.offset_bias = bias->offsets(queries, keys)});
          const auto plain =
              run({.offset_bias = bias->offsets(queries, keys), .need_weights = true});
          for (std::size_t i = 0; i < block.size(); ++i) {
            EXPECT_THAT(numbers(tiled[i]), near(block[i], 1e-10));
            EXPECT_THAT(numbers(plain[i]), near(block[i], 1e-10));
          }
        }
      }
    }
  }
}

// Second order goes through the definition.
TEST(Bias, DiagonalsPassTheChecks) {
  const auto attend_to = [](const std::vector<Tensor>& x) {
    return attend(x[0], x[1], x[1], {.mask = Mask::causal(), .offset_bias = x[2]}).context;
  };
  const std::vector<Tensor> inputs = {randn({2, 3, 2}, DType::f64), randn({2, 5, 2}, DType::f64),
                                      randn({2, 7}, DType::f64)};
  const auto first = gradcheck(attend_to, inputs);
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(attend_to, inputs);
  EXPECT_TRUE(second) << second.text();
  const Tensor none =
      attend(randn({0, 2}), randn({3, 2}), randn({3, 2}), {.offset_bias = zeros({2})}).context;
  EXPECT_EQ(none.shape(), (Shape{0, 2}));
}

TEST(Bias, GaussianStandsAroundItsCentre) {
  const Tensor centres = tensor({0.5, 2, 6.25, -1, 3, 9}, {2, kQ}, DType::f64);
  const Tensor out = gaussian_bias(centres, kK, 1.5);
  ASSERT_EQ(out.shape(), (Shape{2, kQ, kK}));
  for (Index b = 0; b < 2; ++b) {
    for (Index i = 0; i < kQ; ++i) {
      for (Index j = 0; j < kK; ++j) {
        const double off = static_cast<double>(j) - select(select(centres, 0, b), 0, i).item();
        EXPECT_NEAR(at(out, b, i, j), -off * off / 4.5, 1e-12);
      }
    }
  }
}

// Shaw et al., eq. 3 and 4, with the [Q, K, d] blocks that the class does without.
TEST(Relative, IsThePapersFormula) {
  constexpr Index kD = 5, kDv = 2, kClip = 2;
  const RelativePositions relative(
      {.key_width = kD, .value_width = kDv, .clip = kClip, .dtype = DType::f64});
  nn::normal_(relative.keys, 0, 1);
  nn::normal_(relative.values, 0, 1);
  const Tensor q = randn({2, kQ, kD}, DType::f64), k = randn({2, kK, kD}, DType::f64);
  const Tensor v = randn({2, kK, kDv}, DType::f64);
  std::vector<Tensor> key_rows, value_rows;
  for (Index i = 0; i < kQ; ++i) {
    for (Index j = 0; j < kK; ++j) {
      const Index row = std::clamp(j - (i + kK - kQ), -kClip, kClip) + kClip;
      key_rows.push_back(select(relative.keys, 0, row));
      value_rows.push_back(select(relative.values, 0, row));
    }
  }
  const Tensor a_k = reshape(stack(key_rows), {1, kQ, kK, kD});
  const Tensor a_v = reshape(stack(value_rows), {1, kQ, kK, kDv});
  const Tensor e = sum(unsqueeze(q, 2) * (unsqueeze(k, 1) + a_k), {-1}) / std::sqrt(5.0);
  const Tensor weights = softmax(e, -1, Mask::window(2, 1).tensor(e.shape()));
  const Tensor context = sum(unsqueeze(weights, -1) * (unsqueeze(v, 1) + a_v), {2});
  const Attended out =
      attend(q, k, v, {.mask = Mask::window(2, 1), .relative = &relative, .need_weights = true});
  EXPECT_THAT(numbers(out.weights), near(weights));
  EXPECT_THAT(numbers(out.context), near(context));
}

TEST(Relative, ValuesAreOptional) {
  const RelativePositions relative({.key_width = 3, .clip = 1, .dtype = DType::f64});
  EXPECT_FALSE(relative.values.defined());
  const Tensor x = randn({2, kK, 3}, DType::f64);
  const Attended out = attend(x, x, x, {.relative = &relative, .need_weights = true});
  EXPECT_THAT(numbers(out.context), near(matmul(out.weights, x)));
}

TEST(Bias, RefusesWhatMakesNoSense) {
  EXPECT_ERROR_WITH(ValueError, "alibi: heads 0", Alibi alibi(0));
  EXPECT_ERROR_WITH(ShapeError, "alibi: slopes must be [H], not f32[2, 3]",
                    Alibi alibi(ones({2, 3})));
  EXPECT_ERROR_WITH(ShapeError, "-1 queries", Alibi(2)(-1, 3));
  EXPECT_ERROR_WITH(ValueError, "heads 0", T5Bias bias({.heads = 0}));
  EXPECT_ERROR_WITH(ValueError, "t5: 3 buckets", T5Bias bias({.heads = 1, .buckets = 3}));
  EXPECT_ERROR_WITH(ValueError, "distances up to 8",
                    T5Bias bias({.heads = 1, .buckets = 32, .max_distance = 8}));
  EXPECT_ERROR_WITH(ValueError, "gaussian_bias: sigma 0 must be positive",
                    gaussian_bias(zeros({3}), 5, 0));
  EXPECT_ERROR_WITH(ShapeError, "not a number", gaussian_bias(tensor(1.0), 5, 1));
  EXPECT_ERROR_WITH(ValueError, "key width 0 must be positive",
                    RelativePositions relative({.key_width = 0}));
  EXPECT_ERROR_WITH(ValueError, "clip -1",
                    RelativePositions relative({.key_width = 2, .clip = -1}));
  EXPECT_ERROR_WITH(ShapeError, "relative: query must be [.., Q, 2]",
                    RelativePositions({.key_width = 2}).scores(zeros({4, 3}), 5, 1));
}

}  // namespace
}  // namespace heed::attention
