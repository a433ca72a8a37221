#include "../../../../attention/mechanisms/transformer/synthesizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../attention/mechanisms/transformer/multi_head.h"
#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {
using Kind = SynthesizerKind;

constexpr Index kB = 2, kT = 7, kE = 10, kH = 2, kD = 5, kL = 12;  // L = 3 4

SynthesizerOptions sizes(std::vector<Kind> kinds) {
  return {.width = kE,
          .heads = kH,
          .max_length = kL,
          .kinds = std::move(kinds),
          .rank = 3,
          .dtype = DType::f64};
}

// A module's numbers by name.
struct Weights {
  nn::NamedTensors all;
  Numbers operator()(const std::string& name) const {
    for (const auto& [key, tensor] : all) {
      if (key == name) return numbers(tensor);
    }
    ADD_FAILURE() << name << " is no parameter";
    return {};
  }
};

// Unit `u` of a linear layer for row `row` of x.
double unit(const Weights& w, const std::string& name, const Numbers& x, Index row, Index u) {
  double sum = at(w(name + ".bias"), u);
  for (Index e = 0; e < kE; ++e) sum += at(w(name + ".weight"), u * kE + e) * at(x, row * kE + e);
  return sum;
}

// W2 relu(W1 x + b1) + b2 of head h at place j.
double per_head(const Weights& w, const std::string& name, const Numbers& x, Index row, Index h,
                Index j, Index places) {
  double sum = at(w(name + ".bias"), h * places + j);
  for (Index d = 0; d < kD; ++d) {
    sum += std::max(0.0, unit(w, name + ".hidden", x, row, h * kD + d)) *
           at(w(name + ".weight"), (h * kD + d) * places + j);
  }
  return sum;
}

// S of the kind that stands at `n`, for row b, head h, places i and j.
double score(Kind kind, const Weights& w, Index n, const Numbers& x, Index b, Index h, Index i,
             Index j) {
  const std::string name = "scores." + std::to_string(n) + '.';
  const Index row = b * kT + i;
  switch (kind) {
    case Kind::dense: return per_head(w, name + "row", x, row, h, j, kL);
    case Kind::random:
    case Kind::fixed_random: return at(w(name + "weight"), (h * kL + i) * kL + j);
    case Kind::factorised_dense:
      return per_head(w, name + "inner", x, row, h, j % 3, 3) *
             per_head(w, name + "outer", x, row, h, j / 3, 4);
    case Kind::factorised_random: {
      double sum = 0;
      for (Index r = 0; r < 3; ++r) {
        sum += at(w(name + "left"), (h * kL + i) * 3 + r) *
               at(w(name + "right"), (h * kL + j) * 3 + r);
      }
      return sum;
    }
    case Kind::dot_product: {
      double sum = 0;
      for (Index d = h * kD; d < (h + 1) * kD; ++d) {
        sum += unit(w, name + "query_projection", x, row, d) *
               unit(w, name + "key_projection", x, b * kT + j, d) / std::sqrt(5.0);
      }
      return sum;
    }
  }
  return 0;
}

// Causal, with the first lengths[b] keys.
Numbers reference(const Synthesizer& made, const std::vector<Kind>& kinds, const Tensor& input,
                  const std::vector<Index>& lengths) {
  const Weights w{made.state_dict()};
  const Numbers x = numbers(input);
  Numbers mixture(kinds.size(), 1.0);
  if (kinds.size() > 1) {
    double total = 0;
    for (const double logit : w("mixture")) total += std::exp(logit);
    for (std::size_t n = 0; n < kinds.size(); ++n) {
      mixture[n] = std::exp(w("mixture")[n]) / total;
    }
  }
  Numbers out;
  for (Index b = 0; b < kB; ++b) {
    for (Index i = 0; i < kT; ++i) {
      Numbers heads(kE, 0.0);
      for (Index h = 0; h < kH; ++h) {
        Numbers weight;
        double total = 0;
        for (Index j = 0; j <= i && j < lengths[static_cast<std::size_t>(b)]; ++j) {
          double sum = 0;
          for (std::size_t n = 0; n < kinds.size(); ++n) {
            sum += mixture[n] * score(kinds[n], w, static_cast<Index>(n), x, b, h, i, j);
          }
          weight.push_back(std::exp(sum));
          total += weight.back();
        }
        for (std::size_t j = 0; j < weight.size(); ++j) {
          for (Index d = h * kD; d < (h + 1) * kD; ++d) {
            heads[static_cast<std::size_t>(d)] +=
                weight[j] / total *
                unit(w, "value_projection", x, b * kT + static_cast<Index>(j), d);
          }
        }
      }
      for (Index e = 0; e < kE; ++e) out.push_back(unit(w, "out_projection", heads, 0, e));
    }
  }
  return out;
}

