// What heads may have beside the paper's: each option against attend() over heads made by hand, and
// the checks of its gradients.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../../attention/normalisers/sparse.h"
#include "../../../../attention/scores/additive.h"
#include "../../../../attention/scores/general.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/activation.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/normalise/layer_norm.h"
#include "../../../../autograd/ops/normalise/rms_norm.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "../plain.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kT = 5, kE = 7, kH = 6, kD = 4;

// Six heads of queries over `kv_heads` of keys, narrower than E / H would have them.
MultiHeadOptions sizes(Index kv_heads) {
  return {.width = kE,
          .heads = kH,
          .kv_heads = kv_heads,
          .head_width = kD,
          .value_head_width = 3,
          .dtype = DType::f64};
}

// heads [B, H, T, ..] as options_ and the weights say, each head with keys of its own.
struct ByHand {
  explicit ByHand(const MultiHead& of, const Tensor& x) : made(of), o(of.options()) {
    const Index q_rows = kH * o.head_width, k_rows = o.kv_heads * o.head_width;
    const Tensor all = linear(x, made.in_proj_weight, made.in_proj_bias);
    const auto heads = [&](Index first, Index count, Index width) {
      const Tensor rows = narrow(all, 2, first, count * width);
      return transpose(reshape(rows, {kB, kT, count, width}), 1, 2);
    };
    q = heads(0, kH, o.head_width);
    k = own(heads(q_rows, o.kv_heads, o.head_width));
    v = own(heads(q_rows + k_rows, o.kv_heads, o.value_head_width));
  }
  // [B, kv, T, w] -> [B, H, T, w], each of the shared ones as often as it is shared.
  Tensor own(const Tensor& x) const {
    const Index G = kH / o.kv_heads;
    return flatten(expand(unsqueeze(x, 2), {kB, o.kv_heads, G, kT, x.size(3)}), 1, 2);
  }
  Tensor out(const Tensor& context) const {
    return made.out_proj(reshape(transpose(context, 1, 2), {kB, kT, kH * o.value_head_width}));
  }
  const MultiHead& made;
  const MultiHeadOptions& o;
  Tensor q, k, v;
};

class MultiHeadOption : public testing::TestWithParam<Index> {
 protected:
  MultiHeadOption() { manual_seed(3); }
  // made(x) is `want` of the heads by hand, with weights and without, and passes the checks.
  template <class Want>
  void expect(const MultiHeadOptions& options, const Want& want, const Mask& mask = Mask()) {
    MultiHead made(options);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.4);
    const Tensor x = randn({kB, kT, kE}, DType::f64);
    for (const bool need_weights : {false, true}) {
      const Attended out = made(x, {.mask = mask, .need_weights = need_weights});
      const ByHand heads(made, x);
      const Attended wanted = want(heads);
      EXPECT_THAT(numbers(out.context), near(heads.out(wanted.context), 1e-10));
      if (need_weights && wanted.weights.defined()) {
        EXPECT_THAT(numbers(out.weights), near(wanted.weights, 1e-10));
      }
    }
    const auto loss = [&] { return made(x, {.mask = mask}).context; };
    const auto first = nn::gradcheck(made, loss, {.step = 1e-4, .max_elements = 5});
    EXPECT_TRUE(first) << first.text();
    const auto second = nn::gradgradcheck(made, loss, {.step = 1e-4, .max_elements = 3});
    EXPECT_TRUE(second) << second.text();
  }
};
INSTANTIATE_TEST_SUITE_P(Shared, MultiHeadOption, testing::Values(6, 2, 1));

TEST_P(MultiHeadOption, WidthsOfTheirOwn) {
  expect(
      sizes(GetParam()),
      [](const ByHand& h) {
        return attend(h.q, h.k, h.v, {.mask = Mask::causal(), .need_weights = true});
      },
      Mask::causal());
}

TEST_P(MultiHeadOption, AnyScale) {
  MultiHeadOptions options = sizes(GetParam());
  options.scale = 1;
  expect(options, [](const ByHand& h) { return attend(Dot(), h.q, h.k, h.v); });
}

TEST_P(MultiHeadOption, AnyScore) {
  const auto general = std::make_shared<General>(kD, kD, DType::f64);
  const auto additive = std::make_shared<Additive>(kD, kD, 3, true, DType::f64);
  for (const std::shared_ptr<Score>& score :
       std::vector<std::shared_ptr<Score>>{general, additive}) {
    MultiHeadOptions options = sizes(GetParam());
    options.score = score;
    expect(options, [&](const ByHand& h) { return attend(*score, h.q, h.k, h.v); });
    EXPECT_EQ(MultiHead(options).state_dict().size(), 4 + score->state_dict().size());
  }
}

