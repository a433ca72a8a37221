#include "../../../../attention/mechanisms/memory/neural_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 6, kE = 3, kV = 5;
const std::vector<Index> kLengths = {kT, 4};
const std::vector<Index> kWords = {1, 4, 1, 0, 2, 2, 3, 3, 0, 1, 99, -7};

Tensor words() { return Tensor(Array::from(kWords, {kB, kT})); }
Index word(std::size_t b, Index t) { return kWords[b * kT + static_cast<std::size_t>(t)]; }

class NeuralCaches : public testing::TestWithParam<Index> {
 protected:
  const bool seeded_ = (manual_seed(65), true);  // before what is drawn below
  Tensor h = randn({kB, kT, kE}, DType::f64).set_requires_grad();
  Tensor p = softmax(randn({kB, kT, kV}, DType::f64), -1).detach().set_requires_grad();
};

INSTANTIATE_TEST_SUITE_P(Windows, NeuralCaches, testing::Values(0, 2),
                         testing::PrintToStringParamName());

TEST_P(NeuralCaches, AreThePapersSums) {
  const NeuralCacheOptions options{.theta = 0.7, .lambda = 0.3, .window = GetParam()};
  const std::vector<NamedLeaf> leaves = {{"h", h}, {"p", p}};
  const auto ours = [&] {
    return std::vector<Tensor>{neural_cache(h, p, words(), options, kLengths)};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& leaf) {
    Numbers out;
    for (std::size_t b = 0; b < kB; ++b) {
      for (Index t = 0; t < kT; ++t) {
        const auto row = static_cast<Index>(b);
        Numbers own(kV, 0.0);
        if (t < kLengths[b]) {
          const Index first = GetParam() == 0 ? 0 : std::max<Index>(0, t - GetParam());
          double total = 0;
          for (Index i = first; i < t; ++i) {
            total += std::exp(0.7 * plain::dot(leaf["h"].row({row, t}), leaf["h"].row({row, i})));
          }
          for (Index w = 0; w < kV; ++w) at(own, w) = leaf["p"](row, t, w) * (t == 0 ? 1 : 0.7);
          for (Index i = first; i < t; ++i) {
            at(own, word(b, i)) +=
                0.3 * std::exp(0.7 * plain::dot(leaf["h"].row({row, t}), leaf["h"].row({row, i}))) /
                total;
          }
        }
        out = plain::join({out, own});
      }
    }
    return out;
  });
  plain::expect_gradients(leaves, ours);
}

TEST_P(NeuralCaches, SentinelsAreThePapersSums) {
  const PointerSentinel made(kE, GetParam(), DType::f64);
  const auto leaves = leaves_of(made, {{"h", h}, {"p", p}});
  const auto ours = [&] {
    const PointerSentinelOutput seen = made(h, p, words(), kLengths, true);
    return std::vector<Tensor>{seen.distribution, narrow(seen.gate, 1, 0, 4),
                               narrow(seen.weights, 1, 0, 4)};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& leaf) {
    Numbers mixed, gates, weights;
    for (std::size_t b = 0; b < kB; ++b) {
      const auto row = static_cast<Index>(b);
      for (Index t = 0; t < kT; ++t) {
        Numbers own(kV, 0.0);
        const bool real = t < kLengths[b];
        const Numbers q = plain::tanh(
            plain::affine(leaf["query.weight"], leaf["h"].row({row, t}), leaf["query.bias"]));
        const Index first = GetParam() == 0 ? 0 : std::max<Index>(0, t - GetParam() + 1);
        Numbers e;
        for (Index i = first; i <= t; ++i) e.push_back(plain::dot(q, leaf["h"].row({row, i})));
        e.push_back(plain::dot(q, leaf["sentinel"].values()));
        const Numbers a = plain::softmax(e, static_cast<Index>(e.size()));
        if (real) {
          for (Index w = 0; w < kV; ++w) at(own, w) = a.back() * leaf["p"](row, t, w);
          for (Index i = first; i <= t; ++i) at(own, word(b, i)) += at(a, i - first);
        }
        mixed = plain::join({mixed, own});
        if (t >= 4) continue;
        gates.push_back(a.back());
        Numbers all(kT, 0.0);
        for (Index i = first; i <= t; ++i) at(all, i) = at(a, i - first);
        weights = plain::join({weights, all});
      }
    }
    return plain::join({mixed, gates, weights});
  });
  plain::expect_gradients(leaves, ours, 4);
}

TEST_P(NeuralCaches, GiveProbabilities) {
  const PointerSentinel made(kE, GetParam(), DType::f64);
  for (const Tensor& mixed :
       {neural_cache(h, p, words(), {.lambda = 0.4, .window = GetParam()}, kLengths),
        made(h, p, words(), kLengths).distribution}) {
    const Numbers sums = numbers(sum(mixed, {-1}));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_NEAR(sums[i], static_cast<Index>(i % kT) < kLengths[i / kT] ? 1 : 0, 1e-12);
    }
  }
}

TEST_P(NeuralCaches, WhatIsPaddingChangesNoBit) {
  const PointerSentinel made(kE, GetParam(), DType::f64);
  plain::expect_hidden([&](double value) {
    return plain::bits_of(leaves_of(made, {}), [&] {
      const Tensor dirty = plain::spoiled(h, kLengths, value);
      const Tensor chances = plain::spoiled(p, kLengths, value);
      return std::vector<Tensor>{made(dirty, chances, words(), kLengths).distribution,
                                 neural_cache(dirty, chances, words(), {}, kLengths)};
    });
  });
}

TEST(NeuralCache, RefusesWhatDoesNotFit) {
  const Tensor h = zeros({kB, kT, kE}), p = zeros({kB, kT, kV});
  EXPECT_ERROR(ShapeError, "neural_cache: states must be [B, n, width], not f32[6, 3]",
               neural_cache(zeros({kT, kE}), p, words(), {}));
  EXPECT_ERROR(ShapeError, "neural_cache: vocabulary must be [2, 6, V], not f32[2, 5, 5]",
               neural_cache(h, zeros({kB, 5, kV}), words(), {}));
  EXPECT_ERROR(DTypeError,
               "neural_cache: dtypes differ: states are f32[2, 6, 3], vocabulary is f64[2, 6, 5]",
               neural_cache(h, zeros({kB, kT, kV}, DType::f64), words(), {}));
  EXPECT_ERROR_WITH(IndexError, "neural_cache: id 99 of next is not in [0, 5)",
                    neural_cache(h, p, words(), {}));
  EXPECT_ERROR(ValueError,
               "neural_cache: lambda 2 must be in [0, 1], theta 0.3 finite, window 0 not negative",
               neural_cache(h, p, words(), {.lambda = 2}));
  const PointerSentinel made(kE);
  EXPECT_ERROR_WITH(IndexError, "pointer_sentinel: id 99 of ids is not in [0, 5)",
                    made(h, p, words()));
  EXPECT_ERROR(ShapeError, "pointer_sentinel: states must be [.., n, 3], not f32[2, 6, 4]",
               made(zeros({kB, kT, 4}), p, words()));
  EXPECT_ERROR(ValueError, "pointer_sentinel: window -1 must not be negative",
               PointerSentinel(kE, -1));
}

}  // namespace
}  // namespace heed::attention
