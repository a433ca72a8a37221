#include "../../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../../attention/biases/alibi.h"
#include "../../../../attention/biases/t5_bias.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/gradcheck.h"
#include "../../../../nn/init.h"
#include "../../../support/numbers.h"
#include "../../../support/throws.h"
#include "../../numbers.h"
#include "../plain.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kQ = 3, kK = 5, kE = 12;

MultiHeadOptions sizes(Index heads, Index kv_heads = 0) {
  return {.width = kE, .heads = heads, .kv_heads = kv_heads, .dtype = DType::f64};
}

// Biases begin as zeros: moved away from there, so that they count.
void stir(MultiHead& attention) {
  for (Tensor parameter : attention.parameters()) nn::normal_(parameter, 0, 0.4);
}

// The definition, element by element: x W^T + b for each head, softmax, sum, W^O.
std::vector<double> reference(const MultiHead& attention, const Tensor& query, const Tensor& keys,
                              const Tensor& allowed) {
  const MultiHeadOptions& o = attention.options();
  const Index D = kE / o.heads, group = o.heads / o.kv_heads;
  const auto w = numbers(attention.in_proj_weight), b = numbers(attention.in_proj_bias);
  const auto wo = numbers(attention.out_proj.weight), bo = numbers(attention.out_proj.bias);
  const auto q = numbers(query), k = numbers(keys);
  const Index Q = query.size(1), K = keys.size(1);
  const auto project = [&](const std::vector<double>& x, Index row, Index unit) {
    double sum = b[static_cast<std::size_t>(unit)];
    for (Index e = 0; e < kE; ++e) {
      sum += x[static_cast<std::size_t>(row * kE + e)] * w[static_cast<std::size_t>(unit * kE + e)];
    }
    return sum;
  };
  std::vector<double> out;
  for (Index row = 0; row < query.size(0); ++row) {
    for (Index i = 0; i < Q; ++i) {
      std::vector<double> heads;
      for (Index h = 0; h < o.heads; ++h) {
        const Index kv = h / group;
        std::vector<double> context(static_cast<std::size_t>(D), 0.0);
        double total = 0;
        for (Index j = 0; j < K; ++j) {
          if (allowed.defined() &&
              !allowed.array().to_vector<bool>()[static_cast<std::size_t>((row * Q + i) * K + j)]) {
            continue;
          }
          double score = 0;
          for (Index d = 0; d < D; ++d) {
            score += project(q, row * Q + i, h * D + d) * project(k, row * K + j, kE + kv * D + d) /
                     std::sqrt(static_cast<double>(D));
          }
          total += std::exp(score);
          for (Index d = 0; d < D; ++d) {
            context[static_cast<std::size_t>(d)] +=
                std::exp(score) * project(k, row * K + j, kE + o.kv_heads * D + kv * D + d);
          }
        }
        for (const double sum : context) heads.push_back(total > 0 ? sum / total : 0);
      }
      for (Index e = 0; e < kE; ++e) {
        double sum = bo[static_cast<std::size_t>(e)];
        for (Index f = 0; f < kE; ++f) {
          sum += heads[static_cast<std::size_t>(f)] * wo[static_cast<std::size_t>(e * kE + f)];
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

class Grouping : public testing::TestWithParam<std::pair<Index, Index>> {};
INSTANTIATE_TEST_SUITE_P(MultiHead, Grouping,
                         testing::Values(std::pair{3, 3}, std::pair{6, 2}, std::pair{4, 1}));

TEST_P(Grouping, IsTheDefinition) {
  manual_seed(7);
  const auto [heads, kv_heads] = GetParam();
  MultiHead attention(sizes(heads, kv_heads));
  stir(attention);
  const Tensor query = randn({kB, kQ, kE}, DType::f64), keys = randn({kB, kK, kE}, DType::f64);
  const Mask mask = Mask::lengths({4, 2}, kK) & Mask::window(2, 1);
  const Tensor allowed = expand(mask.tensor({kB, 1, kQ, kK}), Shape{kB, 1, kQ, kK});
  const auto want = reference(attention, query, keys, contiguous(allowed));
  const auto have = numbers(attention(query, keys, keys, {.mask = mask}).context);
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(have[i], want[i], 1e-12);
  // With the weights the block is made: another path to the same.
  const Attended seen = attention(query, keys, keys, {.mask = mask, .need_weights = true});
  EXPECT_EQ(seen.weights.shape(), (Shape{kB, heads, kQ, kK}));
  const auto again = numbers(seen.context);
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(again[i], want[i], 1e-12);
}

TEST_P(Grouping, PassesTheChecks) {
  manual_seed(11);
  const auto [heads, kv_heads] = GetParam();
  MultiHead attention(sizes(heads, kv_heads));
  stir(attention);
  Tensor x = randn({1, kQ, kE}, DType::f64), keys = randn({1, 2, kE}, DType::f64);
  const auto cross = [&] { return attention(x, keys, keys).context; };
  const std::vector<NamedLeaf> leaves = {{"query", x.set_requires_grad()},
                                         {"keys", keys.set_requires_grad()}};
  const auto first = nn::gradcheck(attention, cross, {}, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = nn::gradgradcheck(attention, cross, {}, leaves);
  EXPECT_TRUE(second) << second.text();
  const auto self = nn::gradcheck(
      attention, [&] { return attention(x, {.mask = Mask::causal()}).context; }, {}, {leaves[0]});
  EXPECT_TRUE(self) << self.text();
}

TEST_P(Grouping, TakesMasksAndBiasesOfEveryRank) {
  manual_seed(13);
  const auto [heads, kv_heads] = GetParam();
  MultiHead attention(sizes(heads, kv_heads));
  const Tensor x = randn({kB, kQ, kE}, DType::f64);
  for (const Shape& shape : {Shape{kQ, kQ}, Shape{kB, 1, kQ, kQ}, Shape{heads, 1, kQ},
                             Shape{kB, heads, kQ, kQ}, Shape{1, heads, 1, 1}}) {
    const Tensor allowed = rand(shape, DType::f64) > tensor(0.3, DType::f64);
    const Tensor bias = randn(shape, DType::f64);
    const Tensor wide = expand(bias, Shape{kB, heads, kQ, kQ});
    const Tensor want =
        attention(x, {.mask = Mask(expand(allowed, Shape{kB, heads, kQ, kQ})), .bias = wide})
            .context;
    const Tensor have = attention(x, {.mask = Mask(allowed), .bias = bias}).context;
    EXPECT_LT(difference(have, want), 1e-12) << heed::to_string(shape);
  }
}

TEST_P(Grouping, StepByStepIsAllAtOnce) {
  manual_seed(17);
  const auto [heads, kv_heads] = GetParam();
  for (const bool turned : {false, true}) {
    MultiHeadOptions options = sizes(heads, kv_heads);
    if (kE / heads % 2 != 0 && turned) continue;
    options.rotary = turned;
    MultiHead attention(options);
    stir(attention);
    const NoGrad off;
    const Tensor x = randn({kB, 19, kE}, DType::f64);
    const Tensor want = attention(x, {.mask = Mask::causal()}).context;
    KeyValueCache cache;
    std::vector<Tensor> steps;
    for (Index t = 0; t < 19; t += 1 + t % 2) {  // one or two steps at once
      const Index count = std::min<Index>(1 + t % 2, 19 - t);
      steps.push_back(attention(narrow(x, 1, t, count), {.mask = Mask::causal()}, &cache).context);
    }
    EXPECT_EQ(cache.length(), 19);
    EXPECT_LT(difference(concat(steps, 1), want), 1e-12);
  }
}

TEST(MultiHead, FewerHeadsOfKeysAreThoseHeadsRepeated) {
  manual_seed(19);
  MultiHead grouped(sizes(4, 2)), full(sizes(4));
  stir(grouped);
  // Rows of the joined projection: 4 heads of queries, then 2 of keys, 2 of values; D is 3.
  const auto repeat = [](const Tensor& rows) {
    const auto halves = chunk(rows, 2, 0);
    return concat({halves[0], halves[0], halves[1], halves[1]}, 0);
  };
  for (auto [from, to] : {std::pair{&grouped.in_proj_weight, &full.in_proj_weight},
                          std::pair{&grouped.in_proj_bias, &full.in_proj_bias}}) {
    const auto parts = split(from->detach(), std::vector<Index>{kE, kE / 2, kE / 2}, 0);
    const NoGrad off;
    to->copy_from(concat({parts[0], repeat(parts[1]), repeat(parts[2])}, 0));
  }
  const NoGrad off;
  full.out_proj.weight.copy_from(grouped.out_proj.weight);
  full.out_proj.bias.copy_from(grouped.out_proj.bias);
  const Tensor x = randn({kB, kK, kE}, DType::f64);
  EXPECT_LT(difference(grouped(x).context, full(x).context), 1e-12);
}

TEST(MultiHead, AMemoryProjectedOnceIsTheSame) {
  manual_seed(23);
  for (const Index width : {kE, Index{7}}) {
    MultiHeadOptions options = sizes(3);
    options.key_width = width;
    MultiHead attention(options);
    stir(attention);
    const Tensor query = randn({kB, kQ, kE}, DType::f64);
    const Tensor keys = randn({kB, kK, width}, DType::f64);
    const Tensor values = randn({kB, kK, kE}, DType::f64);
    const auto memory = attention.project(keys, values);
    EXPECT_EQ(memory.keys().shape(), (Shape{kB, 3, kK, 4}));
    EXPECT_LT(difference(attention.attend_to(query, memory).context,
                         attention(query, keys, values).context),
              1e-15);
  }
}

TEST(MultiHead, MaskedPlacesChangeNoBit) {
  manual_seed(29);
  for (const Index kv_heads : {3, 1}) {
    MultiHead attention(sizes(3, kv_heads));
    stir(attention);
    const Tensor query = randn({kB, kQ, kE}, DType::f64);
    const auto run = [&](double there) {
      Tensor keys = zeros({kB, kK, kE}, DType::f64);
      {
        Generator generator(31);
        keys = randn({kB, kK, kE}, DType::f64, generator);
        Tensor padding = narrow(keys, 1, 3, 2);
        padding.copy_from(full({kB, 2, kE}, there, DType::f64));
      }
      keys.set_requires_grad();
      attention.zero_grad();
      const Tensor out = attention(query, keys, keys, {.mask = Mask::lengths({3, 0}, kK)}).context;
      sum(out * out).backward();
      auto all = numbers(out);
      for (const double x : numbers(keys.grad())) all.push_back(x);
      return all;
    };
    const auto clean = run(0);
    EXPECT_EQ(run(std::numeric_limits<double>::quiet_NaN()), clean);
    EXPECT_EQ(run(std::numeric_limits<double>::infinity()), clean);
  }
}

TEST(MultiHead, APositionBiasIsItsBlock) {
  const NoGrad off;
  const Alibi of_heads(4, DType::f64);
  T5Bias of_all({.heads = 1, .buckets = 6, .max_distance = 5, .dtype = DType::f64});
  nn::normal_(of_all.weight, 0, 1);
  const Tensor x = randn({2, 7, 8}, DType::f64);
  for (const Index kv_heads : {4, 2, 1}) {
    const MultiHead attention({.width = 8, .heads = 4, .kv_heads = kv_heads, .dtype = DType::f64});
    for (const OffsetBias* bias : std::initializer_list<const OffsetBias*>{&of_heads, &of_all}) {
      const Tensor want = attention(x, {.mask = Mask::causal(), .bias = (*bias)(7, 7)}).context;
      for (const bool need_weights : {false, true}) {
        const Terms call{
            .mask = Mask::causal(), .position_bias = bias, .need_weights = need_weights};
        EXPECT_LT(amax(abs(attention(x, call).context - want)).item(), 1e-12);
      }
      KeyValueCache cache;
      for (Index t = 0; t < 7; ++t) {
        const Terms terms{.mask = Mask::causal(), .position_bias = bias};
        const Tensor step = attention(narrow(x, 1, t, 1), terms, &cache).context;
        EXPECT_LT(amax(abs(step - narrow(want, 1, t, 1))).item(), 1e-12);
      }
    }
    const Alibi three(3, DType::f64);
    EXPECT_ERROR_WITH(ShapeError,
                      "multi_head: position_bias must be of 4 heads, or of 1, not f64[3, 13]",
                      attention(x, {.position_bias = &three}));
  }
}

// A bias a row, as no part of the library has: its first axis would not be one of heads.
class BiasOfRows : public OffsetBias {
 public:
  Tensor by_offset(Index, Index count) const override { return zeros({kB, 4, count}, DType::f64); }
};

TEST(MultiHead, APositionBiasIsTheSameForAllRows) {
  const BiasOfRows bias;
  const MultiHead attention(sizes(4));
  EXPECT_ERROR(ShapeError,
               "multi_head: position_bias must be of 4 heads, or of 1, not f64[2, 4, 5]",
               attention(zeros({kB, kQ, kE}, DType::f64), {.position_bias = &bias}));
}

// Padding among the queries, where a mask hides some keys, be it the call's or the memory's.
TEST(MultiHead, AQueryThatDoesNotCountLeavesNoTrace) {
  manual_seed(37);
  MultiHead attention(sizes(3));
  stir(attention);
  const Tensor query = randn({kB, kQ, kE}, DType::f64), keys = randn({kB, kK, kE}, DType::f64);
  const std::vector<Index> lengths = {kQ, 1};
  const Mask some = Mask::lengths({kK, 2}, kK);
  const Tensor real = unsqueeze(Mask::lengths(lengths, kQ).tensor({kB, kQ}), -1);
  for (const bool of_memory : {true, false}) {
    plain::expect_hidden([&](double value) {
      const Tensor spoilt = plain::spoiled(query, lengths, value);
      return plain::bits_of(plain::leaves_of(attention, {{"query", spoilt}}), [&] {
        const Memory memory = attention.project(keys, keys, of_memory ? some : Mask());
        const Terms terms{.mask = of_memory ? Mask() : some};
        return std::vector<Tensor>{
            where(real, attention.attend_to(spoilt, memory, terms).context, 0)};
      });
    });
  }
}

TEST(MultiHead, NamesAndLayoutsArePyTorchs) {
  const auto names = [](const MultiHead& attention) {
    std::string out;
    for (const auto& [name, tensor] : attention.state_dict()) out += name + describe(tensor) + ' ';
    return out;
  };
  EXPECT_EQ(names(MultiHead({.width = 12, .heads = 3})),
            "in_proj_weightf32[36, 12] in_proj_biasf32[36] out_proj.weightf32[12, 12] "
            "out_proj.biasf32[12] ");
  EXPECT_EQ(
      names(MultiHead({.width = 12, .heads = 3, .key_width = 5, .value_width = 7, .bias = false})),
      "q_proj_weightf32[12, 12] k_proj_weightf32[12, 5] v_proj_weightf32[12, 7] "
      "out_proj.weightf32[12, 12] ");
  EXPECT_EQ(names(MultiHead({.width = 12, .heads = 3, .value_head_width = 5, .gate = true})),
            "in_proj_weightf32[39, 12] in_proj_biasf32[39] out_proj.weightf32[12, 15] "
            "out_proj.biasf32[12] gate.weightf32[15, 12] gate.biasf32[15] ");
}

TEST(MultiHead, GoesToAnotherDType) {
  MultiHead attention({.width = kE, .heads = 3});
  attention.to(DType::f64);
  EXPECT_EQ(attention(zeros({kB, kQ, kE}, DType::f64)).context.dtype(), DType::f64);
}

TEST(MultiHead, EmptyBatchesQueriesAndKeys) {
  MultiHead attention(sizes(3));
  stir(attention);
  const auto run = [&](Index B, Index Q, Index K) {
    return attention(zeros({B, Q, kE}, DType::f64), zeros({B, K, kE}, DType::f64),
                     zeros({B, K, kE}, DType::f64))
        .context;
  };
  EXPECT_EQ(run(0, kQ, kK).shape(), (Shape{0, kQ, kE}));
  EXPECT_EQ(run(kB, 0, kK).shape(), (Shape{kB, 0, kE}));
  // Nothing to attend to: zero contexts, of which the last projection leaves its bias.
  const Tensor none = run(kB, kQ, 0);
  EXPECT_LT(difference(none, expand(attention.out_proj.bias, none.shape())), 1e-15);
}

TEST(MultiHead, RefusesWhatDoesNotFit) {
  const auto refuses = [](const MultiHeadOptions& options, const char* text) {
    EXPECT_ERROR_WITH(ValueError, text, MultiHead attention(options));
  };
  refuses({.width = 12, .heads = 5}, "multi_head: heads 5 does not divide width 12");
  refuses({.width = 12, .heads = 4, .kv_heads = 3},
          "multi_head: kv_heads 3 does not divide heads 4");
  refuses({.width = 0}, "multi_head: width 0 must be positive");
  refuses({.width = 12, .heads = 0}, "multi_head: heads 0 must be positive");
  refuses({.width = 12, .heads = 4, .rotary = true}, "multi_head: rotary needs an even head width");
  refuses({.width = 12, .heads = 4, .dropout = 1.5}, "multi_head: dropout 1.5 is not in [0, 1]");
  const MultiHead attention(sizes(3));
  const Tensor x = zeros({kB, kQ, kE}, DType::f64);
  EXPECT_ERROR_WITH(ShapeError, "keys must be [B, T, 12], not f64[2, 5, 7]",
                    attention(x, zeros({kB, kK, 7}, DType::f64), x));
  EXPECT_ERROR_WITH(ShapeError, "query must be [B, T, 12]", attention(zeros({kQ, kE}, DType::f64)));
  EXPECT_ERROR_WITH(DTypeError, "query is f32[2, 3, 12], the weights are f64",
                    attention(zeros({kB, kQ, kE})));
  EXPECT_ERROR_WITH(GradError, "multi_head: query is undefined", attention(Tensor()));
  EXPECT_ERROR_WITH(ShapeError, "2 rows of queries and 3 of keys",
                    attention(x, zeros({3, kK, kE}, DType::f64), zeros({3, kK, kE}, DType::f64)));
  EXPECT_ERROR_WITH(ShapeError, "do not fit scores [2, 3, 3, 3]",
                    attention(x, {.mask = Mask::lengths({1, 2}, 4)}));
  KeyValueCache cache;
  EXPECT_ERROR_WITH(GradError, "decode under NoGrad", attention(x, {}, &cache));
}

}  // namespace
}  // namespace heed::attention
