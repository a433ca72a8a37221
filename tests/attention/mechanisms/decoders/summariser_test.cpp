#include "../../../../attention/mechanisms/decoders/summariser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::expect_gradients;
using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kM = 7, kT = 5, kSource = 11, kTarget = 4, kH = 3, kD = 2;
constexpr Index kC = 3, kQ = 2, kHidden = 6, kStart = 1;
const std::vector<Index> kLengths = {kM, 4};
const std::vector<Index> kText = {3, 10, 0, 5, 3, 1, 7, 8, 2, 2, 9, -1, 99, 4};
const std::vector<Index> kPrevious = {1, 3, 0, 2, 2, 1, 0, 0, 3, 1};
const SummariserOptions kOptions{.source_words = kSource,
                                 .target_words = kTarget,
                                 .source_width = kH,
                                 .target_width = kD,
                                 .context = kC,
                                 .window = kQ,
                                 .hidden = kHidden,
                                 .start = kStart,
                                 .dtype = DType::f64};

Tensor ids(const std::vector<Index>& numbers) {
  return reshape(Tensor(Array::from(numbers)), Shape{kB, -1});
}
Mask real() { return Mask::lengths(kLengths, kM); }

// Logits and weights, one after the other.
Numbers reference(const Leaves& p) {
  Numbers logits, weights;
  for (Index b = 0; b < kB; ++b) {
    const Index M = kLengths[static_cast<std::size_t>(b)];
    const auto x = [&](Index i, Index c) {
      return p["source_embedding.weight"](kText[static_cast<std::size_t>(b * kM + i)], c);
    };
    for (Index t = 0; t < kT; ++t) {
      // Number j of [E or G y_{t - C + 1}; ..; y_t].
      const auto y = [&](const std::string& table, Index j) {
        const Index at = t - kC + 1 + j / kD;
        return p[table](at < 0 ? kStart : kPrevious[static_cast<std::size_t>(b * kT + at)], j % kD);
      };
      Numbers a(kM, 0.0);
      for (Index i = 0; i < M; ++i) {
        for (Index c = 0; c < kH; ++c) {
          for (Index j = 0; j < kC * kD; ++j) {
            a[static_cast<std::size_t>(i)] +=
                x(i, c) * p["encoder.score.weight"](j, c) * y("query_embedding.weight", j);
          }
        }
      }
      a = plain::softmax(a, M);
      for (Index word = 0; word < kTarget; ++word) {
        double logit = 0;
        for (Index c = 0; c < kH; ++c) {
          double enc = 0;
          for (Index i = 0; i < M; ++i) {
            for (Index q = i - kQ; q <= i + kQ; ++q) {
              if (q >= 0 && q < M) enc += a[static_cast<std::size_t>(i)] * x(q, c) / kQ;
            }
          }
          logit += p["encoder_out.weight"](word, c) * enc;
        }
        for (Index h = 0; h < kHidden; ++h) {
          double unit = 0;
          for (Index j = 0; j < kC * kD; ++j) {
            unit += p["context_projection.weight"](h, j) * y("context_embedding.weight", j);
          }
          logit += p["context_out.weight"](word, h) * std::tanh(unit);
        }
        logits.push_back(logit);
      }
      weights.insert(weights.end(), a.begin(), a.end());
    }
  }
  logits.insert(logits.end(), weights.begin(), weights.end());
  return logits;
}

class SummariserTest : public testing::Test {
 protected:
  SummariserTest() {
    manual_seed(29);
    for (const Tensor& parameter : made.parameters()) nn::normal_(parameter, 0, 0.7);
  }
  const Summariser made{kOptions};
  const Tensor text = ids(kText), previous = ids(kPrevious);
};

TEST_F(SummariserTest, IsTheDefinition) {
  const auto leaves = leaves_of(made, {});
  const auto ours = [&] {
    const SummariserOutput seen = made(text, previous, real(), true);
    return std::vector{seen.logits, seen.weights};
  };
  plain::expect_same(leaves, ours, reference);
  expect_gradients(leaves, ours, 5);
  expect_gradients(
      leaves, [&] { return std::vector{made(text, previous, real()).logits}; }, 5);
}

// Ids beyond the text are not read; each example alone gives the same.
TEST_F(SummariserTest, PaddedBatchesEqualEachExampleAlone) {
  const SummariserOutput all = made(text, previous, real(), true);
  for (Index b = 0; b < kB; ++b) {
    const Index M = kLengths[static_cast<std::size_t>(b)];
    const SummariserOutput alone =
        made(narrow(narrow(text, 0, b, 1), 1, 0, M), narrow(previous, 0, b, 1));
    EXPECT_FALSE(alone.weights.defined());
    EXPECT_THAT(numbers(alone.logits), near(narrow(all.logits, 0, b, 1)));
    EXPECT_EQ(sum(abs(narrow(narrow(all.weights, 0, b, 1), 2, M, kM - M))).item(), 0);
  }
}

// What a decoder does: the last C words are enough for the next.
TEST_F(SummariserTest, GoesOnFromTheLastWords) {
  const Tensor all = made(text, previous, real()).logits;
  const Tensor next = made(text, narrow(previous, 1, kT - kC, kC), real()).logits;
  EXPECT_THAT(numbers(select(next, 1, kC - 1)), near(select(all, 1, kT - 1)));
}

TEST_F(SummariserTest, OfNothingOnlyTheContextSpeaks) {
  const Tensor nothing = made(text, previous, Mask::lengths({0, 0}, kM)).logits;
  made.encoder_out.weight.set_array(Array::zeros(made.encoder_out.weight.shape(), DType::f64));
  EXPECT_THAT(numbers(nothing), near(made(text, previous, real()).logits, 1e-14));
  EXPECT_EQ(made(narrow(text, 1, 0, 0), previous).logits.shape(), (Shape{kB, kT, kTarget}));
  EXPECT_EQ(made(text, narrow(previous, 1, 0, 0), real(), true).weights.shape(),
            (Shape{kB, 0, kM}));
}

TEST_F(SummariserTest, RefusesWhatDoesNotFit) {
  SummariserOptions bad = kOptions;
  bad.window = 0;
  EXPECT_ERROR_WITH(ValueError, "window 0 and hidden 6 must be positive", Summariser none(bad));
  bad = kOptions;
  bad.start = kTarget;
  EXPECT_ERROR_WITH(ValueError, "summariser: start 4 is not in [0, 4)", Summariser none(bad));
  EXPECT_ERROR_WITH(ValueError,
                    "smoothed_attention: query_width 3, key_width 2 and window 0 must be positive",
                    SmoothedAttention none(3, 2, 0));
  EXPECT_ERROR_WITH(IndexError, "summariser: id -1 of source is not in [0, 11)",
                    made(text, previous));
  EXPECT_ERROR_WITH(IndexError, "summariser: id 10 of previous is not in [0, 4)",
                    made(text, text, real()));
  EXPECT_ERROR_WITH(DTypeError, "summariser: previous must be i64, not f32[2, 5]",
                    made(text, zeros({kB, kT}), real()));
  EXPECT_ERROR_WITH(ShapeError, "summariser: previous must have 2 rows, not 1",
                    made(text, narrow(previous, 0, 0, 1), real()));
  EXPECT_ERROR_WITH(ShapeError, "summariser: source must be [B, M], not i64[7]",
                    made(select(text, 0, 0), previous));
  EXPECT_ERROR_WITH(GradError, "summariser: source is undefined", made(Tensor(), previous));
}

}  // namespace
}  // namespace heed::attention