TEST_P(MultiHeadOption, EntmaxWithAnAlphaAHead) {
  MultiHeadOptions options = sizes(GetParam());
  const auto entmax =
      std::make_shared<Entmax>(EntmaxOptions{.learned = true, .heads = kH, .dtype = DType::f64});
  options.normaliser = entmax;
  MultiHead made(options);
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const ByHand heads(made, x);
  Tensor alphas = entmax->log_excess;
  nn::normal_(alphas, 0, 0.5);
  const Attended want =
      attend(heads.q, heads.k, heads.v,
             {.normaliser = entmax.get(), .mask = Mask::causal(), .need_weights = true});
  const Attended out = made(x, {.mask = Mask::causal(), .need_weights = true});
  EXPECT_THAT(numbers(out.weights), near(want.weights));
  EXPECT_THAT(numbers(out.context), near(heads.out(want.context)));
}

TEST_P(MultiHeadOption, RelativePositionsAtTheScoresScale) {
  for (const double scale : {0.5, 2.0}) {
    MultiHeadOptions options = sizes(GetParam());
    options.scale = scale;
    options.relative = std::make_shared<RelativePositions>(
        RelativeOptions{.key_width = kD, .value_width = 3, .clip = 2, .dtype = DType::f64});
    expect(options, [&](const ByHand& h) {
      // e_ij = scale q_i . (k_j + a_ij),  c_i = sum_j w_ij (v_j + b_ij), one pair at a time.
      const RelativePositions& table = *options.relative;
      std::vector<Tensor> contexts;
      for (Index i = 0; i < kT; ++i) {
        std::vector<Tensor> scores, values;
        for (Index j = 0; j < kT; ++j) {
          const Index row = std::clamp<Index>(j - i, -2, 2) + 2;
          const Tensor key = select(h.k, 2, j) + select(table.keys, 0, row);
          scores.push_back(sum(select(h.q, 2, i) * key, {-1}) * scale);
          values.push_back(select(h.v, 2, j) + select(table.values, 0, row));
        }
        const Tensor e = stack(scores, -1), p = exp(e - logsumexp(e, {-1}, true));
        contexts.push_back(sum(unsqueeze(p, -1) * stack(values, 2), {2}));
      }
      return Attended{stack(contexts, 2)};
    });
  }
}

TEST_P(MultiHeadOption, NormsOfQueriesAndKeys) {
  for (const QkNorm norm : {QkNorm::layer, QkNorm::rms}) {
    MultiHeadOptions options = sizes(GetParam());
    options.qk_norm = norm;
    expect(options, [&](const ByHand& h) {
      const auto normed = [&](const Tensor& x, const Tensor& weight) {
        return norm == QkNorm::layer ? layer_norm(x, {kD}, weight) : rms_norm(x, {kD}, weight);
      };
      return attend(normed(h.q, h.made.q_norm), normed(h.k, h.made.k_norm), h.v);
    });
  }
}

TEST_P(MultiHeadOption, AGateAndAScaleAHead) {
  MultiHeadOptions options = sizes(GetParam());
  options.head_scale = true;
  expect(options, [](const ByHand& h) {
    return Attended{attend(h.q, h.k, h.v).context * reshape(h.made.head_scale, {kH, 1, 1})};
  });
  options.gate = true;
  MultiHead made(options);
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const ByHand heads(made, x);
  const Tensor joined = reshape(
      transpose(attend(heads.q, heads.k, heads.v).context * reshape(made.head_scale, {kH, 1, 1}), 1,
                2),
      {kB, kT, kH * 3});
  EXPECT_THAT(numbers(made(x).context),
              near(made.out_proj(joined * sigmoid((*made.gate)(x))), 1e-12));
}

// Padding, also where a row is nothing else, leaves no trace in what all rows share.
TEST_P(MultiHeadOption, AGateAndAScaleSeeNothingOfPadding) {
  for (const bool gate : {false, true}) {
    MultiHeadOptions options = sizes(GetParam());
    options.gate = gate;
    options.head_scale = !gate;
    MultiHead made(options);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.4);
    const Tensor x = randn({kB, kT, kE}, DType::f64);
    for (const std::vector<Index>& lengths : {std::vector<Index>{kT, 3}, {kT, 0}}) {
      const Mask mask = Mask::lengths(lengths, kT);
      const Tensor real = unsqueeze(mask.tensor({kB, kT}), -1);
      plain::expect_hidden([&](double value) {
        const Tensor spoilt = plain::spoiled(x, lengths, value);
        return plain::bits_of(plain::leaves_of(made, {{"x", spoilt}}), [&] {
          return std::vector<Tensor>{where(real, made(spoilt, {.mask = mask}).context, 0)};
        });
      });
    }
  }
}

