#include "../../../../attention/mechanisms/decoders/luong_decoder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../attention/scores/general.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../../borrowed.h"
#include "../decoders.h"

namespace heed::attention {
namespace {

using Kind = LuongAttention;

constexpr Index kB = 2, kT = 4, kK = 7, kE = 3, kDk = 5, kH = 6, kOut = 2, kD = 2;
const std::vector<Index> kLengths = {kK, 5};

struct Case {
  Kind attention;
  bool feeding;
};

class LuongDecoders : public SeededTestWithParam<3, Case> {
 protected:
  General score{kH, kDk, DType::f64};
  LuongDecoder made{{.word_width = kE,
                     .source_width = kDk,
                     .state_width = kH,
                     .layers = 2,
                     .out = kOut,
                     .input_feeding = GetParam().feeding,
                     .attention = GetParam().attention,
                     .score = borrowed(score),
                     .half_width = kD,
                     .dtype = DType::f64}};
  Tensor words = randn({kB, kT, kE}, DType::f64), source = randn({kB, kK, kDk}, DType::f64);
  std::vector<LstmState> begin() const {
    std::vector<LstmState> out;
    for (int i = 0; i < 2; ++i) {
      out.push_back({full({kB, kH}, 0.1 * i, DType::f64), full({kB, kH}, -0.2, DType::f64)});
    }
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(All, LuongDecoders,
                         testing::Values(Case{Kind::global, false}, Case{Kind::global, true},
                                         Case{Kind::local_m, false}, Case{Kind::local_m, true},
                                         Case{Kind::local_p, false}, Case{Kind::local_p, true}));

TEST_P(LuongDecoders, AreTheDefinition) {
  auto state = made.start(source, kLengths, begin());
  const StackOutput all = made.run(words, state, {.need_weights = true});
  const Block y(words), hbar(source), w(score.weight);
  Numbers outs, weights;
  for (Index b = 0; b < kB; ++b) {
    const Index S = kLengths[static_cast<std::size_t>(b)];
    plain::Lstm low{Numbers(kH, 0.0), Numbers(kH, -0.2)};
    plain::Lstm high{Numbers(kH, 0.1), Numbers(kH, -0.2)};
    Numbers fed(kOut, 0.0);
    for (Index t = 0; t < kT; ++t) {
      Numbers x = y.row({b, t});
      if (GetParam().feeding) x = plain::join({x, fed});
      low = plain::lstm(made, "layers.0", x, low);
      high = plain::lstm(made, "layers.1", low.h, high);
      double p = static_cast<double>(t);
      if (GetParam().attention == Kind::local_p) {
        p = static_cast<double>(S) *
            plain::sigmoid(
                plain::dot(plain::parameter(made, "local.position_vector").values(),
                           plain::tanh(plain::affine(made, "local.position_projection", high.h))));
      }
      Numbers e(kK, 0.0), a(kK, 0.0);
      double total = 0;
      for (Index s = 0; s < S; ++s) {
        const bool near = std::abs(static_cast<double>(s) - std::floor(p)) <= kD;
        if (GetParam().attention != Kind::global && !near) continue;
        double product = 0;
        for (Index i = 0; i < kH; ++i) {
          for (Index j = 0; j < kDk; ++j) {
            product += high.h[static_cast<std::size_t>(i)] * w(i, j) * hbar(b, s, j);
          }
        }
        e[static_cast<std::size_t>(s)] = std::exp(product);
        total += std::exp(product);
      }
      for (Index s = 0; s < S; ++s) {
        const auto at = static_cast<std::size_t>(s);
        a[at] = e[at] / total;
        if (GetParam().attention == Kind::local_p) {
          const double apart = static_cast<double>(s) - p;
          a[at] *= std::exp(-apart * apart / (2.0 * (kD / 2.0) * (kD / 2.0)));
        }
      }
      const Numbers c = plain::weighed(a, hbar, b);
      fed = plain::tanh(plain::affine(made, "combine", plain::join({c, high.h})));
      outs.insert(outs.end(), fed.begin(), fed.end());
      weights.insert(weights.end(), a.begin(), a.end());
    }
  }
  EXPECT_LT(difference(all.output, outs), 1e-10);
  EXPECT_LT(difference(all.weights.front(), weights), 1e-10);
}

TEST_P(LuongDecoders, StepByStepEqualAllAtOnceAndBeamsCarryOn) {
  auto state = made.start(source, kLengths, begin());
  const StackOutput all = made.run(words, state, {.need_weights = true});
  expect_steps(made, made.start(source, kLengths, begin()), words, all, 2, {1, 0, 1});
  // In two parts.
  auto parts = made.start(source, kLengths, begin());
  made.run(narrow(words, 1, 0, 3), parts);
  EXPECT_LT(difference(made.run(narrow(words, 1, 3, 1), parts).output, narrow(all.output, 1, 3, 1)),
            1e-12);
}

TEST_P(LuongDecoders, TargetsMayEndBeforeOthers) {
  expect_ends(made, words, {kT, 3}, [&](const Tensor& there) {
    return std::vector{made(there, source, kLengths, {}, {kT, 3}).output};
  });
  const Tensor out = made(words, source, kLengths, {}, {kT, 3}).output;
  EXPECT_EQ(sum(abs(select(select(out, 0, 1), 0, 3))).item(), 0);
}

TEST_P(LuongDecoders, ASourceWithoutPlacesIsNotLookedAt) {
  source.set_requires_grad();
  const StackOutput out = made(words, source, {kK, 0}, {.need_weights = true});
  expect_unseen(out.output, out.weights, source);
}

TEST(LuongDecoder, MayPredictFromTheContextAlone) {
  manual_seed(13);
  const LuongDecoder made({.word_width = kE,
                           .source_width = kH,
                           .state_width = kH,
                           .out = kOut,
                           .context_alone = true,
                           .dtype = DType::f64});
  const Tensor words = randn({kB, kT, kE}, DType::f64), source = randn({kB, kK, kH}, DType::f64);
  EXPECT_EQ(made.combine.weight.shape(), (Shape{kOut, kH}));
  const StackOutput all = made(words, source, {}, {.need_weights = true});
  const Tensor contexts = matmul(all.weights.front(), source);
  EXPECT_LT(difference(all.output, Block(tanh(made.combine(contexts))).values()), 1e-12);
  expect_steps(made, made.start(source), words, all, 1, {1, 0});
}

// Of all steps at once and of one after the other, each with a row of its own.
TEST(LuongDecoder, ABiasOfARunHasARowForEachStep) {
  manual_seed(7);
  for (const bool feeding : {false, true}) {
    const LuongDecoder made({.word_width = kE,
                             .source_width = kH,
                             .state_width = kH,
                             .input_feeding = feeding,
                             .dtype = DType::f64});
    const Tensor words = randn({kB, kT, kE}, DType::f64), source = randn({kB, kK, kH}, DType::f64);
    const Tensor each = randn({kB, kT, kK}, DType::f64), of_all = randn({kT, kK}, DType::f64);
    for (const Tensor& bias : {each, of_all, narrow(each, 1, 0, 1)}) {
      auto state = made.start(source);
      const Tensor whole = made(words, source, {}, {.bias = bias}).output;
      for (Index t = 0; t < kT; ++t) {
        const Tensor row = bias.size(-2) == 1 ? bias : narrow(bias, -2, t, 1);
        const Tensor now = made.step(select(words, 1, t), state, {.bias = row}).output;
        EXPECT_LT(difference(now, select(whole, 1, t)), 1e-12) << t;
      }
    }
  }
}

TEST(LuongDecoder, LocalAttentionRefusesTermsOfAllPlaces) {
  const LuongDecoder made({.word_width = kE,
                           .source_width = kH,
                           .state_width = kH,
                           .attention = LuongAttention::local_m});
  const Tensor words = randn({2, 3, kE}), source = randn({2, 5, kH});
  EXPECT_ERROR_WITH(ValueError, "local: takes no mask",
                    made(words, source, {}, {.mask = Mask::lengths({5, 2}, 5)}));
}

TEST(LuongDecoder, RefusesWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "luong_decoder: word_width 1, source_width 2",
                    LuongDecoder made({.word_width = 1, .source_width = 2, .state_width = 0}));
  LocationAware aware({.query_width = 2, .key_width = 2, .hidden = 2, .kernel = 3});
  EXPECT_ERROR_WITH(
      ValueError, "luong_decoder: takes no score that looks back",
      LuongDecoder made(
          {.word_width = 1, .source_width = 2, .state_width = 2, .score = borrowed(aware)}));
  const LuongDecoder made({.word_width = kE, .source_width = kH, .state_width = kH});
  const Tensor source = zeros({kB, kK, kH});
  EXPECT_ERROR_WITH(ShapeError, "luong_decoder: source must be [.., n, 6]",
                    made.start(zeros({kB, kK, 4})));
  EXPECT_ERROR_WITH(ShapeError, "2 first states for 1 layers", made.start(source, {}, {{}, {}}));
  EXPECT_ERROR_WITH(ShapeError, "a first state must be [2, 6], not f32[2, 2]",
                    made.start(source, {}, {{zeros({kB, 2}), Tensor()}}));
  auto state = made.start(source);
  EXPECT_ERROR_WITH(ShapeError, "a step's word must be [2, 3], not f32[3, 3]",
                    made.step(zeros({3, kE}), state));
}

}  // namespace
}  // namespace heed::attention
