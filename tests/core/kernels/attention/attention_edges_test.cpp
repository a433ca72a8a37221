// Attention where there is least to see, and where scores lie far apart.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "../../../../core/generator.h"
#include "../../../../core/kernels/attention/attention.h"
#include "../../../../core/kernels/attention/attention_simd.h"
#include "../../../../core/kernels/attention/tile_rule.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

using Doubles = std::vector<double>;

Array drawn(const Shape& shape, std::uint64_t seed) {
  return Generator(seed).normal(shape, 0, 1, DType::f64);
}

// The first keys' weights leave no digit beside the later ones', in all rows at once.
TEST(Attention, WhatIsFarBelowLaterScoresCountsForNothing) {
  constexpr Index kFirst = 300, kAll = 500;
  Doubles k(kAll, 2000), v(kAll, 3);
  std::fill_n(k.begin(), kFirst, 0);
  std::fill_n(v.begin(), kFirst, 7);
  const Array q = Array::full({3, 1}, 1, DType::f64);
  const Attended found =
      attention("test", {q, Array::from(k, {kAll, 1}), {}}, Array::from(v, {kAll, 1}), {});
  for (const double out : found.out.to_vector<double>()) EXPECT_NEAR(out, 3, 1e-12);
  for (const double sum : found.log_sums.to_vector<double>()) {
    EXPECT_NEAR(sum, 2000 + std::log(200.0), 1e-12 * 2000);
  }
}

// Query and key of different parity.
class Unlike : public TileRule {
 public:
  void row(const ScoresAt&, Index q, KeyRange keys, bool* may) const override {
    for (Index j = keys.begin; j < keys.end; ++j) may[j - keys.begin] = ((q + j) & 1) != 0;
  }
};

TEST(AttentionMask, ARuleIsAskedForOneQueryAndForOneKey) {
  for (const auto& [Q, K] : {std::pair<Index, Index>{1, 5}, {5, 1}, {1, 1}, {1, 2}, {3, 4}}) {
    const Array q = Array::zeros({Q, 2}, DType::f64), k = Array::zeros({K, 2}, DType::f64);
    const Array mask =
        attention_mask("test", {q, k, {}}, k, {.rule = std::make_shared<const Unlike>()});
    ASSERT_EQ(mask.shape(), (Shape{Q, K}));
    for (Index i = 0; i < Q; ++i) {
      for (Index j = 0; j < K; ++j) {
        EXPECT_EQ(mask.data<bool>()[i * K + j], ((i + K - Q + j) & 1) != 0) << Q << ' ' << K;
      }
    }
  }
}

TEST(AttentionGrad, ABiasOfOneQueryGetsItsGradient) {
  const Array q = drawn({1, 2}, 3), k = drawn({3, 2}, 5), v = drawn({3, 2}, 7);
  const Array bias = drawn({1, 3}, 11), g = drawn({1, 2}, 13);
  const AttentionScores scores{q, k, {}};
  const AttentionTerms terms{.bias = bias};
  const Attended result = attention("test", scores, v, terms);
  const Doubles found = attention_grad("test", scores, v, terms, result, {g, {}}, true, false)
                            .bias.to_vector<double>();
  double p[3], dp[3], sum = 0, mean = 0;
  for (int j = 0; j < 3; ++j) {
    const auto dot = [&](const Array& x, const Array& y) {
      return x.data<double>()[0] * y.data<double>()[2 * j] +
             x.data<double>()[1] * y.data<double>()[2 * j + 1];
    };
    p[j] = std::exp(dot(q, k) + bias.data<double>()[j]);
    dp[j] = dot(g, v);
    sum += p[j];
  }
  for (int j = 0; j < 3; ++j) mean += p[j] / sum * dp[j];
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(found[static_cast<std::size_t>(j)], p[j] / sum * (dp[j] - mean), 1e-13);
  }
}

// All weight is on it, whatever its score; the log-sum is the score.
TEST(AttentionGrad, ABiasOfOneKeyGetsTheLogSumsGradient) {
  const Array q = drawn({5, 2}, 3), k = drawn({1, 2}, 5), v = drawn({1, 2}, 7);
  const Array g = drawn({5, 2}, 11), g_log_sums = drawn({5}, 13);
  const AttentionScores scores{q, k, {}};
  const AttentionTerms terms{.bias = drawn({5, 1}, 17), .offset_bias = drawn({5}, 19)};
  const Attended result = attention("test", scores, v, terms);
  const AttentionGrads found =
      attention_grad("test", scores, v, terms, result, {g, g_log_sums}, true, true);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(found.bias.data<double>()[i], g_log_sums.data<double>()[i], 1e-13);
    EXPECT_NEAR(found.offset_bias.data<double>()[4 - i], g_log_sums.data<double>()[i], 1e-13);
  }
}

// Of nine queries and three keys, each query in turn without a gradient for the second key.
TEST(AttentionTile, APlaceWithoutAGradientIsLeftOut) {
  constexpr Index kRows = 9, kKeys = 3, kWidth = 16, kStep = 11;
  under_every_simd([&] {
    for (Index hole = 0; hole < kRows; ++hole) {
      Doubles kept = drawn({kKeys * kRows * kWidth}, 23).to_vector<double>();
      Doubles slope = drawn({kKeys * kStep}, 29).to_vector<double>();
      for (Index i = 0; i < kRows; i += 2) slope[static_cast<std::size_t>(kStep + i)] = 1;
      slope[static_cast<std::size_t>(kStep + hole)] = 0;
      std::fill_n(kept.begin() + (kRows + hole) * kWidth, kWidth,
                  std::numeric_limits<double>::quiet_NaN());
      const Array zeros = Array::zeros({kRows, kWidth}, DType::f64);
      Array gq = zeros.clone(), gk = zeros.clone(), gw = zeros.clone();
      simd::tiles<double>().additive_slope(kRows, kKeys, kWidth, kept.data(), slope.data(), kStep,
                                           gq.mutable_data<double>(), gk.mutable_data<double>(),
                                           gw.mutable_data<double>());
      Array q = zeros.clone(), k = zeros.clone(), w = zeros.clone();
      for (Index j = 0; j < kKeys; ++j) {
        for (Index i = 0; i < kRows; ++i) {
          const double by = slope[static_cast<std::size_t>(j * kStep + i)];
          for (Index h = 0; h < kWidth && by != 0; ++h) {
            const double t = kept[static_cast<std::size_t>((j * kRows + i) * kWidth + h)];
            q.mutable_data<double>()[i * kWidth + h] += by * (1 - t * t);
            k.mutable_data<double>()[j * kWidth + h] += by * (1 - t * t);
            w.mutable_data<double>()[h] += by * t;
          }
        }
      }
      for (Index at = 0; at < kRows * kWidth; ++at) {
        ASSERT_NEAR(gq.data<double>()[at], q.data<double>()[at], 1e-12) << hole << ' ' << at;
        ASSERT_NEAR(gk.data<double>()[at], k.data<double>()[at], 1e-12) << hole << ' ' << at;
        ASSERT_NEAR(gw.data<double>()[at], w.data<double>()[at], 1e-12) << hole << ' ' << at;
      }
    }
  });
}

}  // namespace
}  // namespace heed::kernels
