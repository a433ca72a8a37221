#include "../../../../attention/mechanisms/pairs/coupled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::expect_gradients;
using plain::Leaves;
using plain::leaves_of;
using plain::sigmoid;

constexpr std::size_t kB = 2, kT = 5, kD = 3, kK = 2, kH = 4, kLayers = 3, kLabels = 7;
const std::vector<Index> kLengths = {kT, 3};
const CoupledOptions kOptions{
    .width = kD, .slices = kK, .layers = kLayers, .labels = kLabels, .dtype = DType::f64};

std::vector<Tensor> all_of(const CoupledMultiLayerOutput& tags) {
  std::vector<Tensor> out;
  for (const CoupledSide* side : {&tags.aspect, &tags.opinion}) {
    out.push_back(side->logits);
    out.push_back(side->context);
    out.insert(out.end(), side->weights.begin(), side->weights.end());
  }
  return out;
}

// One of the two, over one sentence.
struct Side {
  Side(const Leaves& leaves, std::string name) : p(leaves), at(std::move(name) + '.') {
    for (std::size_t c = 0; c < kD; ++c) u[c] = w("prototype")(c);
  }
  const Block& w(const std::string& name) const { return p[at + name]; }

  void read(std::size_t b, std::size_t T, const std::array<double, kD>& other) {
    std::array<double, kH> last{};
    r.clear();
    for (std::size_t i = 0; i < T; ++i) {
      std::array<double, 2 * kK> beta{};
      for (std::size_t k = 0; k < kK; ++k) {
        for (std::size_t c = 0; c < kD; ++c) {
          for (std::size_t e = 0; e < kD; ++e) {
            beta[k] += p["tokens"](b, i, c) * w("own")(k, c, e) * u[e];
            beta[kK + k] += p["tokens"](b, i, c) * w("other")(k, c, e) * other[e];
          }
        }
      }
      for (double& x : beta) x = std::tanh(x);
      const auto gate = [&](std::size_t row, const std::string& from) {
        double out = w("gru.bias_" + from + "_l0")(row);
        const Block& weight = w("gru.weight_" + from + "_l0");
        if (from == "ih") {
          for (std::size_t c = 0; c < 2 * kK; ++c) out += weight(row, c) * beta[c];
        } else {
          for (std::size_t c = 0; c < kH; ++c) out += weight(row, c) * last[c];
        }
        return out;
      };
      std::array<double, kH> now{};
      for (std::size_t h = 0; h < kH; ++h) {
        const double reset = sigmoid(gate(h, "ih") + gate(h, "hh"));
        const double keep = sigmoid(gate(kH + h, "ih") + gate(kH + h, "hh"));
        const double fresh = std::tanh(gate(2 * kH + h, "ih") + reset * gate(2 * kH + h, "hh"));
        now[h] = (1 - keep) * fresh + keep * last[h];
      }
      last = now;
      r.push_back(now);
    }
    Numbers alpha(kT, 0.0);
    for (std::size_t i = 0; i < T; ++i) {
      for (std::size_t h = 0; h < kH; ++h) alpha[i] += w("score_vector")(h) * r[i][h];
    }
    alpha = plain::softmax(alpha, static_cast<Index>(T));
    o = {};
    for (std::size_t i = 0; i < T; ++i) {
      for (std::size_t c = 0; c < kD; ++c) o[c] += alpha[i] * p["tokens"](b, i, c);
    }
    weights.push_back(alpha);
  }
  void next_layer() {
    std::array<double, kD> next{};
    for (std::size_t c = 0; c < kD; ++c) {
      double sum = 0;
      for (std::size_t e = 0; e < kD; ++e) sum += w("transfer.weight")(c, e) * u[e];
      next[c] = std::tanh(sum) + o[c];
    }
    u = next;
  }

  const Leaves& p;
  std::string at;
  std::array<double, kD> u{}, o{};
  std::vector<std::array<double, kH>> r;
  std::vector<Numbers> weights;
};

Numbers reference(const Leaves& p) {
  std::array<Numbers, 2 * (2 + kLayers)> parts;  // as all_of()
  for (std::size_t b = 0; b < kB; ++b) {
    const auto T = static_cast<std::size_t>(kLengths[b]);
    Side a(p, "aspect"), o(p, "opinion");
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      if (layer > 0) {
        a.next_layer();
        o.next_layer();
      }
      a.read(b, T, o.u);
      o.read(b, T, a.u);
    }
    std::size_t part = 0;
    for (const Side* side : {&a, &o}) {
      Numbers& logits = parts[part++];
      for (std::size_t i = 0; i < kT; ++i) {
        for (std::size_t l = 0; l < kLabels; ++l) {
          double sum = 0;
          for (std::size_t h = 0; i < T && h < kH; ++h) {
            sum += side->w("out.weight")(l, h) * side->r[i][h];
          }
          logits.push_back(sum);
        }
      }
      Numbers& context = parts[part++];
      context.insert(context.end(), side->o.begin(), side->o.end());
      for (const Numbers& alpha : side->weights) {
        parts[part].insert(parts[part].end(), alpha.begin(), alpha.end());
        ++part;
      }
    }
  }
  Numbers out;
  for (const Numbers& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

class CoupledTest : public testing::Test {
 protected:
  CoupledTest() {
    manual_seed(19);
    tokens = randn({kB, kT, kD}, DType::f64);
    for (const Tensor& parameter : made.parameters()) nn::normal_(parameter, 0, 0.5);
  }
  Tensor tokens;
  const CoupledMultiLayerAttention made{kOptions};
};

TEST_F(CoupledTest, IsTheDefinition) {
  const auto leaves = leaves_of(made, {{"tokens", tokens}});
  const auto ours = [&] { return all_of(made(tokens, kLengths, true)); };
  plain::expect_same(leaves, ours, reference);
  expect_gradients(leaves, ours, 3);
}

TEST_F(CoupledTest, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor x = plain::spoiled(tokens, kLengths, value);
    return plain::bits_of(leaves_of(made, {{"tokens", x}}),
                          [&] { return all_of(made(x, kLengths, true)); });
  });
}