// Keys and values that every query may attend to, behind those of the sequence.
TEST_P(MultiHeadOption, KeysAndValuesBesideThoseOfTheSequence) {
  for (const HeadExtrasOptions& extras :
       {HeadExtrasOptions{.slots = 2}, HeadExtrasOptions{.bias_kv = true},
        HeadExtrasOptions{.slots = 1, .bias_kv = true, .zero = true}}) {
    MultiHeadOptions options = sizes(GetParam());
    options.extras = extras;
    const Mask mask = Mask::causal() & Mask::lengths({4, 0}, kT);
    expect(
        options,
        [&](const ByHand& h) {
          const auto with = [&](const Tensor& x, const Tensor& slots, const Tensor& bias) {
            const Index kv = h.o.kv_heads, G = kH / kv, w = x.size(3);
            std::vector<Tensor> parts = {x};
            for (const Tensor& extra : {slots, bias}) {
              if (!extra.defined()) continue;
              const Index n = extra.numel() / (kv * w);
              const Tensor rows = transpose(reshape(extra, {n, kv, w}), 0, 1);  // [kv, n, w]
              const Tensor each = flatten(expand(unsqueeze(rows, 1), {kv, G, n, w}), 0, 1);
              parts.push_back(expand(unsqueeze(each, 0), {kB, kH, n, w}));
            }
            if (extras.zero) parts.push_back(zeros({kB, kH, 1, w}, DType::f64));
            return concat(parts, 2);
          };
          const Tensor keys = with(h.k, h.made.slot_keys, h.made.bias_k);
          const Tensor seen = mask.tensor({kB, kH, kT, kT});
          const Tensor open = zeros({kB, 1, kT, keys.size(2) - kT}) == 0;  // all of the extra ones
          return attend(h.q, keys, with(h.v, h.made.slot_values, h.made.bias_v),
                        {.mask = Mask(concat({expand(seen, {kB, 1, kT, kT}), open}, -1)),
                         .need_weights = true});
        },
        mask);
  }
}

// A score map holds for the sequence alone: the identity changes nothing, and one that takes all of
// the sequence's scores away leaves the extra keys.
TEST_P(MultiHeadOption, KeysAndValuesBesideThoseThatAMapHoldsFor) {
  for (const HeadExtrasOptions& extras :
       {HeadExtrasOptions{.slots = 2},
        HeadExtrasOptions{.slots = 1, .bias_kv = true, .zero = true}}) {
    MultiHeadOptions options = sizes(GetParam());
    options.extras = extras;
    options.sinks = true;
    MultiHead made(options);
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.4);
    const Tensor x = randn({kB, kT, kE}, DType::f64);
    const Tensor bias = randn({kH, kT, kT}, DType::f64);
    const ScoreMap same = score_map([](auto score, auto) { return score * 1.0; });
    const Mask mask = Mask::causal() & Mask::lengths({4, 0}, kT);
    const auto with = [&](const ScoreMap& map) {
      return made(x, {.mask = mask,
                      .bias = bias,
                      .map = map,
                      .need_weights = true,
                      .need_statistics = true,
                      .need_log_sums = true});
    };
    const Attended want = with({}), found = with(same);
    EXPECT_THAT(numbers(found.context), near(want.context, 1e-10));
    EXPECT_THAT(numbers(found.weights), near(want.weights, 1e-10));
    EXPECT_THAT(numbers(found.log_sums), near(want.log_sums, 1e-10));
    EXPECT_THAT(numbers(found.statistics.received()), near(want.statistics.received(), 1e-10));
    EXPECT_FALSE(made(x, {.map = same}).weights.defined());

    const Attended rest = with(score_map([](auto score, auto) { return score - 1e4; }));
    EXPECT_THAT(numbers(sum(narrow(rest.weights, 3, 0, kT))), near(zeros({}, DType::f64), 1e-10));
    const Attended alone = made(x, {.mask = Mask::lengths({0, 0}, kT), .need_weights = true});
    EXPECT_THAT(numbers(rest.weights), near(alone.weights, 1e-10));
    EXPECT_THAT(numbers(rest.context), near(alone.context, 1e-10));

    const auto loss = [&] { return made(x, {.mask = mask, .bias = bias, .map = same}).context; };
    const auto first = nn::gradcheck(made, loss, {.step = 1e-4, .max_elements = 5});
    EXPECT_TRUE(first) << first.text();
  }
}

