// Score maps with names: each against its formula, with gradients of both orders; and what carries
// them, sinks and dropout through MultiHead and a stack.
#include "../../../attention/maps/maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "../../../attention/attend.h"
#include "../../../attention/masks/rules.h"
#include "../../../attention/mechanisms/transformer/transformer_encoder.h"
#include "../../../attention/merge.h"
#include "../../../attention/normalisers/monotonic.h"
#include "../../../attention/normalisers/sparse.h"
#include "../../../attention/scores/feature_wise.h"
#include "../../../autograd/gradcheck.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../nn/gradcheck.h"
#include "../../support/throws.h"
#include "../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kH = 3, kQ = 3, kK = 5;

struct Named {
  const char* name;
  std::vector<Tensor> learned;
  std::function<ScoreMap(const std::vector<Tensor>& learned)> map;
  std::function<double(double s, Index h, Index q, Index k)> formula;
};

Tensor distances() {
  std::vector<Index> out;
  for (Index i = 0; i < kQ * kK; ++i) out.push_back(i * i % 7 % 4);
  return indices(out, {kQ, kK});
}

std::vector<Named> named() {
  const Tensor slopes = tensor({0.3, -0.2, 0.7}, {kH}, DType::f64);
  Generator draw(3);
  const Tensor table(draw.normal({kH, 4}, 0, 1, DType::f64));
  const Numbers m = numbers(slopes), t = numbers(table);
  const auto far = distances().array().to_vector<Index>();
  return {{"soft_cap of a number",
           {},
           [](const auto&) { return maps::soft_cap(1.3); },
           [](double s, Index, Index, Index) { return 1.3 * std::tanh(s / 1.3); }},
          {"soft_cap",
           {tensor({0.8}, {1}, DType::f64)},
           [](const auto& x) { return maps::soft_cap(x[0]); },
           [](double s, Index, Index, Index) { return 0.8 * std::tanh(s / 0.8); }},
          {"slopes",
           {slopes},
           [](const auto& x) { return maps::slopes(x[0]); },
           [=](double s, Index h, Index q, Index k) {
             return s - at(m, h) * static_cast<double>(std::abs(q - k));
           }},
          {"by_distance",
           {table},
           [](const auto& x) { return maps::by_distance(x[0], distances()); },
           [=](double s, Index h, Index q, Index k) {
             return s + at(t, h * 4 + far[static_cast<std::size_t>((q - (kK - kQ)) * kK + k)]);
           }},
          {"sandwich",
           {},
           [](const auto&) { return maps::sandwich(kH, kK, 6, DType::f64); },
           [](double s, Index h, Index q, Index k) {
             double sum = 0;
             for (int i = 1; i <= 3; ++i) {
               sum += std::cos(static_cast<double>(q - k) / std::pow(10000, 2.0 * i / 6));
             }
             return s + 8.0 * static_cast<double>(h + 1) / kH * sum;
           }}};
}

TEST(Maps, AreTheirFormulasWithGradientsOfBothOrders) {
  std::set<std::string> right;  // by the first word: some have two faces
  for (const Named& each : named()) {
    SCOPED_TRACE(each.name);
    Generator draw(5);
    const Tensor scores(draw.normal({kB, kH, kQ, kK}, 0, 1, DType::f64));
    const Tensor mapped = each.map(each.learned)(scores);
    Numbers wanted;
    for (Index n = 0; n < scores.numel(); ++n) {
      wanted.push_back(
          each.formula(at(numbers(scores), n), n / kK / kQ % kH, n / kK % kQ + kK - kQ, n % kK));
    }
    EXPECT_THAT(numbers(mapped), near(wanted));
    std::vector<Tensor> leaves;
    for (const Index n : {kQ, kK, kK})
      leaves.emplace_back(draw.normal({kB, kH, n, 2}, 0, 1, DType::f64));
    for (const Tensor& learned : each.learned) leaves.push_back(learned);
    const auto call = [&](const std::vector<Tensor>& x) {
      return attend(x[0], x[1], x[2],
                    {.map = each.map({x.begin() + 3, x.end()}), .tiles_only = true})
          .context;
    };
    const auto first = gradcheck(call, leaves);
    EXPECT_TRUE(first) << first.text();
    const auto second = gradgradcheck(call, leaves, {.max_elements = 7});
    EXPECT_TRUE(second) << second.text();
    const std::string name = each.name;
    if (first && second) right.insert(name.substr(0, name.find(' ')));
  }
  RecordProperty("score_maps", static_cast<int>(right.size()));
}

// In the tile as with the weights.
TEST(Maps, AreTheSameWithWeights) {
  Generator draw(7);
  const auto drawn = [&](Index n) { return Tensor(draw.normal({kB, kH, n, 7}, 0, 1, DType::f64)); };
  const Tensor q = drawn(71), k = drawn(83), v = drawn(83);
  const Tensor slopes = tensor({0.3, 0.1, 0.2}, {kH}, DType::f64);
  for (const double dropout : {0.0, 0.3}) {
    const auto of = [&](bool need_weights) {
      Generator draws(5);
      Terms terms{.mask = masks::window_with_sinks(31, 2)};
      terms.map = maps::soft_cap(1.5).then(maps::slopes(slopes));
      terms.sinks = slopes;
      terms.dropout = dropout;
      terms.generator = &draws;
      terms.need_weights = need_weights;
      terms.need_log_sums = true;
      return attend(q, k, v, terms);
    };
    const Attended tiled = of(false), whole = of(true);
    EXPECT_THAT(numbers(tiled.context), near(whole.context));
    EXPECT_THAT(numbers(tiled.log_sums), near(whole.log_sums));
  }
}