class Kinds : public testing::TestWithParam<std::vector<Kind>> {};
INSTANTIATE_TEST_SUITE_P(
    Synthesizer, Kinds,
    testing::Values(std::vector{Kind::dense}, std::vector{Kind::random},
                    std::vector{Kind::fixed_random}, std::vector{Kind::factorised_dense},
                    std::vector{Kind::factorised_random}, std::vector{Kind::dot_product},
                    std::vector{Kind::random, Kind::dot_product},
                    std::vector{Kind::factorised_dense, Kind::dense, Kind::fixed_random}));

TEST_P(Kinds, AreTheDefinition) {
  manual_seed(7);
  Synthesizer made(sizes(GetParam()));
  for (const Tensor& parameter : made.parameters()) nn::normal_(parameter, 0, 0.5);
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const std::vector<Index> lengths = {kT, 4};
  const auto want = reference(made, GetParam(), x, lengths);
  const Mask mask = Mask::causal() & Mask::lengths(lengths, kT);
  EXPECT_THAT(numbers(made(x, {.mask = mask}).context), near(want, 1e-10));
  const Attended seen = made(x, {.mask = mask, .need_weights = true});
  EXPECT_EQ(seen.weights.shape(), (Shape{kB, kH, kT, kT}));
  EXPECT_THAT(numbers(seen.context), near(want, 1e-10));
}

TEST(Synthesizer, OfDotProductsAloneIsMultiHeadAttention) {
  manual_seed(11);
  const Synthesizer made(sizes({Kind::dot_product}));
  MultiHead attention({.width = kE, .heads = kH, .dtype = DType::f64});
  const auto part = [&](const std::string& name) {
    for (const auto& [key, tensor] : made.state_dict()) {
      if (key == name) return tensor;
    }
    return Tensor();
  };
  const auto joined = [&](const std::string& what) {
    return concat({part("scores.0.query_projection." + what),
                   part("scores.0.key_projection." + what), part("value_projection." + what)});
  };
  attention.load_state_dict({{"in_proj_weight", joined("weight")},
                             {"in_proj_bias", joined("bias")},
                             {"out_proj.weight", part("out_projection.weight")},
                             {"out_proj.bias", part("out_projection.bias")}});
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const Tensor want = attention(x, {.mask = Mask::causal()}).context;
  EXPECT_THAT(numbers(made(x, {.mask = Mask::causal()}).context), near(want));
}

TEST(Synthesizer, HasOnlyWhatItsKindsNeed) {
  const auto names = [](std::vector<Kind> kinds) {
    const Synthesizer made(sizes(std::move(kinds)));
    std::string out;
    for (const auto& [name, tensor] : made.named_parameters()) {
      if (name.find("_projection") == std::string::npos) out += name + describe(tensor) + ' ';
    }
    return out;
  };
  EXPECT_EQ(names({Kind::fixed_random}), "");
  EXPECT_EQ(names({Kind::random}), "scores.0.weightf64[2, 12, 12] ");
  EXPECT_EQ(names({Kind::fixed_random, Kind::factorised_random}),
            "mixturef64[2] scores.1.leftf64[2, 12, 3] scores.1.rightf64[2, 12, 3] ");
  EXPECT_EQ(names({Kind::dense}),
            "scores.0.row.weightf64[2, 5, 12] scores.0.row.biasf64[2, 1, 12] "
            "scores.0.row.hidden.weightf64[10, 10] scores.0.row.hidden.biasf64[10] ");
  const Synthesizer fixed(sizes({Kind::fixed_random}));
  EXPECT_EQ(fixed.named_buffers().size(), 1U);
}

// Also without a mask, by which nobody is hidden.
TEST(Synthesizer, WhatIsNotANumberReachesAllThatSeeIt) {
  manual_seed(17);
  const Synthesizer made(sizes({Kind::dense}));
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  Array dirty = x.array().clone();
  dirty.mutable_data<double>()[kE] = std::nan("");  // row 0, step 1
  const Tensor spoilt = dirty, clean = made(x).context;
  const Tensor found = made(spoilt).context;
  EXPECT_THAT(numbers(select(found, 0, 0)), testing::Each(testing::IsNan()));
  EXPECT_EQ(numbers(select(found, 0, 1)), numbers(select(clean, 0, 1)));
}

