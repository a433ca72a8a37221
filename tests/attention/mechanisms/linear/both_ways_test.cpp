// What looks both ways in linear time, beside its paper's formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "../../../../attention/mechanisms/linear/fastformer.h"
#include "../../../../attention/mechanisms/linear/linformer.h"
#include "../../../../attention/mechanisms/linear/luna.h"
#include "../../../../attention/mechanisms/linear/nystromformer.h"
#include "../../../../attention/mechanisms/linear/reformer.h"
#include "../../../../attention/mechanisms/linear/routing.h"
#include "../../../../attention/mechanisms/linear/sinkhorn_blocks.h"
#include "../../../../attention/scaled_dot_product.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "formula.h"

namespace heed::attention {
namespace {

using namespace formula;  // NOLINT

TEST(BothWays, FastformerIsItsFormula) {
  manual_seed(3);
  Fastformer made(kE, kH, kDType);
  expect_formula(made, [](const Row& row) {
    const auto pooled = [&](const Rows& x, const Block& w, Index h) {
      Numbers scores;
      for (const Numbers& each : x) {
        double sum = 0;
        for (Index d = 0; d < kD; ++d) sum += w(h, d) * at(each, d);
        scores.push_back(sum / std::sqrt(double{kD}));
      }
      return product({plain::softmax(scores, std::ssize(scores))}, x)[0];
    };
    const Rows heads = joined([&](Index h) {
      const Numbers q = pooled(row.head("q_proj", h, row.n), row.w["query_vector"], h);
      Rows p = row.head("k_proj", h, row.n);
      for (Numbers& each : p) {
        for (Index d = 0; d < kD; ++d) at(each, d) *= at(q, d);
      }
      const Numbers k = pooled(p, row.w["key_vector"], h);
      Rows v = row.head("v_proj", h, kT);
      for (Numbers& each : v) {
        for (Index d = 0; d < kD; ++d) at(each, d) *= at(k, d);
      }
      return v;
    });
    Rows y = out_projected(row, heads);
    const Rows queries = row.projected("q_proj", kT);
    for (std::size_t t = 0; t < y.size(); ++t) y[t] = plain::add(y[t], queries[t]);
    return y;
  });
}

TEST(BothWays, LinformerIsItsFormula) {
  manual_seed(5);
  Linformer made({.width = kE, .heads = kH, .max_length = 7, .rank = 2, .dtype = kDType});
  expect_formula(made, [](const Row& row) {
    const auto rows = [&](const char* name) {
      Rows out(2, Numbers(z(row.n)));
      for (Index r = 0; r < 2; ++r) {
        for (Index t = 0; t < row.n; ++t) out[z(r)][z(t)] = row.w[name](r, t);
      }
      return out;
    };
    return out_projected(row, joined([&](Index h) {
                           const Rows k = product(rows("key_rows"), row.head("k_proj", h, row.n));
                           const Rows v = product(rows("value_rows"), row.head("v_proj", h, row.n));
                           return product(weights(row.head("q_proj", h, kT), k), v);
                         }));
  });
}

TEST(BothWays, NystromformerIsItsFormula) {
  manual_seed(7);
  constexpr Index kM = 2;
  Nystromformer made({.width = kE, .heads = kH, .landmarks = kM, .iterations = 3, .dtype = kDType});
  expect_formula(made, [](const Row& row) {
    const auto landmarks = [&](const Rows& x) {
      Rows out(kM, Numbers(kD));
      std::vector<double> counts(kM);
      for (Index t = 0; t < row.n; ++t) counts[z(t * kM / row.n)] += 1;
      for (Index t = 0; t < row.n; ++t) {
        const std::size_t j = z(t * kM / row.n);
        for (Index d = 0; d < kD; ++d) at(out[j], d) += at(x[z(t)], d) / counts[j];
      }
      return out;
    };
    const auto minus = [](double number, const Rows& x) {  // number I - x
      Rows out = x;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) out[i][j] = (i == j ? number : 0) - x[i][j];
      }
      return out;
    };
    return out_projected(
        row, joined([&](Index h) {
          const Rows q = row.head("q_proj", h, kT), k = row.head("k_proj", h, row.n);
          const Rows qt = landmarks(q), kt = landmarks(k), A = weights(qt, kt);
          double largest = 0;
          for (const Numbers& column : turned(A)) {
            double sum = 0;
            for (const double each : column) sum += each;
            largest = std::max(largest, sum);
          }
          Rows Z = turned(A);
          for (Numbers& each : Z) {
            for (double& number : each) number /= largest;
          }
          for (int i = 0; i < 3; ++i) {
            const Rows AZ = product(A, Z);
            Z = product(Z, minus(13, product(AZ, minus(15, product(AZ, minus(7, AZ))))));
            for (Numbers& each : Z) {
              for (double& number : each) number /= 4;
            }
          }
          const Rows right = product(weights(qt, k), row.head("v_proj", h, row.n));
          return product(weights(q, kt), product(Z, right));
        }));
  });
}