TEST(Merge, IsAttentionOverAllKeysAtOnce) {
  Generator draw(7);
  const auto drawn = [&](Index n) { return Tensor(draw.normal({kB, n, 3}, 0, 1, DType::f64)); };
  std::vector<Tensor> x = {drawn(kQ), drawn(11), drawn(11)};
  const auto merged = [&](const std::vector<Tensor>& y) {
    const auto part = [&](Index begin, Index count, const Mask& mask) {
      return attend(y[0], narrow(y[1], 1, begin, count), narrow(y[2], 1, begin, count),
                    {.mask = mask, .need_log_sums = true});
    };
    // The second row sees nothing in the first part, and nobody anything in the last.
    return merge({part(0, 4, Mask::lengths({4, 0}, 4)), part(4, 5, Mask()),
                  part(9, 2, Mask::lengths({0, 0}, 2))});
  };
  const auto whole = [&](const std::vector<Tensor>& y) {
    std::vector<bool> may;
    for (Index b = 0; b < kB; ++b) {
      for (Index k = 0; k < 11; ++k) may.push_back(k < 9 && (b == 0 || k >= 4));
    }
    return attend(
        y[0], y[1], y[2],
        {.mask = Mask::key_padding(Array::from<bool>(may, {kB, 11})), .need_log_sums = true});
  };
  EXPECT_THAT(numbers(merged(x).context), near(whole(x).context));
  EXPECT_THAT(numbers(merged(x).log_sums), near(whole(x).log_sums));
  const auto both = [&](const std::vector<Tensor>& y) {
    const Attended out = merged(y);
    return out.context + unsqueeze(out.log_sums, -1);
  };
  const auto first = gradcheck(both, x);
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(both, x, {.max_elements = 7});
  EXPECT_TRUE(second) << second.text();
  const Attended nothing =
      merge({attend(x[0], x[1], x[2], {.mask = !Mask(), .need_log_sums = true})});
  EXPECT_EQ(sum(abs(nothing.context)).item(), 0);
}

// A step's sums are a number a row, as its context is a row; heads in groups give theirs in order.
TEST(Merge, JoinsStepsAndHeadsInGroups) {
  manual_seed(3);
  const Tensor query = randn({kB, 3}, DType::f64);
  const Tensor keys = randn({kB, 7, 3}, DType::f64), values = randn({kB, 7, 2}, DType::f64);
  const auto step = [&](Index begin, Index count) {
    return Memory(narrow(keys, 1, begin, count), narrow(values, 1, begin, count))
        .step(query, {.need_log_sums = true});
  };
  const Attended whole = step(0, 7), parts = merge({step(0, 2), step(2, 5)});
  EXPECT_EQ(whole.log_sums.shape(), (Shape{kB}));
  EXPECT_THAT(numbers(parts.context), near(whole.context));
  EXPECT_THAT(numbers(parts.log_sums), near(whole.log_sums));

  const MultiHead heads({.width = 12, .heads = 6, .kv_heads = 2, .dtype = DType::f64});
  const Tensor x = randn({kB, kK, 12}, DType::f64);
  const Attended tiled = heads(x, {.need_log_sums = true});
  const Attended block = heads(x, {.need_weights = true, .need_log_sums = true});
  EXPECT_EQ(tiled.log_sums.shape(), (Shape{kB, 6, kK}));
  EXPECT_THAT(numbers(tiled.log_sums), near(block.log_sums));
}

TEST(Merge, RefusesWhatDoesNotFit) {
  const Tensor x = randn({2, 3, 5});
  EXPECT_ERROR_WITH(ValueError, "merge: no parts", merge({}));
  EXPECT_ERROR_WITH(ValueError, "merge: part 0 has no log_sums", merge({attend(x, x, x)}));
  const Attended a = attend(x, x, x, {.need_log_sums = true});
  const Tensor y = randn({2, 4, 5});
  EXPECT_ERROR_WITH(ShapeError, "merge: part 1",
                    merge({a, attend(y, y, y, {.need_log_sums = true})}));
}

