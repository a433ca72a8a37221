#include "../../../../core/kernels/attention/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../core/generator.h"
#include "../../../../core/kernels/attention/attention_plan.h"
#include "../../../../core/kernels/attention/attention_rows_simd.h"

namespace heed::kernels {
namespace {

template <class T>
std::vector<T> drawn(Index n, std::uint64_t seed) {
  return Generator(seed).normal(Shape{n}, 0, 1, dtype_of<T>).template to_vector<T>();
}

// Against sums in the order of the definition, for all numbers of rows and vectors of columns.
template <class T>
void check_product(Index m, Index n, Index k, bool turned, bool add) {
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << (turned ? " turned" : "")
                                  << (add ? " added" : "") << ", " << sizeof(T) << " bytes");
  const Index a_row = turned ? 1 : k + 3, a_column = turned ? m + 2 : 1;
  const Index b_step = n + kTileLanes<T>, c_step = n + 1;
  const auto a = drawn<T>((m + 3) * (k + 3), 1), b = drawn<T>(k * b_step + 1, 2);
  const auto before = drawn<T>(m * c_step + 1, 3);
  auto c = before;
  simd::rows<T>().multiply(m, n, k, a.data(), a_row, a_column, b.data(), b_step, add, c.data(),
                           c_step);
  const auto at = [](const std::vector<T>& x, Index i) {
    return static_cast<double>(x[static_cast<std::size_t>(i)]);
  };
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c_step; ++j) {
      double sum = j < n && !add ? 0 : at(before, i * c_step + j);
      for (Index q = 0; q < k && j < n; ++q) {
        sum += at(a, i * a_row + q * a_column) * at(b, q * b_step + j);
      }
      ASSERT_NEAR(at(c, i * c_step + j), sum, sizeof(T) == 4 ? 1e-4 : 1e-12) << i << ", " << j;
    }
  }
}

TEST(AttentionTile, MultipliesAnyShape) {
  for (Index m = 0; m < 27; ++m) {
    for (const Index vectors : {1, 2, 3, 5}) {
      for (const bool turned : {false, true}) {
        check_product<float>(m, vectors * kTileLanes<float>, 7, turned, m % 2 == 0);
        check_product<double>(m, vectors * kTileLanes<double>, 5, turned, m % 2 == 1);
      }
    }
  }
  check_product<float>(3, 16, 0, false, false);
}

TEST(AttentionTile, Turns) {
  const Index rows = 32, columns = 7, step = 11;
  const auto from = drawn<float>(rows * step, 1);
  std::vector<float> to(static_cast<std::size_t>(rows * columns));
  simd::rows<float>().turn(rows, columns, from.data(), step, to.data());
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(to[j * 32 + i], from[i * 11 + j]);
  }
}

// A few units in the last place, over the whole range.
TEST(AttentionTile, ExpAndTanhAreClose) {
  constexpr double kUlp = 1.0 / (1 << 23);
  const std::vector<float> zeros(16, 0), first = [] {
    std::vector<float> out(16, 0);
    out[0] = 1;
    return out;
  }();
  for (double x = -87.3; x < 1; x += 0.00713) {
    std::vector<float> s(16, static_cast<float>(x));
    simd::tiles<float>().weigh(1, 16, s.data(), zeros.data(), zeros.data());
    const double expected = std::exp(static_cast<double>(static_cast<float>(x)));
    ASSERT_NEAR(s[0] / expected, 1, 2 * kUlp) << x;
  }
  for (double x = -12; x < 12; x += 0.00117) {
    std::vector<float> q(16, static_cast<float>(x));
    float s = 0;
    simd::tiles<float>().additive(1, 1, 16, q.data(), zeros.data(), first.data(), &s, 16, nullptr);
    const double expected = std::tanh(static_cast<double>(static_cast<float>(x)));
    ASSERT_NEAR(s / expected, 1, 4 * kUlp) << x;
  }
}

TEST(AttentionTile, WeightsOfTheEnds) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> s = {-kInf, -200, 0, NAN, kInf, -88};
  s.resize(16);
  const std::vector<float> zeros(16, 0);
  simd::tiles<float>().weigh(1, 16, s.data(), zeros.data(), zeros.data());
  EXPECT_EQ(s[0], 0);
  EXPECT_EQ(s[1], 0);
  EXPECT_EQ(s[2], 1);
  EXPECT_TRUE(std::isnan(s[3]));
  EXPECT_FALSE(std::isfinite(s[4]));
  EXPECT_EQ(s[5], 0);
}

// Places of the scores that are computed for T keys and as many queries, or so many.
Index computed(Index T, const AttentionTerms& terms, Index queries = -1) {
  const Array x = Array::zeros({T, 1}, DType::f32);
  const Array q = queries < 0 ? x : x.slice(0, 0, queries);
  const AttentionPlan plan("test", {q, x, {}}, x, terms);
  const LeadingAxes axes(plan.lead, plan.shared);
  QueryTile tile;
  Index places = 0;
  for (Index t = 0; t < plan.tiles(axes, QueryTile::kMost); ++t) {
    plan.fill(axes, QueryTile::kMost, 0, t, tile);
    places += tile.count * tile.keys.size();
  }
  return places;
}

TEST(AttentionPlan, LeavesOutWhatIsMaskedWhole) {
  EXPECT_EQ(computed(4096, {}), 4096 * 4096);
  EXPECT_EQ(computed(4096, {.right = 0}), 4096 * (4096 + 64) / 2);
  EXPECT_LE(computed(4096, {.left = 32, .right = 32}), 4096 * (32 + 32 + 64));
  EXPECT_LE(computed(8192, {.left = 32, .right = 32}), 8192 * (32 + 32 + 64));
  for (const Index T : {512, 1024, 4096}) EXPECT_EQ(computed(T, {.right = 0}, 1), T);
  EXPECT_EQ(computed(4096, {.left = 15, .right = 0}, 1), 16);
  EXPECT_EQ(computed(4096, {.blocks = {64}}), 4096 * 64);
  EXPECT_LE(computed(4096, {.right = 0, .blocks = {100}}), 4096 * 200);
  EXPECT_EQ(computed(4096, {.lengths = Array::full({}, 100, DType::i64)}), 4096 * 100);
}

// Members share keys and values; a tile takes all their queries where they are few.
TEST(AttentionPlan, PutsFewQueriesOfManyMembersTogether) {
  const auto tiles = [](const Shape& q, const Shape& k) {
    const Array queries = Array::zeros(q, DType::f32), keys = Array::zeros(k, DType::f32);
    const AttentionPlan plan("test", {queries, keys, {}}, keys, {});
    const LeadingAxes axes(plan.lead, plan.shared);
    return std::vector<Index>{axes.units(), axes.members(), plan.tiles(axes, 64)};
  };
  EXPECT_EQ(tiles({2, 3, 5, 1, 7}, {2, 1, 1, 11, 7}), (std::vector<Index>{2, 15, 1}));
  EXPECT_EQ(tiles({2, 3, 5, 1, 7}, {11, 7}), (std::vector<Index>{1, 30, 1}));
  EXPECT_EQ(tiles({2, 3, 50, 7}, {2, 3, 11, 7}), (std::vector<Index>{6, 1, 1}));
  EXPECT_EQ(tiles({3, 65, 7}, {11, 7}), (std::vector<Index>{1, 3, 6}));
  EXPECT_EQ(tiles({3, 20, 7}, {11, 7}), (std::vector<Index>{1, 3, 1}));
}

}  // namespace
}  // namespace heed::kernels