// With as many landmarks as steps the inverse is one, and the result softmax attention.
TEST(BothWays, NystromformerIsSoftmaxAttentionWithAllLandmarks) {
  manual_seed(9);
  Nystromformer made({.width = kE, .heads = 1, .landmarks = kT, .iterations = 30, .dtype = kDType});
  const NoGrad off;
  for (const Tensor& parameter : made.parameters()) nn::normal_(parameter, 0, 1);
  const Tensor x = randn({1, kT, kE}, kDType);
  const Tensor want = scaled_dot_product_attention(made.q_proj(x), made.k_proj(x), made.v_proj(x));
  EXPECT_THAT(numbers(made(x).context), near(made.out_proj(want), 1e-6));
}

TEST(BothWays, LunaIsItsFormula) {
  manual_seed(11);
  Luna made(kE, kH, 2, kDType);
  expect_formula(made, [](const Row& row) {
    const auto attend = [&](const std::string& name, const Rows& from, const Rows& to) {
      const Block in = row.w[name + ".in_proj_weight"], bias = row.w[name + ".in_proj_bias"];
      const auto head = [&](const Rows& x, Index which, Index h) {
        Rows out;
        for (const Numbers& each : x) {
          const Numbers all = plain::affine(in, each, bias);
          const auto begin = all.begin() + which * kE + h * kD;
          out.emplace_back(begin, begin + kD);
        }
        return out;
      };
      Rows y(from.size());
      for (Index h = 0; h < kH; ++h) {
        const Rows own = product(weights(head(from, 0, h), head(to, 1, h)), head(to, 2, h));
        for (std::size_t t = 0; t < y.size(); ++t)
          y[t].insert(y[t].end(), own[t].begin(), own[t].end());
      }
      for (Numbers& each : y) {
        each =
            plain::affine(row.w[name + ".out_proj.weight"], each, row.w[name + ".out_proj.bias"]);
      }
      return y;
    };
    Rows places;
    for (Index l = 0; l < 2; ++l) places.push_back(row.w["places"].row({l}));
    const Rows real(row.x.begin(), row.x.begin() + row.n);
    return attend("unpack", row.x, attend("pack", places, real));
  });
}