TEST_P(MultiHeadOption, AMapBesideExtraKeysTakesSoftmaxAndItsOneSink) {
  MultiHeadOptions options = sizes(GetParam());
  options.extras = {.slots = 2};
  const MultiHead made(options);
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const ScoreMap same = score_map([](auto score, auto) { return score * 1.0; });
  const SoftmaxPlusOne plus_one;
  EXPECT_THAT(numbers(made(x, {.normaliser = &plus_one, .map = same}).context),
              near(made(x, {.normaliser = &plus_one}).context, 1e-10));
  const Sparsemax sparsemax;
  EXPECT_ERROR(ValueError, "multi_head: a score map beside extra keys takes the weights of softmax",
               made(x, {.normaliser = &sparsemax, .map = same}));
}

TEST_P(MultiHeadOption, StatisticsWithoutTheBlock) {
  MultiHead made(sizes(GetParam()));
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const Attended whole = made(x, {.mask = Mask::causal(), .need_weights = true});
  const Attended out = made(x, {.mask = Mask::causal(), .need_statistics = true});
  EXPECT_FALSE(out.weights.defined());
  EXPECT_THAT(numbers(out.statistics.received()), near(sum(whole.weights, {2})));
  const Tensor last = out.statistics.rows(indices({kT - 1}, {1}));
  EXPECT_THAT(numbers(last), near(narrow(whole.weights, 2, kT - 1, 1)));
  EXPECT_EQ(out.statistics.entropies().shape(), (Shape{kB, kH, kT}));
}

TEST(MultiHeadOptions, ACallsDropoutIsHeardInEvaluation) {
  manual_seed(3);
  MultiHead made({.width = 6, .heads = 2, .dtype = DType::f64});
  made.eval();
  const Tensor x = randn({2, 3, 6}, DType::f64);
  const Tensor nothing = made(x, {.dropout = 1}).context;  // what is left is the output's bias
  EXPECT_THAT(numbers(nothing), near(expand(made.out_proj.bias, x.shape())));
}

TEST(MultiHeadOptions, RefuseWhatMakesNoSense) {
  MultiHeadOptions options = sizes(2);
  options.scale = 2;
  options.score = std::make_shared<Dot>();
  EXPECT_ERROR_WITH(ValueError, "multi_head: a scale is of the dot product",
                    MultiHead made(options));
  options = sizes(2);
  options.extras.slots = -1;
  EXPECT_ERROR(ValueError, "multi_head: slots -1 must not be negative", MultiHead made(options));
  options.extras.slots = 2;
  options.relative = std::make_shared<RelativePositions>(RelativeOptions{.key_width = kD});
  EXPECT_ERROR_WITH(ValueError, "no place for relative positions", MultiHead made(options));
  options.relative = nullptr;
  const RelativePositions given({.key_width = kD, .dtype = DType::f64});
  EXPECT_ERROR(ValueError,
               "multi_head: extra keys have no place for relative positions to count from",
               MultiHead{options}(zeros({kB, kT, kE}, DType::f64), {.relative = &given}));
  options = sizes(2);
  options.head_width = -1;
  EXPECT_ERROR_WITH(ValueError, "multi_head: head_width -1 must be positive",
                    MultiHead made(options));
}

// Places are those within what is held, as in StreamingLLM: far behind the window a step gives the
// same as soon as the cache is full of the same tokens.
TEST(MultiHeadRolling, RotaryPositionsAreThoseWithinTheCache) {
  manual_seed(5);
  const NoGrad off;
  const MultiHead made({.width = 8, .heads = 2, .rotary = true, .dtype = DType::f64});
  const Tensor sink = randn({1, 2, 8}, DType::f64), tail = randn({1, 4, 8}, DType::f64);
  const auto after = [&](Index between) {
    KeyValueCache cache({.sinks = 2, .window = 4});
    Tensor last;
    const auto feed = [&](const Tensor& x) {
      for (Index t = 0; t < x.size(1); ++t) {
        last = made(narrow(x, 1, t, 1), {.mask = Mask::causal()}, &cache).context;
      }
    };
    feed(sink);
    if (between > 0) feed(randn({1, between, 8}, DType::f64));
    feed(tail);
    return last;
  };
  const Tensor want = made(concat({sink, tail}, 1), {.mask = Mask::causal()}).context;
  for (const Index between : {0, 3, 50}) {
    EXPECT_THAT(numbers(after(between)), near(narrow(want, 1, 5, 1), 1e-12)) << between;
  }
}

}  // namespace
}  // namespace heed::attention
