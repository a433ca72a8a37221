#include "../../../../attention/mechanisms/transformer/differential_heads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

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
using Kind = DifferentialKind;

constexpr Index kB = 2, kT = 7, kE = 5, kH = 4, kD = 2, kLayer = 3;

DifferentialHeadsOptions options(Kind kind, Index kv_heads) {
  return {.kind = kind,
          .width = kE,
          .heads = kH,
          .head_width = kD,
          .kv_heads = kv_heads,
          .layer = kLayer,
          .dtype = DType::f64};
}

Numbers part(const Numbers& x, Index first, Index count) {
  return {x.begin() + first, x.begin() + first + count};
}

// Causal; contexts, then weights.
Numbers plain_differential(const Leaves& p, Kind kind, Index kv_heads) {
  const bool v1 = kind == Kind::v1;
  const Index Dv = v1 ? 2 * kD : kD;
  const double begin = 0.8 - 0.6 * std::exp(-0.3 * kLayer);
  Numbers contexts, weights;
  for (std::size_t b = 0; b < kB; ++b) {
    const auto tokens = plain::rows_of(p["x"], b, kT);
    std::map<std::pair<std::string, std::size_t>, Numbers> known;
    const auto projected = [&](const std::string& name, std::size_t t) -> const Numbers& {
      Numbers& y = known[{name, t}];
      if (y.empty()) y = plain::affine(p[name + ".weight"], tokens[t]);
      return y;
    };
    std::vector<Numbers> joined(kT);
    for (Index h = 0; h < kH; ++h) {
      const Index own = v1 ? h : h / (kH / kv_heads);
      for (std::size_t i = 0; i < kT; ++i) {
        Numbers maps[2];
        for (Index m = 0; m < 2; ++m) {
          const Numbers q = part(projected("q_proj", i), (2 * h + m) * kD, kD);
          Numbers e;
          for (std::size_t j = 0; j < kT; ++j) {
            const Numbers k = part(projected("k_proj", j), (v1 ? 2 * own + m : own) * kD, kD);
            e.push_back(plain::dot(q, k) / std::sqrt(static_cast<double>(kD)));
          }
          maps[m] = plain::softmax(e, static_cast<Index>(i) + 1);
        }
        double lambda = begin;
        if (v1) {
          lambda += std::exp(plain::dot(p["lambda_q1"].values(), p["lambda_k1"].values())) -
                    std::exp(plain::dot(p["lambda_q2"].values(), p["lambda_k2"].values()));
        } else {
          lambda = plain::sigmoid(at(projected("lambda_proj", i), h));
        }
        Numbers head(static_cast<std::size_t>(Dv), 0.0);
        for (std::size_t j = 0; j < kT; ++j) {
          const double a = maps[0][j] - lambda * maps[1][j];
          weights.push_back(a);
          const Numbers v = part(projected("v_proj", j), own * Dv, Dv);
          for (Index d = 0; d < Dv; ++d) at(head, d) += a * at(v, d);
        }
        if (v1) {
          double squares = 0;
          for (const double x : head) squares += x * x / static_cast<double>(Dv);
          for (Index d = 0; d < Dv; ++d) {
            at(head, d) *= (1 - begin) * p["norm"](d) / std::sqrt(squares + 1e-5);
          }
        }
        joined[i] = plain::join({joined[i], head});
      }
    }
    for (const Numbers& heads : joined) {
      contexts = plain::join({contexts, plain::affine(p["out_proj.weight"], heads)});
    }
  }
  return plain::join({contexts, weights});
}

struct Case {
  Kind kind;
  Index kv_heads;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << (each.kind == Kind::v1 ? "v1" : "v2") << " over " << each.kv_heads;
}

class DifferentialHeadsOf : public testing::TestWithParam<Case> {
 protected:
  const bool seeded_ = (manual_seed(42), true);  // before what is drawn below
  DifferentialHeadsOf() {
    x = randn({kB, kT, kE}, DType::f64);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.4);
  }
  DifferentialHeads made{options(GetParam().kind, GetParam().kv_heads)};
  Tensor x;
};

INSTANTIATE_TEST_SUITE_P(All, DifferentialHeadsOf,
                         testing::Values(Case{Kind::v1, kH}, Case{Kind::v2, kH}, Case{Kind::v2, 2}),
                         [](const auto& each) {
                           return std::string(each.param.kind == Kind::v1 ? "v1" : "v2") +
                                  "_over_" + std::to_string(each.param.kv_heads);
                         });

