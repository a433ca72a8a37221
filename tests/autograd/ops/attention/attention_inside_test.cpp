// What stands inside the tile beside scores, biases and masks: maps of the score, rules of places,
// sinks, sums, dropout. Each against the plain definition, forward and back, and twice back.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>

#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/kernels/attention/tile_rule.h"
#include "../../../../core/parallel.h"
#include "../../../support/throws.h"
#include "attention_cases.h"

namespace heed::attention_cases {
namespace {

// What is asked of a call: out and log_sums, and the gradients of operands and extras.
struct Inside {
  const char* name;
  // Options that use the extra leaves.
  std::function<AttentionOptions(const Tensors& extras)> options;
  std::vector<Shape> extras = {};
  double low = -1, high = 1;  // of the extras
};

// Keys at multiples of 3 before the query, by heads more of them; in whole blocks none beyond 90.
class Every final : public kernels::TileRule {
 public:
  explicit Every(bool asks) : asks_(asks) {}
  kernels::Seen over(const kernels::ScoresAt&, kernels::KeyRange,
                     kernels::KeyRange k) const override {
    return asks_ && k.begin > 90 ? kernels::Seen::none : kernels::Seen::some;
  }
  void row(const kernels::ScoresAt& at, Index q, kernels::KeyRange k, bool* may) const override {
    for (Index j = k.begin; j < k.end; ++j) {
      may[j - k.begin] = j <= 90 && (q - j) % (3 - at.head % 2) == at.batch;
    }
  }

