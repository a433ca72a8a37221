#include "../../../../attention/mechanisms/sets/neural_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;
using Rows = std::vector<Numbers>;

constexpr Index kB = 2, kN = 5, kM = 3, kX = 2, kY = 1, kE = 4, kH = 2, kD = kE / kH;
const std::vector<Index> kLengths = {kN, 3};

Numbers layers(const Leaves& p, const std::string& name, const Numbers& x) {
  Numbers inner = plain::affine(p[name + ".first.weight"], x, p[name + ".first.bias"]);
  for (double& each : inner) each = std::max(each, 0.0);
  return plain::affine(p[name + ".second.weight"], inner, p[name + ".second.bias"]);
}

Numbers projected(const Leaves& p, Index third, const Numbers& x) {
  const Numbers all = plain::affine(p["attend.in_proj_weight"], x, p["attend.in_proj_bias"]);
  return Numbers(all.begin() + third * kE, all.begin() + (third + 1) * kE);
}

struct Normal {
  Numbers mean, deviation;
};
Normal latent(const Leaves& p, const Rows& x, const Rows& y) {
  Numbers s(kE, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Numbers one = layers(p, "latents", plain::join({x[i], y[i]}));
    for (Index d = 0; d < kE; ++d) at(s, d) += at(one, d) / static_cast<double>(x.size());
  }
  Normal out{plain::affine(p["mu.weight"], s, p["mu.bias"]),
             plain::affine(p["sigma.weight"], s, p["sigma.bias"])};
  for (double& each : out.deviation) each = 0.1 + 0.9 * plain::sigmoid(each);
  return out;
}

// Means, deviations, KL, then the loss.
Numbers plain_process(const Leaves& p, const Block& noise, bool attentive) {
  Numbers means, deviations, divergences;
  double loss = 0;
  for (std::size_t b = 0; b < kB; ++b) {
    const Rows x = plain::rows_of(p["x"], b, kLengths[b]),
               y = plain::rows_of(p["y"], b, kLengths[b]);
    const Rows to = plain::rows_of(p["targets"], b, kM),
               wanted = plain::rows_of(p["answers"], b, kM);
    const Normal prior = latent(p, x, y), own = latent(p, to, wanted);
    Numbers z;
    for (Index d = 0; d < kE; ++d) {
      z.push_back(at(own.mean, d) + at(own.deviation, d) * noise(static_cast<Index>(b), d));
    }
    Rows r;
    for (std::size_t i = 0; i < x.size(); ++i) {
      r.push_back(layers(p, "points", plain::join({x[i], y[i]})));
    }
    for (std::size_t m = 0; m < kM; ++m) {
      Numbers heard(kE, 0.0);
      for (Index h = 0; h < kH && attentive; ++h) {
        const Numbers q = projected(p, 0, layers(p, "places", to[m]));
        Numbers e;
        for (const Numbers& each : x) {
          const Numbers k = projected(p, 1, layers(p, "places", each));
          double product = 0;
          for (Index d = h * kD; d < (h + 1) * kD; ++d) product += at(q, d) * at(k, d);
          e.push_back(product / std::sqrt(static_cast<double>(kD)));
        }
        const Numbers a = plain::softmax(e, static_cast<Index>(e.size()));
        for (std::size_t i = 0; i < r.size(); ++i) {
          const Numbers v = projected(p, 2, r[i]);
          for (Index d = h * kD; d < (h + 1) * kD; ++d) at(heard, d) += a[i] * at(v, d);
        }
      }
      if (attentive) {
        heard = plain::affine(p["attend.out_proj.weight"], heard, p["attend.out_proj.bias"]);
      } else {
        for (const Numbers& each : r) {
          for (Index d = 0; d < kE; ++d)
            at(heard, d) += at(each, d) / static_cast<double>(r.size());
        }
      }
      const Numbers both = layers(p, "decoder", plain::join({to[m], heard, z}));
      const double deviation = 0.1 + 0.9 * std::log1p(std::exp(both[1]));
      means.push_back(both[0]);
      deviations.push_back(deviation);
      loss += (std::pow((wanted[m][0] - both[0]) / deviation, 2) / 2 + std::log(deviation) +
               std::log(2 * std::acos(-1.0)) / 2) /
              (kB * kM);
    }
    double divergence = 0;
    for (Index d = 0; d < kE; ++d) {
      const double ratio = std::pow(at(own.deviation, d) / at(prior.deviation, d), 2);
      divergence += (ratio - 1 - std::log(ratio)) / 2 +
                    std::pow((at(own.mean, d) - at(prior.mean, d)) / at(prior.deviation, d), 2) / 2;
    }
    divergences.push_back(divergence);
    loss += divergence / (kB * kM);
  }
  return plain::join({means, deviations, divergences, {loss}});
}