// Through heads in groups and a stack, against terms that make the block.
TEST(Inside, PassesThroughHeadsAndStacks) {
  manual_seed(3);
  TransformerOptions options{.width = 12,
                             .heads = 6,
                             .kv_heads = 2,
                             .hidden = 7,
                             .dropout = 0,
                             .pre_norm = true,
                             .dtype = DType::f64};
  options.self_heads = [](MultiHeadOptions heads, Index) {
    heads.sinks = true;
    return heads;
  };
  TransformerEncoder stack(2, options, true);
  const auto* heads = dynamic_cast<const MultiHead*>(&stack.layers[0].self_attn);
  ASSERT_NE(heads, nullptr);
  EXPECT_EQ(heads->sinks.shape(), (Shape{6}));
  const Tensor slopes = tensor({0.1, 0.2, 0.3, -0.1, -0.2, 0.5}, {6}, DType::f64);
  const Tensor factor = randn({6, 5, 5}, DType::f64);
  const Tensor cap = tensor({1.5}, {1}, DType::f64);
  const Tensor ids = indices({0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, {kB, 5});
  const auto terms = [&](bool need_weights) {
    Terms out{.mask = masks::documents(ids) & Mask::rule([](auto q, auto k, auto, auto head) {
                        return k <= q || head % 2 == 1;
                      })};
    out.map = maps::soft_cap(cap)
                  .then(maps::slopes(slopes))
                  .then(score_map([](auto s, auto, auto f) { return s * f; }, each_place(factor)));
    out.need_weights = need_weights;
    return out;
  };
  const Tensor x = randn({kB, 5, 12}, DType::f64);
  EXPECT_THAT(numbers(stack(x, terms(false)).output), near(stack(x, terms(true)).output));
  const auto report = nn::gradcheck(
      stack, [&] { return stack(x, terms(false)).output; }, {.max_elements = 3},
      {{"cap", Tensor(cap).set_requires_grad()}, {"slopes", Tensor(slopes).set_requires_grad()}});
  EXPECT_TRUE(report) << report.text();
}

TEST(Inside, RefusesWhatMakesNoSense) {
  const Tensor x = randn({1, 3, 4});
  const auto with = [&](const Terms& terms) { return [&x, terms] { attend(x, x, x, terms); }; };
  const Sparsemax sparsemax;
  const SoftmaxPlusOne plus_one;
  const Monotonic monotonic;
  Terms blocks{.need_weights = true};
  blocks.tiles_only = true;
  EXPECT_ERROR_WITH(ValueError, "attend: tiles_only, but scores", with(blocks)());
  EXPECT_ERROR_WITH(ValueError, "attend: log_sums are those of softmax",
                    with({.normaliser = &sparsemax, .need_log_sums = true})());
  EXPECT_ERROR_WITH(ValueError, "softmax-plus-one has a sink of its own",
                    with({.normaliser = &plus_one, .sinks = zeros({1})})());
  EXPECT_ERROR_WITH(ValueError, "attend: sinks stand beside one score",
                    with({.normaliser = &monotonic, .sinks = zeros({1})})());
  EXPECT_ERROR_WITH(ShapeError, "attend: sinks f32[7] does not broadcast",
                    with({.sinks = zeros({7})})());
  EXPECT_ERROR_WITH(DTypeError, "attend: sinks must be f32",
                    with({.sinks = zeros({1}, DType::f64)})());
  EXPECT_ERROR_WITH(ValueError, "the score map gives NaN",
                    with({.map = score_map([](auto s, auto) { return log(s - 100); })})());
  const auto undefined = [](const char* name) {
    return std::string("score_map: ") + name + " is undefined";
  };
  EXPECT_ERROR_WITH(GradError, undefined("cap"), maps::soft_cap(Tensor()));
  EXPECT_ERROR_WITH(GradError, undefined("slopes"), maps::slopes(Tensor()));
  EXPECT_ERROR_WITH(GradError, undefined("table"), maps::by_distance(Tensor(), x));
  EXPECT_ERROR_WITH(GradError, undefined("distances"), maps::by_distance(x, Tensor()));
  EXPECT_ERROR_WITH(
      ValueError, "the score map gives NaN",
      with({.map = score_map([](auto s, auto) { return log(s - 100); }), .need_weights = true})());
  const FeatureWise by_feature(4, 4, 3, 4);
  EXPECT_ERROR_WITH(ValueError, "a score map takes one score a place",
                    attend(by_feature, x, x, x, {.map = maps::soft_cap(1)}));
  EXPECT_ERROR_WITH(ValueError, "soft_cap: cap 0", maps::soft_cap(0));
  EXPECT_ERROR_WITH(ValueError, "width 3", maps::sandwich(2, 5, 3));
  constexpr Index kHuge = Index{1} << 62;
  EXPECT_ERROR_WITH(ShapeError, "score_map: sandwich: ", maps::sandwich(2, 1, kHuge));
  EXPECT_ERROR_WITH(ShapeError, "score_map: sandwich: ", maps::sandwich(2, kHuge, 6));
  EXPECT_ERROR_WITH(ShapeError, "score_map: sandwich: ", maps::sandwich(kHuge, 5, 6));
  EXPECT_ERROR(OutOfMemory,
               "score_map: sandwich: 4611686018427387904 biases do not fit into memory",
               maps::sandwich(kHuge, 1, 6));
  EXPECT_ERROR_WITH(ShapeError, "the table must be [H, D]",
                    maps::by_distance(zeros({3}), indices({1}, {1})));
  EXPECT_ERROR_WITH(DTypeError, "distances must be i64",
                    maps::by_distance(zeros({3, 2}), zeros({1})));
}

}  // namespace
}  // namespace heed::attention
