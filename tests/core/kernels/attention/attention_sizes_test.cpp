// Attention and its gradients against their definitions in loops, for widths and lengths around
// those of vectors and tiles: several tiles of keys, rows of queries that end within one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../../core/generator.h"
#include "../../../../core/kernels/attention/attention.h"

namespace heed::kernels {
namespace {

struct Sizes {
  Index heads, Q, K, D, Dv;
};

using Numbers = std::vector<double>;

// Result and gradients of one head; q [Q, D], k [K, D], v [K, Dv], g [Q, Dv].
struct Definition {
  Numbers out, log_sums, gq, gk, gv, gw, gbias;

  Definition(const Sizes& s, const double* q, const double* k, const double* v, const double* w,
             const double* bias, const double* g, const AttentionTerms& terms)
      : out(size(s.Q * s.Dv)),
        log_sums(size(s.Q)),
        gq(size(s.Q * s.D)),
        gk(size(s.K * s.D)),
        gv(size(s.K * s.Dv)),
        gw(size(s.D)),
        gbias(size(s.Q * s.K)) {
    for (Index i = 0; i < s.Q; ++i) {
      const Index place = i + s.K - s.Q;
      Numbers e(size(s.K), -std::numeric_limits<double>::infinity());
      double top = -std::numeric_limits<double>::infinity();
      for (Index j = 0; j < s.K; ++j) {
        if (terms.left >= 0 && j < place - terms.left) continue;
        if (terms.right >= 0 && j > place + terms.right) continue;
        double score = 0;
        for (Index d = 0; d < s.D; ++d) {
          const double a = q[i * s.D + d], b = k[j * s.D + d];
          score += w ? w[d] * std::tanh(a + b) : a * b;
        }
        e[size(j)] = terms.scale * score + (bias ? bias[i * s.K + j] : 0);
        top = std::max(top, e[size(j)]);
      }
      double sum = 0;
      for (double& x : e) sum += x = std::isinf(x) ? 0 : std::exp(x - top);
      log_sums[size(i)] = sum == 0 ? top : top + std::log(sum);
      for (double& x : e) x = sum == 0 ? 0 : x / sum;
      double delta = 0;
      Numbers dp(size(s.K));
      for (Index j = 0; j < s.K; ++j) {
        for (Index c = 0; c < s.Dv; ++c) {
          out[size(i * s.Dv + c)] += e[size(j)] * v[j * s.Dv + c];
          gv[size(j * s.Dv + c)] += e[size(j)] * g[i * s.Dv + c];
          dp[size(j)] += g[i * s.Dv + c] * v[j * s.Dv + c];
        }
        delta += e[size(j)] * dp[size(j)];
      }
      for (Index j = 0; j < s.K; ++j) {
        const double ds = e[size(j)] * (dp[size(j)] - delta);
        gbias[size(i * s.K + j)] = ds;
        for (Index d = 0; d < s.D; ++d) {
          const double a = q[i * s.D + d], b = k[j * s.D + d];
          const double t = std::tanh(a + b), slope = w ? w[d] * (1 - t * t) : 0;
          gq[size(i * s.D + d)] += terms.scale * ds * (w ? slope : b);
          gk[size(j * s.D + d)] += terms.scale * ds * (w ? slope : a);
          if (w) gw[size(d)] += terms.scale * ds * t;
        }
      }
    }
  }
  static std::size_t size(Index n) { return static_cast<std::size_t>(n); }
};

void expect_near(const Array& found, Index head, const Numbers& expected, const char* what) {
  const Numbers values = found.select(0, head).contiguous().to_vector<double>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[i], 1e-11 * (1 + std::fabs(expected[i]))) << what << " " << i;
  }
}