TEST_F(CoupledTest, ASentenceOfNothingIsZero) {
  Tensor x = tokens.detach();
  x.set_requires_grad();
  const CoupledMultiLayerOutput tags = made(x, {0, 0}, true);
  Tensor loss = tensor(0, DType::f64);
  for (const Tensor& found : all_of(tags)) {
    EXPECT_EQ(sum(abs(found)).item(), 0);
    loss = loss + sum(found * 1e9);
  }
  loss.backward();
  for (const auto& [name, leaf] : leaves_of(made, {{"tokens", x}})) {
    if (leaf.grad().defined()) {
      EXPECT_EQ(sum(abs(leaf.grad())).item(), 0) << name;
    }
  }
}

// The layers share their parameters: one layer is the beginning of three.
TEST_F(CoupledTest, TheSecondLayerAsksWithWhatTheFirstFound) {
  CoupledOptions options = kOptions;
  options.layers = 1;
  CoupledMultiLayerAttention one(options);
  one.load_state_dict(made.state_dict());
  const CoupledMultiLayerOutput first = one(tokens, kLengths, true),
                                all = made(tokens, kLengths, true);
  EXPECT_THAT(numbers(first.aspect.weights[0]), near(all.aspect.weights[0], 1e-14));
  EXPECT_GT(amax(abs(first.aspect.logits - all.aspect.logits)).item(), 1e-3);
  EXPECT_TRUE(made(tokens).aspect.weights.empty());
}

// What is true of the aspects alone does not change what is said of opinions, in no layer.
TEST_F(CoupledTest, UncoupledSidesKnowNothingOfEachOther) {
  for (const bool coupled : {true, false}) {
    CoupledOptions options = kOptions;
    options.coupled = coupled;
    CoupledMultiLayerAttention sides(options);
    sides.load_state_dict(made.state_dict());
    const CoupledSide before = sides(tokens, kLengths, true).opinion;
    for (const Tensor& parameter : sides.aspect.parameters()) nn::normal_(parameter, 0, 0.5);
    const CoupledSide after = sides(tokens, kLengths, true).opinion;
    const double moved = amax(abs(before.logits - after.logits)).item();
    if (coupled) {
      EXPECT_GT(moved, 1e-3);
    } else {
      EXPECT_EQ(moved, 0);
    }
  }
}

TEST_F(CoupledTest, UncoupledAsksWithItsOwnPrototypeTwice) {
  CoupledOptions options = kOptions;
  options.coupled = false;
  options.layers = 1;
  CoupledMultiLayerAttention apart(options);
  apart.load_state_dict(made.state_dict());
  const CoupledAttention& side = apart.opinion;
  const Tensor u = unsqueeze(side.prototype, 0);
  const Tensor expected = side.out(side.features(tokens, kLengths, u, u));
  EXPECT_THAT(numbers(apart(tokens, kLengths).opinion.logits), near(expected, 1e-14));
}

TEST_F(CoupledTest, RefusesWhatDoesNotFit) {
  CoupledOptions bad = kOptions;
  bad.slices = 0;
  EXPECT_ERROR_WITH(
      ValueError,
      "coupled: width 3, slices 0, layers 3 and labels 7 must be positive, hidden 0 not negative",
      CoupledMultiLayerAttention none(bad));
  EXPECT_ERROR_WITH(ShapeError, "coupled: tokens must be [.., n, 3], not f64[2, 5, 2]",
                    made(narrow(tokens, 2, 0, 2)));
  EXPECT_ERROR_WITH(ShapeError, "coupled: tokens must be [B, n, width]",
                    made(select(tokens, 1, 0)));
  EXPECT_ERROR_WITH(DTypeError, "coupled: tokens must be f64", made(to(tokens, DType::f32)));
  EXPECT_ERROR_WITH(ShapeError, "coupled: 1 lengths for 2 rows of tokens", made(tokens, {1}));
  EXPECT_ERROR_WITH(GradError, "coupled: tokens is undefined", made(Tensor()));
}

}  // namespace
}  // namespace heed::attention