TEST_P(DifferentialHeadsOf, AreThePapersSums) {
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const Attended seen = made(x, {.mask = Mask::causal(), .need_weights = true});
    return std::vector<Tensor>{seen.context, seen.weights};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& p) {
    return plain_differential(p, GetParam().kind, GetParam().kv_heads);
  });
  plain::expect_gradients(leaves, ours, 2);
}

TEST_P(DifferentialHeadsOf, GoOnStepByStep) { expect_steps_are_the_whole(made, x); }

TEST(DifferentialHeads, TurnedStepByStepToo) {
  manual_seed(43);
  DifferentialHeadsOptions turned = options(Kind::v2, 2);
  turned.rotary = true;
  const DifferentialHeads made(turned);
  expect_steps_are_the_whole(made, randn({kB, kT, kE}, DType::f64));
}

TEST(DifferentialHeads, TheShareBeginsByTheLayer) {
  manual_seed(44);
  DifferentialHeads made({.width = 12, .heads = 3, .layer = 0});
  for (const Tensor& each : {made.lambda_q1, made.lambda_q2}) nn::zeros_(each);
  EXPECT_NEAR(made.lambda().item(), 0.2, 1e-6);
  EXPECT_EQ(made.q_proj.weight.shape(), (Shape{12, 12}));  // 2 H D = E
  EXPECT_ERROR(ValueError, "differential_heads: v2 has a share for each token and head",
               DifferentialHeads({.kind = Kind::v2, .width = 12, .heads = 3}).lambda());
}

TEST(DifferentialHeads, RefuseWhatDoesNotFit) {
  const DifferentialHeads made({.width = 12, .heads = 3});
  EXPECT_ERROR(ShapeError, "differential_heads: x must be [.., n, 12], not f32[2, 7, 4]",
               made(zeros({2, 7, 4})));
  EXPECT_ERROR(DTypeError, "differential_heads: x must be f32, not f64[2, 7, 12]",
               made(zeros({2, 7, 12}, DType::f64)));
  EXPECT_ERROR(ValueError, "differential_heads: 6 parts do not divide width 9",
               DifferentialHeads({.width = 9, .heads = 3}));
  EXPECT_ERROR(ValueError, "differential_heads: 4 heads over 2 of keys: v1 has as many of both",
               DifferentialHeads({.width = 8, .heads = 4, .kv_heads = 2}));
  EXPECT_ERROR(ValueError, "differential_heads: 4 heads over 3 of keys do not divide",
               DifferentialHeads({.kind = Kind::v2, .width = 8, .heads = 4, .kv_heads = 3}));
  EXPECT_ERROR(ValueError,
               "differential_heads: width 0 and heads 1 must be positive, head_width 0, kv_heads 1 "
               "and layer 0 not negative",
               DifferentialHeads({}));
  EXPECT_ERROR(ValueError, "differential_heads: rotary needs an even head width, not 1",
               DifferentialHeads({.width = 2, .rotary = true}));
  EXPECT_ERROR(ValueError, "differential_heads: dropout -1 is not in [0, 1]",
               DifferentialHeads({.width = 2, .dropout = -1}));
}

TEST(DifferentialHeads, MaskedPlacesWeighNothingBesideWhatIsNotFinite) {
  manual_seed(13);
  for (const Kind kind : {Kind::v1, Kind::v2}) {
    const DifferentialHeads made(options(kind, kH));
    Array dirty = randn({kB, kT, kE}, DType::f64).array().clone();
    dirty.mutable_data<double>()[2 * kE + 1] = std::nan("");
    const Tensor x(dirty);
    const Attended seen = made(x, {.mask = Mask::causal(), .need_weights = true});
    const Numbers weights = numbers(seen.weights);
    for (Index n = 0; n < kB * kH * kT * kT; ++n) {
      const Index row = n / (kH * kT * kT), i = n / kT % kT, j = n % kT;
      if (j > i) {
        EXPECT_EQ(at(weights, n), 0) << n;
      } else {
        EXPECT_EQ(std::isnan(at(weights, n)), row == 0 && i >= 2) << n;
      }
    }
    // Nor does a row that may attend to nothing, whatever stands in it.
    const Attended none = made(x, {.mask = Mask::lengths({0, kT}, kT), .need_weights = true});
    for (const Tensor& each : {none.weights, none.context}) {
      const Numbers all = numbers(each);
      for (Index n = 0; n < each.numel() / kB; ++n) EXPECT_EQ(at(all, n), 0) << n;
    }
  }
}

}  // namespace
}  // namespace heed::attention