void expect_definition(const Sizes& s, AttentionTerms terms, bool additive) {
  SCOPED_TRACE(testing::Message() << s.heads << " heads, " << s.Q << " x " << s.K << ", widths "
                                  << s.D << ", " << s.Dv << (additive ? ", additive" : ""));
  Generator generator(static_cast<std::uint64_t>(s.Q * 1000 + s.K + s.D));
  const auto drawn = [&](const Shape& shape) { return generator.normal(shape, 0, 1, DType::f64); };
  const Array q = drawn({s.heads, s.Q, s.D}), k = drawn({s.heads, s.K, s.D});
  const Array v = drawn({s.heads, s.K, s.Dv}), g = drawn({s.heads, s.Q, s.Dv});
  const Array w = additive ? drawn({s.D}) : Array();
  terms.bias = drawn({s.heads, s.Q, s.K});
  const AttentionScores scores{q, k, w};
  const Attended result = attention("test", scores, v, terms);
  const AttentionGrads grads =
      attention_grad("test", scores, v, terms, result, {g, {}}, true, false);
  Numbers gw(static_cast<std::size_t>(s.D));
  for (Index head = 0; head < s.heads; ++head) {
    const auto at = [head](const Array& x) { return x.data<double>() + head * x.strides()[0]; };
    const Definition by(s, at(q), at(k), at(v), additive ? w.data<double>() : nullptr,
                        at(terms.bias), at(g), terms);
    expect_near(result.out, head, by.out, "out");
    expect_near(result.log_sums, head, by.log_sums, "log-sums");
    expect_near(grads.q, head, by.gq, "q");
    expect_near(grads.k, head, by.gk, "k");
    expect_near(grads.v, head, by.gv, "v");
    expect_near(grads.bias, head, by.gbias, "bias");
    for (std::size_t d = 0; d < gw.size(); ++d) gw[d] += by.gw[d];
  }
  if (additive) expect_near(grads.vector.unsqueeze(0), 0, gw, "vector");
}

TEST(AttentionSizes, DotScores) {
  for (const Index width : {1, 5, 16, 17, 40}) {
    expect_definition({2, 3, 7, width, 40 / width}, {.scale = 0.3}, false);
  }
  for (const Index queries : {1, 63, 64, 65, 131}) {
    expect_definition({2, queries, 29, 6, 5}, {.scale = 0.5}, false);
  }
  for (const Index keys : {239, 240, 241, 487}) {
    expect_definition({1, 5, keys, 3, 2}, {}, false);
    expect_definition({1, 70, keys, 3, 2}, {.left = 90, .right = 0}, false);
  }
}

TEST(AttentionSizes, AdditiveScores) {
  for (const Index width : {1, 5, 16, 17, 40, 600}) {
    expect_definition({2, 3, 7, width, 3}, {.scale = 0.3}, true);
  }
  for (const Index queries : {1, 15, 16, 17, 50}) {
    expect_definition({2, queries, 29, 6, 5}, {.scale = 0.5}, true);
  }
  for (const Index keys : {63, 64, 65, 150}) {
    expect_definition({1, 20, keys, 3, 2}, {.left = 40, .right = 2}, true);
  }
}

// Heads that share keys, few queries each: tiles of several heads, whose gradients are added.
TEST(AttentionSizes, SharedKeys) {
  Generator generator(5);
  const Index heads = 23, Q = 3, K = 11, D = 4, Dv = 5;
  const auto drawn = [&](const Shape& shape) { return generator.normal(shape, 0, 1, DType::f64); };
  const Array q = drawn({2, heads, Q, D}), k = drawn({2, 1, K, D}), v = drawn({2, 1, K, Dv});
  const Array g = drawn({2, heads, Q, Dv});
  const Attended result = attention("test", {q, k, {}}, v, {});
  const AttentionGrads grads =
      attention_grad("test", {q, k, {}}, v, {}, result, {g, {}}, false, false);
  for (Index batch = 0; batch < 2; ++batch) {
    Numbers gk(static_cast<std::size_t>(K * D)), gv(static_cast<std::size_t>(K * Dv));
    for (Index head = 0; head < heads; ++head) {
      const auto at = [&](const Array& x) {
        return x.data<double>() + batch * x.strides()[0] + head % x.size(1) * x.strides()[1];
      };
      const Definition by({heads, Q, K, D, Dv}, at(q), at(k), at(v), nullptr, nullptr, at(g), {});
      expect_near(result.out.select(0, batch), head, by.out, "out");
      expect_near(grads.q.select(0, batch), head, by.gq, "q");
      for (std::size_t i = 0; i < gk.size(); ++i) gk[i] += by.gk[i];
      for (std::size_t i = 0; i < gv.size(); ++i) gv[i] += by.gv[i];
    }
    expect_near(grads.k.select(0, batch), 0, gk, "k");
    expect_near(grads.v.select(0, batch), 0, gv, "v");
  }
}

}  // namespace
}  // namespace heed::kernels