TEST(Synthesizer, DropsWeightsInTrainingOnly) {
  manual_seed(13);
  SynthesizerOptions options = sizes({Kind::dense});
  options.dropout = 0.5;
  Synthesizer made(options);
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  EXPECT_NE(numbers(made(x).context), numbers(made(x).context));
  made.eval();
  EXPECT_EQ(numbers(made(x).context), numbers(made(x).context));
}

TEST(Synthesizer, RefusesWhatDoesNotFit) {
  const auto refuses = [](SynthesizerOptions options, const char* text) {
    EXPECT_ERROR_WITH(ValueError, text, Synthesizer made(options));
  };
  refuses({.width = 0, .max_length = 3}, "synthesizer: width 0 must be positive");
  refuses({.width = 6, .heads = 4, .max_length = 3}, "heads 4 does not divide width 6");
  refuses({.width = 6}, "synthesizer: max_length 0 must be positive");
  refuses({.width = 6, .max_length = 3, .kinds = {}}, "kinds: there must be one at least");
  refuses({.width = 6, .max_length = 3, .kinds = {Kind::dense, Kind::dense}},
          "kinds: dense is there twice");
  refuses({.width = 6, .max_length = 3, .rank = 0}, "rank 0 must be positive");
  refuses({.width = 6, .max_length = 12, .factor = 5}, "factor 5 does not divide max_length 12");
  refuses({.width = 6, .max_length = 3, .dropout = -1}, "dropout -1 is not in [0, 1]");
  const Synthesizer made(sizes({Kind::random}));
  EXPECT_ERROR_WITH(ShapeError, "x must be [B, T, 10] with T <= 12, not f64[2, 13, 10]",
                    made(zeros({kB, 13, kE}, DType::f64)));
  EXPECT_ERROR_WITH(DTypeError, "x is f32[2, 7, 10], the weights are f64",
                    made(zeros({kB, kT, kE})));
  EXPECT_ERROR_WITH(ShapeError, "do not fit scores [2, 2, 7, 7]",
                    made(zeros({kB, kT, kE}, DType::f64), {.mask = Mask::lengths({1, 2}, 4)}));
  EXPECT_ERROR_WITH(GradError, "synthesizer: x is undefined", made(Tensor()));
}

TEST(Synthesizer, NamesItsKinds) {
  const std::pair<Kind, const char*> names[] = {{Kind::dense, "dense"},
                                                {Kind::random, "random"},
                                                {Kind::fixed_random, "fixed_random"},
                                                {Kind::factorised_dense, "factorised_dense"},
                                                {Kind::factorised_random, "factorised_random"},
                                                {Kind::dot_product, "dot_product"}};
  for (const auto& [kind, text] : names) EXPECT_STREQ(name(kind), text);
  EXPECT_STREQ(name(static_cast<Kind>(77)), "unknown");
}

// A map is of the scores, before biases: one that takes all of them leaves the biases alone.
TEST(Synthesizer, AMapSeesItsScores) {
  manual_seed(19);
  const Tensor x = randn({kB, kT, kE}, DType::f64), bias = randn({kH, kT, kT}, DType::f64);
  const Synthesizer made(sizes({Kind::random, Kind::dense}));
  const ScoreMap none = score_map([](auto s, auto) { return s * 0.0; });
  const Tensor mapped = made(x, {.bias = bias, .map = none, .need_weights = true}).weights;
  EXPECT_THAT(numbers(mapped), near(expand(softmax(bias, -1), {kB, kH, kT, kT})));
  const ScoreMap same = score_map([](auto s, auto) { return s * 1.0; });
  const Attended have = made(x, {.mask = Mask::causal(), .bias = bias, .map = same});
  EXPECT_THAT(numbers(have.context), near(made(x, {.mask = Mask::causal(), .bias = bias}).context));
}

TEST(Synthesizer, LogSumsKnowWhatIsNotFinite) {
  manual_seed(23);
  const Synthesizer made(sizes({Kind::random, Kind::dense}));
  Array dirty = randn({kB, kT, kE}, DType::f64).array().clone();
  dirty.mutable_data<double>()[3 * kE + 1] = std::nan("");
  const Tensor sums = made(Tensor(dirty), {.mask = Mask::causal(), .need_log_sums = true}).log_sums;
  const Tensor wrong = isnan(sums);
  for (Index row = 0; row < kB * kH * kT; ++row) {
    const bool sees = row < kH * kT && row % kT >= 3;
    EXPECT_EQ(wrong.array().to_vector<bool>()[static_cast<std::size_t>(row)], sees) << row;
  }
}

}  // namespace
}  // namespace heed::attention