TEST(BothWays, SinkhornIsItsFormula) {
  manual_seed(29);
  static constexpr Index kS = 2, kN = 3;
  SinkhornBlocks made(
      {.width = kE, .heads = kH, .block = kS, .max_blocks = 4, .iterations = 2, .dtype = kDType});
  expect_formula(made, [](const Row& row) {
    const Index n = (row.n + kS - 1) / kS;  // blocks that are there
    Rows R;
    for (Index b = 0; b < n; ++b) {
      Numbers sums(kE);
      for (Index t = b * kS; t < std::min(kT, (b + 1) * kS); ++t)
        sums = plain::add(sums, row.x[z(t)]);
      Numbers hidden = plain::affine(row.w["sort_hidden.weight"], sums, row.w["sort_hidden.bias"]);
      for (double& number : hidden) number = std::max(number, 0.0);
      Numbers scores = plain::affine(row.w["sort_out.weight"], hidden, row.w["sort_out.bias"]);
      scores.resize(z(n));
      R.push_back(plain::softmax(scores, n));
    }
    for (int i = 0; i < 4; ++i) {  // columns, rows, columns, rows
      R = turned(R);
      for (Numbers& each : R) {
        double sum = 0;
        for (const double number : each) sum += number;
        for (double& number : each) number /= sum;
      }
    }
    return out_projected(row, joined([&](Index h) {
                           const Rows q = row.head("q_proj", h, kT);
                           Rows k = row.head("k_proj", h, row.n), v = row.head("v_proj", h, row.n);
                           k.resize(kN * kS, Numbers(kD));
                           v.resize(kN * kS, Numbers(kD));
                           Rows y;
                           for (Index t = 0; t < kT; ++t) {
                             const Index b = t / kS;
                             Rows keys, values;
                             for (Index j = b * kS; j < std::min(row.n, (b + 1) * kS); ++j) {
                               keys.push_back(k[z(j)]);
                               values.push_back(v[z(j)]);
                             }
                             for (Index j = 0; j < std::min(kS, row.n); ++j) {
                               Numbers key(kD), value(kD);
                               for (Index m = 0; m < n && b < n; ++m) {
                                 for (Index d = 0; d < kD; ++d) {
                                   at(key, d) += R[z(b)][z(m)] * at(k[z(m * kS + j)], d);
                                   at(value, d) += R[z(b)][z(m)] * at(v[z(m * kS + j)], d);
                                 }
                               }
                               keys.push_back(key);
                               values.push_back(value);
                             }
                             y.push_back(product(weights({q[z(t)]}, keys), values)[0]);
                           }
                           return y;
                         }));
  });
}

TEST(BothWays, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "fastformer: heads 4 does not divide width 6", Fastformer(6, 4));
  EXPECT_ERROR(ValueError, "fastformer: width 0 and heads 1 must be positive", Fastformer(0, 1));
  EXPECT_ERROR(ValueError, "linformer: max_length 0 and rank 2 must be positive",
               Linformer({.width = 6, .rank = 2}));
  EXPECT_ERROR(ShapeError, "linformer: 5 steps are more than max_length 4: x is f32[2, 5, 6]",
               Linformer({.width = 6, .max_length = 4, .rank = 2})(zeros({2, 5, 6})));
  EXPECT_ERROR(ValueError, "nystromformer: landmarks 0 and iterations 6 must be positive",
               Nystromformer({.width = 6, .landmarks = 0}));
  EXPECT_ERROR(ValueError, "luna: length 0 must be positive", Luna(6, 2, 0));
  EXPECT_ERROR(ValueError, "reformer: buckets 3 must be positive and even, rounds 2 positive",
               Reformer({.width = 6, .buckets = 3}));
  EXPECT_ERROR(ValueError, "routing: centroids 0 must be positive",
               Routing({.width = 6, .centroids = 0}));
  EXPECT_ERROR_WITH(ValueError,
                    "sinkhorn_blocks: block 16, max_blocks 0 and iterations 5 must be positive",
                    SinkhornBlocks({.width = 6}));
  EXPECT_ERROR(ShapeError,
               "sinkhorn_blocks: 3 blocks are more than max_blocks 2: x is f32[2, 5, 6]",
               SinkhornBlocks({.width = 6, .block = 2, .max_blocks = 2})(zeros({2, 5, 6})));
  KeyValueCache cache;
  const Terms causal{.mask = Mask::causal()};
  const Tensor x = zeros({2, 5, 6});
  EXPECT_NO_THROW(Linformer({.width = 6, .max_length = 5, .rank = 2})(x));
  EXPECT_NO_THROW(SinkhornBlocks({.width = 6, .block = 2, .max_blocks = 3})(x));
  EXPECT_ERROR(ValueError, "luna: takes no cache", Luna(6, 2, 3)(x, {}, &cache));
  EXPECT_ERROR(ValueError, "luna: cannot be causal: it looks both ways", Luna(6, 2, 3)(x, causal));
  EXPECT_ERROR(ValueError, "reformer: takes no cache", Reformer({.width = 6})(x, {}, &cache));
}

}  // namespace
}  // namespace heed::attention
