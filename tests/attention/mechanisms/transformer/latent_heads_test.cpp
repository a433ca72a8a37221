#include "../../../../attention/mechanisms/transformer/latent_heads.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"
#include "../step_by_step.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 7, kE = 5, kH = 3, kC = 4, kQ = 6, kD = 3, kR = 2, kV = 2;

LatentHeadsOptions options(Index query_latent = kQ) {
  return {.width = kE,
          .heads = kH,
          .latent = kC,
          .query_latent = query_latent,
          .head_width = kD,
          .rotary_width = kR,
          .value_width = kV,
          .dtype = DType::f64};
}

Numbers normed(Numbers x, const Block& weight) {
  double squares = 0;
  for (const double each : x) squares += each * each / static_cast<double>(x.size());
  for (Index i = 0; i < static_cast<Index>(x.size()); ++i) {
    at(x, i) *= weight(i) / std::sqrt(squares + 1e-6);
  }
  return x;
}

Numbers turned(const Numbers& x, Index place) {
  const double angle = static_cast<double>(place);  // of the only pair
  return {x[0] * std::cos(angle) - x[1] * std::sin(angle),
          x[0] * std::sin(angle) + x[1] * std::cos(angle)};
}

Numbers part(const Numbers& x, Index first, Index count) {
  return {x.begin() + first, x.begin() + first + count};
}

// Matrix h of [H, rows, columns].
Numbers times(const Block& matrices, Index h, const Numbers& x) {
  Numbers out;
  for (Index r = 0; r < matrices.size(1); ++r) {
    double sum = 0;
    for (Index c = 0; c < matrices.size(2); ++c) sum += matrices(h, r, c) * at(x, c);
    out.push_back(sum);
  }
  return out;
}

// Keys and values of every head made whole, causal; contexts, then weights.
Numbers plain_latent_heads(const Leaves& p, bool query_latent) {
  Numbers contexts, weights;
  for (std::size_t b = 0; b < kB; ++b) {
    const auto tokens = plain::rows_of(p["x"], b, kT);
    std::vector<Numbers> q, latents, positions;
    for (Index t = 0; t < kT; ++t) {
      const Numbers& x = tokens[static_cast<std::size_t>(t)];
      q.push_back(plain::affine(
          p["query_up.weight"],
          query_latent ? normed(plain::affine(p["query_down.weight"], x), p["query_norm.weight"])
                       : x));
      const Numbers both = plain::affine(p["down.weight"], x);
      latents.push_back(normed(part(both, 0, kC), p["norm.weight"]));
      positions.push_back(turned(part(both, kC, kR), t));
    }
    std::vector<Numbers> joined(kT);
    for (Index h = 0; h < kH; ++h) {
      for (Index i = 0; i < kT; ++i) {
        const Numbers own = part(q[static_cast<std::size_t>(i)], h * (kD + kR), kD + kR);
        Numbers e;
        for (std::size_t j = 0; j < kT; ++j) {
          e.push_back((plain::dot(part(own, 0, kD), times(p["key_up"], h, latents[j])) +
                       plain::dot(turned(part(own, kD, kR), i), positions[j])) /
                      std::sqrt(static_cast<double>(kD + kR)));
        }
        const Numbers a = plain::softmax(e, i + 1);
        Numbers head(kV, 0.0);
        for (std::size_t j = 0; j < kT; ++j) {
          const Numbers v = times(p["value_up"], h, latents[j]);
          for (Index d = 0; d < kV; ++d) at(head, d) += a[j] * at(v, d);
        }
        joined[static_cast<std::size_t>(i)] =
            plain::join({joined[static_cast<std::size_t>(i)], head});
        weights.insert(weights.end(), a.begin(), a.end());
      }
    }
    for (const Numbers& heads : joined) {
      contexts = plain::join({contexts, plain::affine(p["out_proj.weight"], heads)});
    }
  }
  return plain::join({contexts, weights});
}

class LatentHeadsOf : public testing::TestWithParam<bool> {
 protected:
  const bool seeded_ = (manual_seed(41), true);  // before what is drawn below
  LatentHeadsOf() {
    x = randn({kB, kT, kE}, DType::f64);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  }
  LatentHeads made{options(GetParam() ? kQ : 0)};
  Tensor x;
};

INSTANTIATE_TEST_SUITE_P(All, LatentHeadsOf, testing::Bool(), [](const auto& latent) {
  return std::string(latent.param ? "query_latent" : "query");
});

TEST_P(LatentHeadsOf, AreThePapersSumsBothWays) {
  const auto leaves = leaves_of(made, {{"x", x}});
  for (const bool absorbed : {false, true}) {
    const auto ours = [&] {
      const Terms terms{.mask = Mask::causal(), .need_weights = true};
      const Attended seen = absorbed ? made.absorbed(x, terms) : made(x, terms);
      return std::vector<Tensor>{seen.context, seen.weights};
    };
    plain::expect_same(leaves, ours,
                       [&](const Leaves& p) { return plain_latent_heads(p, GetParam()); });
    plain::expect_gradients(leaves, ours, 2);
  }
}

TEST_P(LatentHeadsOf, DecodeFromALatentAToken) {
  expect_steps_are_the_whole(made, x);
  const NoGrad off;
  KeyValueCache cache;
  made(x, {.mask = Mask::causal()}, &cache);
  // All that is kept: one latent and one turned key, whatever the number of heads.
  EXPECT_EQ(cache.values().shape(), (Shape{kB, 1, kT, kC}));
  EXPECT_EQ(cache.keys().shape(), (Shape{kB, 1, kT, kR}));
}

TEST(LatentHeads, RefuseWhatDoesNotFit) {
  const LatentHeads made(options());
  EXPECT_ERROR(ShapeError, "latent_heads: x must be [.., n, 5], not f64[2, 7, 4]",
               made(zeros({kB, kT, 4}, DType::f64)));
  EXPECT_ERROR(ShapeError, "latent_heads: x must be [B, n, width], not f64[7, 5]",
               made(zeros({kT, kE}, DType::f64)));
  EXPECT_ERROR(DTypeError, "latent_heads: x must be f64, not f32[2, 7, 5]",
               made(zeros({kB, kT, kE})));
  LatentHeadsOptions wrong = options();
  wrong.latent = 0;
  EXPECT_ERROR(ValueError,
               "latent_heads: width 5, heads 3, latent 0, head_width 3 and value_width 2 must be "
               "positive, query_latent 6 not negative",
               LatentHeads{wrong});
  wrong = options();
  wrong.rotary_width = 3;
  EXPECT_ERROR(ValueError, "latent_heads: rotary_width 3 must be even", LatentHeads{wrong});
  wrong = options();
  wrong.dropout = 2;
  EXPECT_ERROR(ValueError, "latent_heads: dropout 2 is not in [0, 1]", LatentHeads{wrong});
}

}  // namespace
}  // namespace heed::attention