class NeuralProcesses : public testing::TestWithParam<bool> {
 protected:
  const bool seeded_ = (manual_seed(80), true);  // before what is drawn below
  NeuralProcesses() {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.6);
  }
  const NeuralProcess made{NeuralProcessOptions{.input = kX,
                                                .output = kY,
                                                .width = kE,
                                                .heads = kH,
                                                .attentive = GetParam(),
                                                .dtype = DType::f64}};
  Tensor x = randn({kB, kN, kX}, DType::f64), y = randn({kB, kN, kY}, DType::f64);
  Tensor targets = randn({kB, kM, kX}, DType::f64), answers = randn({kB, kM, kY}, DType::f64);
};

INSTANTIATE_TEST_SUITE_P(All, NeuralProcesses, testing::Bool(), [](const auto& attentive) {
  return std::string(attentive.param ? "attentive" : "mean");
});

TEST_P(NeuralProcesses, AreThePapersEquations) {
  const Tensor noise(Generator(5).normal({kB, kE}, 0, 1, DType::f64));
  std::vector<NamedLeaf> leaves;
  for (const NamedLeaf& leaf :
       leaves_of(made, {{"x", x}, {"y", y}, {"targets", targets}, {"answers", answers}})) {
    // Without attention nobody asks where targets lie among points.
    if (GetParam() || !leaf.name.starts_with("places")) leaves.push_back(leaf);
  }
  const auto ours = [&] {
    Generator generator(5);
    const NeuralProcessOutput seen = made(x, y, targets, answers, kLengths, false, generator);
    return std::vector<Tensor>{seen.mean, seen.deviation, seen.kl,
                               neural_process_loss(seen, answers)};
  };
  plain::expect_same(leaves, ours,
                     [&](const Leaves& p) { return plain_process(p, Block(noise), GetParam()); });
  plain::expect_gradients(leaves, ours, 2);
}

TEST_P(NeuralProcesses, DrawFromTheContextWithoutAnswers) {
  Generator generator(6), again(6), other(7);
  const NeuralProcessOutput seen = made(x, y, targets, {}, {}, true, generator);
  EXPECT_FALSE(seen.kl.defined());
  EXPECT_EQ(seen.weights.defined(), GetParam());
  EXPECT_EQ(numbers(seen.mean), numbers(made(x, y, targets, {}, {}, true, again).mean));
  EXPECT_NE(numbers(seen.mean), numbers(made(x, y, targets, {}, {}, false, other).mean));
}

TEST_P(NeuralProcesses, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "neural_process: x must be [.., n, 2], not f64[2, 5, 1]",
               made(y, y, targets));
  EXPECT_ERROR(ShapeError, "neural_process: y must be [.., n, 1], not f64[2, 5, 2]",
               made(x, x, targets));
  EXPECT_ERROR(ShapeError,
               "neural_process: y f64[2, 4, 1] has another number of points than x f64[2, 5, 2]",
               made(x, narrow(y, 1, 0, 4), targets));
  EXPECT_ERROR(ShapeError,
               "neural_process: answers f64[2, 2, 1] has another number of points than targets "
               "f64[2, 3, 2]",
               made(x, y, targets, narrow(answers, 1, 0, 2)));
  EXPECT_ERROR(ShapeError, "neural_process: targets must have 2 rows, not 1: f64[1, 3, 2]",
               made(x, y, narrow(targets, 0, 0, 1)));
  EXPECT_ERROR(DTypeError, "neural_process: x must be f64, not f32[2, 5, 2]",
               made(to(x, DType::f32), y, targets));
  EXPECT_ERROR(ShapeError, "neural_process: 1 lengths for 2 rows of x",
               made(x, y, targets, {}, {3}));
  EXPECT_ERROR(ValueError, "neural_process: input 2, output 0 and width 4 must be positive",
               NeuralProcess({.input = 2, .width = 4}));
  EXPECT_ERROR(ShapeError,
               "neural_process: answers f64[2, 2, 1] for what was foretold, f64[2, 3, 1]",
               neural_process_loss(made(x, y, targets), narrow(answers, 1, 0, 2)));
}

}  // namespace
}  // namespace heed::attention
