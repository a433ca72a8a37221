#include "../../../../attention/mechanisms/decoders/monotonic_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/methods.h"
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

using plain::Leaves;

constexpr Index kB = 2, kQ = 4, kK = 5, kE = 6, kEk = 7, kH = 2, kD = 3;
const std::vector<Index> kLengths = {kK, 3};

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

MonotonicHeadsOptions options(bool look_back) {
  return {.width = kE,
          .heads = kH,
          .key_width = kEk,
          .look_back = look_back,
          .offset = -1,
          .dtype = DType::f64};
}

// The paper's lines, sum by sum; a walk that reaches the last place stops there.
Numbers by_hand(const Leaves& w, bool look_back) {
  Numbers contexts, weights;
  for (Index b = 0; b < kB; ++b) {
    const Index n = kLengths[z(b)];
    const auto queries = plain::rows_of(w["query"], z(b), kQ);
    const auto keys = plain::rows_of(w["keys"], z(b), n);
    std::vector<Numbers> joined(z(kQ));
    for (Index h = 0; h < kH; ++h) {
      const auto head = [&](const char* name, const Numbers& x, const Block& bias = Block()) {
        const Numbers all = plain::affine(w[std::string(name) + ".weight"], x, bias);
        return Numbers(all.begin() + h * kD, all.begin() + (h + 1) * kD);
      };
      const auto score = [&](const char* q, const char* k, Index i, Index j) {
        return plain::dot(head(q, queries[z(i)]), head(k, keys[z(j)])) / std::sqrt(double{kD});
      };
      Numbers before(z(n), 0.0);
      before[0] = 1;
      for (Index i = 0; i < kQ; ++i) {
        Numbers alpha(z(n), 0.0), beta(z(n), 0.0), p;
        for (Index j = 0; j < n; ++j) {
          p.push_back(j == n - 1
                          ? 1
                          : plain::sigmoid(score("query_projection", "key_projection", i, j) +
                                           w["offset"].values()[z(h)]));
        }
        for (Index from = 0; from < n; ++from) {
          double arrive = before[z(from)];
          for (Index j = from; j < n; ++j) {
            alpha[z(j)] += arrive * p[z(j)];
            arrive *= 1 - p[z(j)];
          }
        }
        before = alpha;
        if (look_back) {
          for (Index k = 0; k < n; ++k) {
            double total = 0;
            for (Index l = 0; l <= k; ++l) total += std::exp(score("soft_query", "soft_key", i, l));
            for (Index j = 0; j <= k; ++j) {
              beta[z(j)] += alpha[z(k)] * std::exp(score("soft_query", "soft_key", i, j)) / total;
            }
          }
        } else {
          beta = alpha;
        }
        Numbers context(z(kD), 0.0);
        for (Index j = 0; j < n; ++j) {
          const Numbers v = head("value_projection", keys[z(j)], w["value_projection.bias"]);
          for (Index d = 0; d < kD; ++d) context[z(d)] += beta[z(j)] * v[z(d)];
        }
        joined[z(i)].insert(joined[z(i)].end(), context.begin(), context.end());
        beta.resize(z(kK), 0.0);
        weights.insert(weights.end(), beta.begin(), beta.end());
      }
    }
    for (const Numbers& each : joined) {
      const Numbers out = plain::affine(w["out_proj.weight"], each, w["out_proj.bias"]);
      contexts.insert(contexts.end(), out.begin(), out.end());
    }
  }
  return plain::join({contexts, weights});
}

class MonotonicHeadsBoth : public testing::TestWithParam<bool> {
 protected:
  const bool seeded_ = (manual_seed(23), true);
  MonotonicHeads made{options(GetParam())};
  const Tensor query = randn({kB, kQ, kE}, DType::f64), keys = randn({kB, kK, kEk}, DType::f64);
  void SetUp() override {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
  }
};
INSTANTIATE_TEST_SUITE_P(All, MonotonicHeadsBoth, testing::Bool(), [](const auto& look_back) {
  return look_back.param ? std::string("infinite_lookback") : std::string("hard");
});

TEST_P(MonotonicHeadsBoth, AreTheirFormula) {
  const Mask mask = Mask::lengths(kLengths, kK);
  plain::expect_same(
      plain::leaves_of(made, {{"query", query}, {"keys", keys}}),
      [&] {
        const MonotonicAttended out = made(query, keys, mask, true);
        return std::vector<Tensor>{out.context, out.weights};
      },
      [&](const Leaves& w) { return by_hand(w, GetParam()); }, 1e-4);
}

TEST_P(MonotonicHeadsBoth, AStreamGivesWhatHardAlignmentsGive) {
  const NoGrad off;
  made.offset.copy_(tensor({-0.3, 0.2}, {kH}, DType::f64));
  made.alignment.hard = true;
  for (Index b = 0; b < kB; ++b) {
    const Index n = kLengths[z(b)];
    const Tensor source = narrow(select(keys, 0, b), 0, 0, n);
    const MonotonicAttended all = made(narrow(query, 0, b, 1), unsqueeze(source, 0));
    MonotonicStream stream = made.stream();
    for (Index i = 0; i < kQ; ++i) {
      std::optional<MonotonicStep> step;
      Index refused = 0;
      while (!(step = stream.write(select(select(query, 0, b), 0, i)))) {
        ++refused;
        stream.places() < n ? stream.read(narrow(source, 0, stream.places(), 1)) : stream.end();
      }
      EXPECT_LT(difference(step->context, select(select(all.context, 0, 0), 0, i)), 1e-13);
      const Index furthest = *std::max_element(step->places.begin(), step->places.end());
      for (Index h = 0; h < kH; ++h) {
        EXPECT_EQ(argmax(select(select(all.alignment, 1, h), 1, i)).item(), step->places[z(h)]);
      }
      EXPECT_LE(furthest, stream.places() - 1);
      if (refused > 0 && !stream.ended()) {
        EXPECT_EQ(furthest, stream.places() - 1) << "no more was read than was asked for";
      }
    }
  }
}

