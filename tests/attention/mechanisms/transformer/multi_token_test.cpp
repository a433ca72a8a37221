#include "../../../../attention/mechanisms/transformer/multi_token.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/close.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::leaves_of;

constexpr Index kB = 2, kT = 5, kE = 6, kV = 7;
const std::vector<Index> kLengths = {kT, 4};

MultiTokenOptions options(Index depth) {
  return {.depth = depth,
          .transformer = {.width = kE, .heads = 2, .hidden = 3, .dropout = 0, .dtype = DType::f64}};
}

class MultiTokens : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(53), true);  // before what is drawn below
  MultiTokens() {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
  }
  const MultiTokenPrediction made{options(2)};
  Tensor h = randn({kB, kT, kE}, DType::f64), e = randn({kB, kT, kE}, DType::f64);
};

// x / rms(x) o weight, of one token.
Tensor normed(const Tensor& x, const Tensor& weight) {
  return x / sqrt(sum(square(x)) / static_cast<double>(kE) + 1e-6) * weight;
}

// Example by example, as long as each is, token by token up to the layer.
TEST_F(MultiTokens, AreThePapersEquations) {
  const auto leaves = leaves_of(made, {{"h", h}, {"e", e}});
  const auto real = [&](const std::vector<Tensor>& of) {
    std::vector<Tensor> out;
    for (std::size_t k = 0; k < of.size(); ++k) {
      for (Index b = 0; b < kB; ++b) {
        const Index n = kLengths[static_cast<std::size_t>(b)] - static_cast<Index>(k) - 1;
        out.push_back(narrow(select(of[k], 0, b), 0, 0, n));
      }
    }
    return out;
  };
  const auto ours = [&] { return real(made(h, e, kLengths).foretold); };
  const auto by_hand = [&] {
    std::vector<Tensor> out[2];
    for (Index b = 0; b < kB; ++b) {
      Tensor before = select(h, 0, b);
      for (Index k = 1; k <= 2; ++k) {
        const auto own = static_cast<std::size_t>(k - 1);
        std::vector<Tensor> merged;
        for (Index i = 0; i + k < kLengths[static_cast<std::size_t>(b)]; ++i) {
          const Tensor both =
              concat({normed(select(before, 0, i), made.state_norms[own].weight),
                      normed(select(select(e, 0, b), 0, i + k), made.token_norms[own].weight)});
          merged.push_back(matmul(made.merges[own].weight, both));
        }
        before = squeeze(
            made.layers[own](unsqueeze(stack(merged), 0), {.mask = Mask::causal()}).context, 0);
        out[own].push_back(before);
      }
    }
    return std::vector<Tensor>{out[0][0], out[0][1], out[1][0], out[1][1]};
  };
  const auto have = plain::bits_of(leaves, ours), wanted = plain::bits_of(leaves, by_hand);
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_THAT(have[i], near(wanted[i], 1e-11));
  plain::expect_gradients(leaves, ours, 2);
}

TEST_F(MultiTokens, TheLossIsTheMeanOverDepths) {
  const Tensor ids(Array::from(std::vector<Index>{1, 6, 0, 2, 5, 3, 3, 4, 1, 0}, {kB, kT}));
  const Tensor W = randn({kV, kE}, DType::f64);
  const auto head = [&](const Tensor& x) { return linear(x, W); };
  const std::vector<Tensor> foretold = made(h, e, kLengths).foretold;
  double wanted = 0;
  for (Index k = 1; k <= 2; ++k) {
    const Tensor logits = head(foretold[static_cast<std::size_t>(k - 1)]);
    double sum = 0, count = 0;
    for (Index b = 0; b < kB; ++b) {
      for (Index i = 0; i + k + 1 < kLengths[static_cast<std::size_t>(b)]; ++i) {
        const Numbers z = numbers(select(select(logits, 0, b), 0, i));
        double total = 0;
        for (const double each : z) total += std::exp(each);
        const auto word =
            ids.array().to_vector<Index>()[static_cast<std::size_t>(b * kT + i + k + 1)];
        sum += std::log(total) - at(z, word);
        ++count;
      }
    }
    wanted += sum / count / 2;
  }
  EXPECT_NEAR(made.loss(foretold, ids, head, kLengths).item(), wanted, 1e-12);
}

// As if the rows were cut where the last one ends: a depth that foretells nothing there is none.
TEST_F(MultiTokens, TheLossDoesNotDependOnPadding) {
  const Tensor ids(Array::from(std::vector<Index>{1, 6, 0, 2, 5, 3, 3, 4, 1, 0}, {kB, kT}));
  const Tensor W = randn({kV, kE}, DType::f64);
  const auto head = [&](const Tensor& x) { return linear(x, W); };
  const std::vector<Index> short_lengths = {3, 2}, none = {2, 2};
  const std::vector<Tensor> foretold = made(h, e, short_lengths).foretold;
  ASSERT_EQ(foretold.size(), 2U);
  const double cut = made.loss(made(narrow(h, 1, 0, 3), narrow(e, 1, 0, 3), short_lengths).foretold,
                               narrow(ids, 1, 0, 3), head, short_lengths)
                         .item();
  EXPECT_GT(cut, 0.1);
  EXPECT_NEAR(made.loss(foretold, ids, head, short_lengths).item(), cut, 1e-12);
  EXPECT_ERROR(ValueError, "multi_token: there is no token to foretell",
               made.loss(made(h, e, none).foretold, ids, head, none));
  const Tensor as_numbers = to(narrow(ids, 1, 0, 3), DType::f64);
  EXPECT_THROW(made.loss(made(narrow(h, 1, 0, 3), narrow(e, 1, 0, 3)).foretold, as_numbers, head),
               DTypeError);
  EXPECT_ERROR(ShapeError, "multi_token: 1 lengths for 2 rows of ids",
               made.loss(foretold, ids, head, {4}));
}