 private:
  bool asks_;
};

ScoreMap soft_cap(const Tensor& cap) {
  return score_map([](auto s, auto, auto c) { return c * tanh(s / c); }, cap);
}

const std::vector<Inside>& insides() {
  static const std::vector<Inside> all = {
      {"soft cap",
       [](const Tensors& x) { return AttentionOptions{.scale = 2, .map = soft_cap(x[0])}; },
       {{1}},
       1,
       2},
      {"slopes a head",
       [](const Tensors& x) {
         return AttentionOptions{
             .right = 0,
             .map = score_map(
                 [](auto s, auto at, auto slope) { return s - slope * abs(at.q - at.k); }, x[0])};
       },
       {{3}}},
      {"a table read twice",
       [](const Tensors& x) {
         return AttentionOptions{.map = score_map(
                                     [](auto s, auto at, auto t) {
                                       const auto far = minimum(abs(at.q - at.k), 4);
                                       return s * t(at.head, far) + t(0, 4 - far);
                                     },
                                     as_table(x[0]))};
       },
       {{3, 5}}},
      {"batch and where",
       [](const Tensors&) {
         return AttentionOptions{.map = score_map([](auto s, auto at) {
                                   return where(at.k > at.q, relu(s) - 1, s * (at.batch + 1));
                                 })};
       }},
      {"cap, then slopes, beside a bias",
       [](const Tensors& x) {
         const ScoreMap slopes = score_map(
             [](auto s, auto at, auto slope) { return s - slope * square(at.q - at.k) / 50; },
             x[1]);
         return AttentionOptions{.right = 3, .bias = x[2], .map = soft_cap(x[0]).then(slopes)};
       },
       {{3}, {3}, {3, 1, 1}},
       0.5,
       2},
      {"rule",
       [](const Tensors&) {
         return AttentionOptions{.right = 5, .rule = std::make_shared<Every>(true)};
       }},
      {"sinks",
       [](const Tensors& x) { return AttentionOptions{.right = 0, .sinks = x[0]}; },
       {{3}}},
      {"one sink for all, rule",
       [](const Tensors& x) {
         return AttentionOptions{.rule = std::make_shared<Every>(true), .sinks = x[0]};
       },
       {{}}},
      {"segments", [](const Tensors&) { return AttentionOptions{.right = 0}; }},
      {"everything",
       [](const Tensors& x) {
         return AttentionOptions{.right = 9,
                                 .bias = x[2],
                                 .rule = std::make_shared<Every>(true),
                                 .map = soft_cap(x[0]),
                                 .sinks = x[1]};
       },
       {{3}, {2, 1}, {2, 1, 1, 1}},
       0.5,
       2}};
  return all;
}

struct Case {
  Score score;
  std::size_t inside;
};
void PrintTo(const Case& each, std::ostream* out) {
  *out << insides()[each.inside].name << (each.score == Score::dot ? ", dot" : ", additive");
}
class AttentionInside : public testing::TestWithParam<Case> {};

// out, log_sums and all gradients of a random combination of both, of `attend`.
Tensors results(const Case& at, const Tensors& from, const Tensors& extras, bool tiled,
                double dropout = 0) {
  Tensors x, more, leaves;
  for (const Tensor& each : from)
    leaves.push_back(x.emplace_back(each.detach()).set_requires_grad());
  for (const Tensor& each : extras) {
    leaves.push_back(more.emplace_back(each.detach()).set_requires_grad());
  }
  AttentionOptions options = insides()[at.inside].options(more);
  if (insides()[at.inside].name == std::string("segments")) {
    const Index K = x[1].size(-2);
    options.segments = {0, 7 % K, 7 % K, K / 2, K};
  }
  Generator draws(3);
  options.dropout = dropout;
  options.generator = &draws;
  Tensor sums;
  Tensor out;
  if (at.score == Score::dot) {
    out = tiled ? dot_attention(x[0], x[1], x[2], options, &sums)
                : dot_attention_plain(x[0], x[1], x[2], options, &sums);
  } else {
    out = tiled ? additive_attention(x[0], x[1], x[3], x[2], options, &sums)
                : additive_attention_plain(x[0], x[1], x[3], x[2], options, &sums);
  }
  Generator draw(11);
  const Tensor g = Tensor(draw.normal(out.shape(), 0, 1, out.dtype()));
  const Tensor h = Tensor(draw.normal(sums.shape(), 0, 1, out.dtype()));
  const Tensor some = sums > -std::numeric_limits<double>::infinity();
  Tensors all = {out.detach(), where(some, sums, 0).detach()};
  const Tensors gradients = grad({sum(out * g) + sum(where(some, sums, 0) * h)}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    all.push_back(gradients[i].defined() ? gradients[i] : zeros(leaves[i].shape(), out.dtype()));
  }
  return all;
}

Tensors drawn_extras(const Inside& inside, DType dtype = DType::f64) {
  Generator draw(5);
  Tensors out;
  for (const Shape& shape : inside.extras) {
    out.emplace_back(draw.uniform(shape, inside.low, inside.high, dtype));
  }
  return out;
}

const Sizes kSizes[] = {{"several tiles", {2, 3, 71, 5}, {2, 3, 131, 5}, {2, 3, 131, 7}},
                        {"few queries", {2, 3, 3, 5}, {2, 1, 67, 5}, {2, 1, 67, 3}},
                        {"more queries than keys", {2, 3, 83, 3}, {2, 3, 31, 3}, {2, 3, 31, 2}}};

TEST_P(AttentionInside, IsTheDefinition) {
  const Inside& inside = insides()[GetParam().inside];
  for (const Sizes& sizes : kSizes) {
    SCOPED_TRACE(sizes.name);
    const Tensors x = drawn(GetParam().score, sizes), extras = drawn_extras(inside);
    expect_near(results(GetParam(), x, extras, true), results(GetParam(), x, extras, false), 1e-10);
  }
}

TEST_P(AttentionInside, DropsTheSameWeights) {
  const Inside& inside = insides()[GetParam().inside];
  for (const Sizes& sizes : kSizes) {
    SCOPED_TRACE(sizes.name);
    const Tensors x = drawn(GetParam().score, sizes), extras = drawn_extras(inside);
    expect_near(results(GetParam(), x, extras, true, 0.3),
                results(GetParam(), x, extras, false, 0.3), 1e-10);
  }
}

TEST_P(AttentionInside, IsInF32WhatItIsInF64) {
  const Inside& inside = insides()[GetParam().inside];
  Tensors single, extras;
  for (const Tensor& each : drawn(GetParam().score, kSizes[0])) {
    single.emplace_back(each.array().to(DType::f32));
  }
  for (const Tensor& each : drawn_extras(inside)) extras.emplace_back(each.array().to(DType::f32));
  Tensors x, more;
  for (const Tensor& each : single) x.emplace_back(each.array().to(DType::f64));
  for (const Tensor& each : extras) more.emplace_back(each.array().to(DType::f64));
  expect_near(results(GetParam(), single, extras, true, 0.1),
              results(GetParam(), x, more, false, 0.1), 2e-4);
}

TEST_P(AttentionInside, HasTheSameBitsForAnyNumberOfThreads) {
  const Inside& inside = insides()[GetParam().inside];
  const Tensors x = drawn(GetParam().score, kSizes[0], DType::f32);
  const Tensors extras = drawn_extras(inside, DType::f32);
  const int before = num_threads();
  set_num_threads(1);
  const Tensors one = results(GetParam(), x, extras, true, 0.2);
  set_num_threads(3);
  expect_same_bits(results(GetParam(), x, extras, true, 0.2), one);
  set_num_threads(before);
}

TEST_P(AttentionInside, PassesTheSecondCheck) {
  const Inside& inside = insides()[GetParam().inside];
  const Sizes small{"small", {2, 3, 3, 2}, {2, 3, 5, 2}, {2, 3, 5, 2}};
  Tensors leaves = drawn(GetParam().score, small);
  const std::size_t operands = leaves.size();
  for (const Tensor& each : drawn_extras(inside)) leaves.push_back(each);
  const auto call = [&](const Tensors& all) -> Tensor {
    AttentionOptions options =
        inside.options({all.begin() + static_cast<std::ptrdiff_t>(operands), all.end()});
    Generator draws(3);
    options.dropout = 0.25;
    options.generator = &draws;
    Tensor sums;
    const Tensor out = GetParam().score == Score::dot
                           ? dot_attention(all[0], all[1], all[2], options, &sums)
                           : additive_attention(all[0], all[1], all[3], all[2], options, &sums);
    const Tensor some = sums > -std::numeric_limits<double>::infinity();
    return out + unsqueeze(where(some, sums, 0), -1);
  };
  const auto first = gradcheck(call, leaves, {.max_elements = 7});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(call, leaves, {.max_elements = 5});
  EXPECT_TRUE(second) << second.text();
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t i = 0; i < insides().size(); ++i) {
    all.push_back({Score::dot, i});
    all.push_back({Score::additive, i});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, AttentionInside, testing::ValuesIn(cases()), [](const auto& entry) {
  std::string name = insides()[entry.param.inside].name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name + (entry.param.score == Score::dot ? "_dot" : "_additive");
});

TEST(AttentionRules, WholeBlocksAndPlacesGiveTheSameBits) {
  const Tensors x = drawn(Score::dot, kSizes[0], DType::f32);
  const auto of = [&](bool asks) {
    return all(attend, Score::dot, x, {.rule = std::make_shared<Every>(asks)});
  };
  expect_same_bits(of(true), of(false));
}

TEST(AttentionMaps, ANumberThatIsNoneIsRefused) {
  const Tensors x = drawn(Score::dot, kSizes[0]);
  const ScoreMap logs = score_map([](auto s, auto) { return log(s); });
  EXPECT_ERROR_WITH(ValueError, "dot_attention: the score map gives NaN",
                    dot_attention(x[0], x[1], x[2], {.map = logs}));
  // What nobody sees may be anything: a table ends behind the query's own place.
  const ScoreMap near = score_map([](auto s, auto at, auto t) { return s + t(at.q - at.k); },
                                  as_table(zeros({131}, DType::f64)));
  EXPECT_EQ(relative_difference(dot_attention(x[0], x[1], x[2], {.right = 0, .map = near}),
                                dot_attention(x[0], x[1], x[2], {.right = 0})),
            0);
  EXPECT_THROW(dot_attention(x[0], x[1], x[2], {.map = near}), ValueError);
}

TEST(AttentionMaps, RefuseWhatTheyCannotCapture) {
  const Tensors x = drawn(Score::dot, kSizes[0]);
  const auto of = [&](auto captured) {
    return [&, captured] {
      dot_attention(x[0], x[1], x[2],
                    {.map = score_map([](auto s, auto, auto c) { return s * c; }, captured)});
    };
  };
  EXPECT_ERROR_WITH(ShapeError,
                    "score_map: a captured number must be one for all or [3], one a head, of "
                    "scores [2, 3, 71, 131]",
                    of(zeros({2}, DType::f64))());
  EXPECT_ERROR_WITH(DTypeError, "must be f64 as the scores", of(zeros({1}))());
  for (const DType other : {DType::f32, DType::i64}) {
    EXPECT_ERROR_WITH(DTypeError, "a captured tensor must be f64 as the scores, not",
                      of(zeros({7}, other))());
  }
  EXPECT_ERROR_WITH(DTypeError, "a captured tensor must be f64 as the scores, not f32[131]",
                    of(each_place(zeros({131}, DType::f32)))());
  EXPECT_ERROR_WITH(ShapeError, "each_place must broadcast",
                    of(each_place(zeros({7, 131}, DType::f64)))());
  EXPECT_ERROR_WITH(GradError, "requires a gradient, and gets none",
                    of(each_place(zeros({71, 131}, DType::f64).set_requires_grad()))());
}

TEST(AttentionDropout, RefusesWhatItCannotThin) {
  EXPECT_ERROR_WITH(GradError, "attention_dropout: weights", attention_dropout(Tensor(), 0.5));
  EXPECT_ERROR(ShapeError, "attention_dropout: weights must be [.., Q, K], not f32[3]",
               attention_dropout(zeros({3}), 0.5));
  EXPECT_ERROR(ValueError, "attention_dropout: p 2 is not in [0, 1]",
               attention_dropout(zeros({3, 2}), 2));
}

TEST(AttentionMaps, ReadEachPlace) {
  const Tensors x = drawn(Score::dot, kSizes[0]);
  Generator draw(3);
  const Tensor factor(draw.normal({3, 71, 131}, 0, 1, DType::f64));
  const AttentionOptions options{
      .map = score_map([](auto s, auto, auto c) { return s * c; }, each_place(factor))};
  expect_near(all(attend, Score::dot, x, options), all(attend_plain, Score::dot, x, options),
              1e-10);
}

// Of places, which are often equal, and of scores, which are not.
TEST(AttentionMaps, CompareAsThePlainPathDoes) {
  const Tensors x = drawn(Score::dot, kSizes[0]);
  const auto check = [&](const char* name, const auto& holds) {
    SCOPED_TRACE(name);
    const AttentionOptions options{.map = score_map([&](auto s, auto at) {
                                     return where(holds(at.k, at.q), s,
                                                  where(holds(s, s * s), s * 2, s - 1));
                                   })};
    expect_near(all(attend, Score::dot, x, options), all(attend_plain, Score::dot, x, options),
                1e-10);
  };
  check("==", [](auto a, auto b) { return a == b; });
  check("!=", [](auto a, auto b) { return a != b; });
  check("<", [](auto a, auto b) { return a < b; });
  check("<=", [](auto a, auto b) { return a <= b; });
  check(">", [](auto a, auto b) { return a > b; });
  check(">=", [](auto a, auto b) { return a >= b; });
}

TEST(AttentionSegments, MustFitTheKeys) {
  const Tensors x = drawn(Score::dot, kSizes[0]);
  for (const std::vector<Index>& bad :
       std::vector<std::vector<Index>>{{0, 7}, {1, 131}, {0, 9, 5, 131}, {0, 132}}) {
    EXPECT_ERROR_WITH(ValueError, "dot_attention: segments must begin at 0",
                      dot_attention(x[0], x[1], x[2], {.segments = bad}));
  }
}

}  // namespace
}  // namespace heed::attention_cases