TEST(MonotonicHeads, LooksBackByNoSumThatMayBeZero) {
  // Softmax over what stands before: exp(-900) alone is 0, its share among its own kind is not.
  Tensor u = tensor({-900, -901, 800, -1e4}, {1, 4}, DType::f64).set_requires_grad();
  Tensor alpha = tensor({0.25, 0.5, 0, 0.25}, {1, 4}, DType::f64).set_requires_grad();
  const Tensor beta = infinite_lookback(alpha, u);
  const double near = 1 / (1 + std::exp(-1.0));
  EXPECT_LT(difference(beta, Numbers{0.25 + 0.5 * near, 0.5 * (1 - near), 0.25, 0}), 1e-13);
  sum(beta * randn({1, 4}, DType::f64)).backward();
  EXPECT_TRUE(std::isfinite(sum(abs(u.grad())).item() + sum(abs(alpha.grad())).item()));
  EXPECT_GT(std::abs(numbers(u.grad())[0]), 1e-3);
  EXPECT_EQ(infinite_lookback(zeros({3, 0}), zeros({3, 0})).shape(), (Shape{3, 0}));
}

TEST(MonotonicHeads, NoiseIsForTraining) {
  manual_seed(3);
  MonotonicHeadsOptions noisy = options(false);
  noisy.noise = 1;
  MonotonicHeads made(noisy);
  const Tensor query = randn({kB, kQ, kE}, DType::f64), keys = randn({kB, kK, kEk}, DType::f64);
  EXPECT_GT(difference(made(query, keys).context, made(query, keys).context), 1e-6);
  made.eval();
  EXPECT_EQ(difference(made(query, keys).context, made(query, keys).context), 0);
}

TEST(MonotonicHeads, AStreamWithoutASourceGivesZeros) {
  MonotonicHeads made(options(true));
  nn::normal_(made.out_proj.bias, 0, 1);
  MonotonicStream stream = made.stream();
  const Tensor query = randn({kE}, DType::f64);
  EXPECT_FALSE(stream.write(query));
  stream.end();
  const auto step = stream.write(query);
  ASSERT_TRUE(step);
  EXPECT_EQ(difference(step->context, made.out_proj.bias.detach()), 0);
  EXPECT_EQ(step->places, (std::vector<Index>{-1, -1}));
}

TEST(MonotonicHeads, AnEnergyOfNothingIsPassedBy) {  // p is a half, and must be more
  const NoGrad off;
  MonotonicHeads made(options(false));
  made.offset.copy_(zeros({kH}, DType::f64));
  made.alignment.hard = true;
  const Tensor keys = randn({kK, kEk}, DType::f64), query = zeros({kE}, DType::f64);
  MonotonicStream stream = made.stream();
  stream.read(keys);
  EXPECT_FALSE(stream.write(query));
  stream.end();
  EXPECT_EQ(stream.write(query)->places, (std::vector<Index>{kK - 1, kK - 1}));
  const Tensor all = made(zeros({1, 1, kE}, DType::f64), unsqueeze(keys, 0)).alignment;
  EXPECT_EQ(argmax(all, -1).array().to_vector<Index>(), (std::vector<Index>{kK - 1, kK - 1}));
}

TEST(MonotonicHeads, SayWhatIsWrong) {
  EXPECT_ERROR(ValueError,
               "monotonic_heads: width 6, heads 4 and key_width 6 must be positive, and heads "
               "divide the width",
               MonotonicHeads({.width = 6, .heads = 4}));
  EXPECT_ERROR(ValueError, "monotonic_heads: offset inf must be finite, noise 0 not negative",
               MonotonicHeads({.width = 6, .offset = INFINITY}));
  EXPECT_ERROR(ValueError, "monotonic_heads: offset -2 must be finite, noise -1 not negative",
               MonotonicHeads({.width = 6, .noise = -1}));
  const MonotonicHeads made(options(false));
  MonotonicStream stream = made.stream();
  EXPECT_ERROR(ShapeError, "monotonic_heads: a stream's keys must be [n, 7], not f64[1, 2, 7]",
               stream.read(zeros({1, 2, kEk}, DType::f64)));
  EXPECT_ERROR(ShapeError, "monotonic_heads: a stream's query must be [6], not f64[1, 6]",
               stream.write(zeros({1, kE}, DType::f64)));
  stream.read(full({1, kEk}, NAN, DType::f64));
  EXPECT_ERROR(ValueError, "monotonic_heads: an energy is NaN",
               stream.write(ones({kE}, DType::f64)));
  stream.end();
  EXPECT_ERROR(ValueError, "monotonic_heads: a stream that has ended reads no more",
               stream.read(zeros({1, kEk}, DType::f64)));
  EXPECT_ERROR(ShapeError,
               "infinite_lookback: alignment and u must be of one shape [.., K], not f32[2, 3] and "
               "f32[2, 4]",
               infinite_lookback(zeros({2, 3}), zeros({2, 4})));
}

}  // namespace
}  // namespace heed::attention