TEST_F(MultiTokens, AreOfTheParametersDtypeWhateverTheOptionsSaid) {
  const NoGrad scope;
  MultiTokenPrediction converted(options(2));
  converted.load_state_dict(made.state_dict());
  converted.to(DType::f32);
  const auto wanted = made(h, e, kLengths).foretold;
  const auto have = converted(to(h, DType::f32), to(e, DType::f32), kLengths).foretold;
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t k = 0; k < have.size(); ++k) {
    ASSERT_EQ(have[k].dtype(), DType::f32);
    EXPECT_TRUE(allclose(to(have[k], DType::f64), wanted[k], 1e-3, 1e-4));
  }
  EXPECT_ERROR(DTypeError, "multi_token: states must be f32, not f64[2, 5, 6]", converted(h, e));
}

TEST_F(MultiTokens, WhatIsPaddingChangesNoBit) {
  const auto leaves = leaves_of(made, {});
  plain::expect_hidden([&](double value) {
    return plain::bits_of(leaves, [&] {
      const auto seen =
          made(plain::spoiled(h, kLengths, value), plain::spoiled(e, kLengths, value), kLengths)
              .foretold;
      return std::vector<Tensor>{select(seen[0], 0, 0), narrow(select(seen[0], 0, 1), 0, 0, 3),
                                 narrow(select(seen[1], 0, 1), 0, 0, 2)};
    });
  });
}

TEST_F(MultiTokens, NothingIsForetoldBeyondTheText) {
  EXPECT_EQ(made(narrow(h, 1, 0, 2), narrow(e, 1, 0, 2)).foretold.size(), 1U);
  EXPECT_TRUE(made(narrow(h, 1, 0, 1), narrow(e, 1, 0, 1)).foretold.empty());
  EXPECT_ERROR(ValueError, "multi_token: there is no token to foretell",
               made.loss({}, Tensor(), [](const Tensor& x) { return x; }));
}

// Of each depth whose layer has experts, as that layer gives it for what it gets there.
TEST_F(MultiTokens, HandOnWhereTheirExpertsSentTheTokens) {
  MultiTokenOptions some = options(2);
  some.transformer.experts = [](MixtureOfExpertsOptions own, Index layer) {
    own.experts = layer == 0 ? 0 : 5;
    return own;
  };
  const MultiTokenPrediction mixed(some);
  for (const Tensor& each : mixed.parameters()) nn::normal_(each, 0, 0.6);
  const auto leaves = leaves_of(mixed, {{"h", h}, {"e", e}});
  const MultiTokenOutput seen = mixed(h, e, kLengths);
  ASSERT_EQ(seen.foretold.size(), 2U);
  ASSERT_EQ(seen.routed.size(), 1U);
  const std::vector<Index> real = {kLengths[0] - 2, kLengths[1] - 2};
  const auto& load = seen.routed[0].load;
  EXPECT_EQ(std::accumulate(load.begin(), load.end(), Index{0}), 2 * (real[0] + real[1]));

  const auto by_hand = [&] {
    const Index n = kT - 2;
    const Tensor state = mixed.state_norms[1](narrow(mixed(h, e, kLengths).foretold[0], 1, 0, n));
    const Tensor token = mixed.token_norms[1](narrow(e, 1, 2, n));
    const Tensor merged = mixed.merges[1](concat({state, token}, -1));
    const Terms terms{.mask = Mask::causal() & Mask::lengths(real, n)};
    return std::vector<Tensor>{mixed.layers[1](merged, terms).routed.balance};
  };
  const auto ours = [&] { return std::vector<Tensor>{mixed(h, e, kLengths).balance()}; };
  const auto have = plain::bits_of(leaves, ours), wanted = plain::bits_of(leaves, by_hand);
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_THAT(have[i], near(wanted[i], 1e-11));

  EXPECT_FALSE(made(h, e, kLengths).balance().defined());
  // The first depth has none, and there is no second.
  EXPECT_FALSE(mixed(narrow(h, 1, 0, 2), narrow(e, 1, 0, 2)).balance().defined());
}

TEST_F(MultiTokens, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "multi_token: states must be [.., n, 6], not f64[2, 5, 4]",
               made(zeros({kB, kT, 4}, DType::f64), e));
  EXPECT_ERROR(ShapeError,
               "multi_token: embedded must be as states, f64[2, 5, 6], not f64[2, 4, 6]",
               made(h, narrow(e, 1, 0, 4)));
  EXPECT_ERROR(DTypeError, "multi_token: embedded must be f64, not f32[2, 5, 6]",
               made(h, to(e, DType::f32)));
  EXPECT_ERROR(ShapeError, "multi_token: 1 lengths for 2 rows of states", made(h, e, {3}));
  EXPECT_ERROR(ValueError, "multi_token: depth 0 must be positive",
               MultiTokenPrediction(options(0)));
}

}  // namespace
}  // namespace heed::attention
