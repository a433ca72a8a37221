#include "../../../../attention/mechanisms/sets/hopfield.h"

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
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kQ = 3, kK = 5, kR = 4, kY = 6, kH = 2, kD = 3, kOut = 7, kUpdates = 3;
constexpr double kBeta = 1.3;
const std::vector<Index> kLengths = {kK, 2};

HopfieldOptions options() {
  return {.state_width = kR,
          .stored_width = kY,
          .head_width = kD,
          .heads = kH,
          .output = kOut,
          .updates = kUpdates,
          .beta = kBeta,
          .dtype = DType::f64};
}

// One state among patterns: its next one, or what it reads of the values.
Numbers moved(const Numbers& xi, const std::vector<Numbers>& patterns,
              const std::vector<Numbers>& values, Numbers* weights) {
  Numbers e;
  for (const Numbers& pattern : patterns) e.push_back(kBeta * plain::dot(xi, pattern));
  *weights = plain::softmax(e, static_cast<Index>(e.size()));
  Numbers out(xi.size(), 0.0);
  for (std::size_t j = 0; j < values.size(); ++j) {
    for (std::size_t d = 0; d < out.size(); ++d) out[d] += (*weights)[j] * values[j][d];
  }
  return out;
}

Numbers part(const Numbers& x, Index h) { return {x.begin() + h * kD, x.begin() + (h + 1) * kD}; }

TEST(Hopfield, IsThePapersUpdates) {
  manual_seed(26);
  const Hopfield made(options());
  const Tensor r = randn({kB, kQ, kR}, DType::f64), y = randn({kB, kK, kY}, DType::f64);
  const auto leaves = leaves_of(made, {{"r", r}, {"y", y}});
  const auto ours = [&] {
    const Attended seen = made(r, y, Mask::lengths(kLengths, kK), true);
    return std::vector<Tensor>{seen.context, transpose(seen.weights, 1, 2)};
  };
  plain::expect_same(leaves, ours, [](const Leaves& p) {
    Numbers contexts, weights;
    for (std::size_t b = 0; b < kB; ++b) {
      std::vector<Numbers> keys, values;
      for (const Numbers& stored : plain::rows_of(p["y"], b, kLengths[b])) {
        keys.push_back(plain::affine(p["pattern_projection.weight"], stored));
        values.push_back(plain::affine(p["value_projection.weight"], keys.back()));
      }
      for (const Numbers& state : plain::rows_of(p["r"], b, kQ)) {
        const Numbers q = plain::affine(p["state_projection.weight"], state);
        Numbers heads;
        for (Index h = 0; h < kH; ++h) {
          std::vector<Numbers> own_keys, own_values;
          for (std::size_t j = 0; j < keys.size(); ++j) {
            own_keys.push_back(part(keys[j], h));
            own_values.push_back(part(values[j], h));
          }
          Numbers xi = part(q, h), a;
          for (Index i = 1; i < kUpdates; ++i) xi = moved(xi, own_keys, own_keys, &a);
          heads = plain::join({heads, moved(xi, own_keys, own_values, &a)});
          a.resize(kK, 0);
          weights.insert(weights.end(), a.begin(), a.end());
        }
        contexts =
            plain::join({contexts, plain::affine(p["out_proj.weight"], heads, p["out_proj.bias"])});
      }
    }
    return plain::join({contexts, weights});
  });
  plain::expect_gradients(leaves, ours, 3);
}

TEST(Hopfield, TheEnergyIsThePapers) {
  manual_seed(27);
  Tensor xi = randn({kB, kQ, kD}, DType::f64).set_requires_grad();
  Tensor X = randn({kB, kK, kD}, DType::f64).set_requires_grad();
  const Tensor real = Mask::lengths(kLengths, kK).tensor(Shape{kB, kK});
  const std::vector<NamedLeaf> leaves = {{"xi", xi}, {"X", X}};
  const auto ours = [&] { return std::vector<Tensor>{hopfield_energy(xi, X, kBeta, real)}; };
  plain::expect_same(leaves, ours, [](const Leaves& p) {
    Numbers out;
    for (std::size_t b = 0; b < kB; ++b) {
      const auto patterns = plain::rows_of(p["X"], b, kLengths[b]);
      for (const Numbers& state : plain::rows_of(p["xi"], b, kQ)) {
        double sum = 0, largest = 0;
        for (const Numbers& pattern : patterns) {
          sum += std::exp(kBeta * plain::dot(pattern, state));
          largest = std::max(largest, plain::dot(pattern, pattern));
        }
        const auto N = static_cast<double>(patterns.size());
        out.push_back(-std::log(sum) / kBeta + plain::dot(state, state) / 2 + std::log(N) / kBeta +
                      largest / 2);
      }
    }
    return out;
  });
  plain::expect_gradients(leaves, ours);
  const Tensor all = full({kB, kK}, 1, DType::f64) == 1;
  EXPECT_EQ(numbers(hopfield_energy(xi, X, kBeta)), numbers(hopfield_energy(xi, X, kBeta, all)));
}

TEST(Hopfield, TheEnergySeesNothingOfPatternsThatAreNotStored) {
  manual_seed(30);
  const Tensor xi = randn({kB, kQ, kD}, DType::f64).set_requires_grad();
  const Tensor X = randn({kB, kK, kD}, DType::f64);
  const Tensor real = Mask::lengths(kLengths, kK).tensor(Shape{kB, kK});
  plain::expect_hidden([&](double value) {
    const Tensor patterns = plain::spoiled(X, kLengths, value).set_requires_grad();
    return plain::bits_of({{"xi", xi}, {"X", patterns}}, [&] {
      return std::vector<Tensor>{hopfield_energy(xi, patterns, kBeta, real)};
    });
  });
}

TEST(Hopfield, TheEnergyWithoutAPatternIsInfinite) {
  manual_seed(32);
  const Tensor xi = randn({kB, kQ, kD}, DType::f64).set_requires_grad();
  const Tensor X = randn({kB, kK, kD}, DType::f64).set_requires_grad();
  const Tensor real = Mask::lengths({0, 2}, kK).tensor(Shape{kB, kK});
  const Tensor energy = hopfield_energy(xi, X, kBeta, real);
  EXPECT_EQ(numbers(select(energy, 0, 0)), Numbers(kQ, INFINITY));
  const Tensor stored = narrow(select(X, 0, 1), 0, 0, 2);
  EXPECT_LT(difference(select(energy, 0, 1), hopfield_energy(select(xi, 0, 1), stored, kBeta)),
            1e-12);
  sum(energy).backward();
  EXPECT_EQ(numbers(select(xi.grad(), 0, 0)), Numbers(kQ * kD, 0.0));
  EXPECT_EQ(numbers(select(X.grad(), 0, 0)), Numbers(kK * kD, 0.0));
  EXPECT_TRUE(std::isfinite(sum(abs(xi.grad())).item() + sum(abs(X.grad())).item()));
  const Tensor alone = randn({kQ, kD}, DType::f64).set_requires_grad();
  const Tensor none = hopfield_energy(alone, zeros({0, kD}, DType::f64), kBeta);
  EXPECT_EQ(numbers(none), Numbers(kQ, INFINITY));
  sum(none).backward();
  EXPECT_EQ(numbers(alone.grad()), Numbers(kQ * kD, 0.0));
}

// Theorem 1 and 2: from anywhere, at any beta, each update lowers the energy or leaves it.
TEST(Hopfield, TheEnergyNeverRises) {
  manual_seed(28);
  const NoGrad off;
  for (const double beta : {0.1, 1.0, 8.0}) {
    const Tensor X = randn({1, 11, kD}, DType::f64) * 2;
    Tensor xi = randn({1, 200, kD}, DType::f64) * 3;
    Numbers before = numbers(hopfield_energy(xi, X, beta));
    const Numbers first = before;
    for (int update = 0; update < 30; ++update) {
      xi = hopfield_update(xi, X, beta).context;
      const Numbers after = numbers(hopfield_energy(xi, X, beta));
      for (std::size_t i = 0; i < after.size(); ++i) {
        ASSERT_LE(after[i], before[i] + 1e-12);
        ASSERT_GE(after[i], -1e-12);
      }
      before = after;
    }
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_LT(before[i], first[i]);
  }
}

// Patterns far apart, at a high beta: one update finds the whole of what a part reminds of.
TEST(Hopfield, RemembersAPatternFromAPartOfIt) {
  manual_seed(29);
  const Tensor X = sign(randn({20, 64}, DType::f64));
  const Tensor half = concat({narrow(X, 1, 0, 32), zeros({20, 32}, DType::f64)}, 1);
  EXPECT_LT(difference(hopfield_update(half, X, 1).context, X), 1e-3);
}

TEST(Hopfield, StopsWhereNothingMoves) {
  manual_seed(30);
  HopfieldOptions many = options();
  many.updates = 10000000;
  many.tolerance = 1e-3;
  const Hopfield made(many);
  const Tensor r = randn({kB, kQ, kR}, DType::f64), y = randn({kB, kK, kY}, DType::f64);
  const Tensor soon = made(r, y).context;
  HopfieldOptions few = options();
  few.updates = 60;
  Hopfield other(few);
  other.load_state_dict(made.state_dict());
  EXPECT_LT(difference(soon, other(r, y).context), 0.05);
}

// Each state by itself, whoever is beside it, and so in the derivative.
TEST(Hopfield, EveryStateStopsForItself) {
  manual_seed(33);
  HopfieldOptions many = options();
  many.updates = 50;
  many.tolerance = 1e-2;
  const Hopfield made(many);
  Tensor r = randn({7, kQ, kR}, DType::f64) * 3, y = randn({7, kK, kY}, DType::f64) * 2;
  r.set_requires_grad();
  y.set_requires_grad();
  const Tensor together = made(r, y).context;
  const auto all = grad({sum(square(together))}, {r, y});
  for (Index b = 0; b < 7; ++b) {
    const Tensor own_y = narrow(y, 0, b, 1);
    for (Index i = 0; i < kQ; ++i) {
      const Tensor alone = made(narrow(narrow(r, 0, b, 1), 1, i, 1), own_y).context;
      EXPECT_LT(difference(alone, narrow(narrow(together, 0, b, 1), 1, i, 1)), 1e-12) << b;
      const Tensor gradient = grad({sum(square(alone))}, {r})[0];
      EXPECT_LT(
          difference(select(select(gradient, 0, b), 0, i), select(select(all[0], 0, b), 0, i)),
          1e-12)
          << b;
    }
    const auto own = grad({sum(square(made(narrow(r, 0, b, 1), own_y).context))}, {y});
    EXPECT_LT(difference(select(own[0], 0, b), select(all[1], 0, b)), 1e-11) << b;
  }
}

TEST(Hopfield, PoolingAndLayerHoldStatesAndPatterns) {
  manual_seed(31);
  const HopfieldPooling pool(options(), 2);
  const Tensor r = randn({kB, kQ, kR}, DType::f64), y = randn({kB, kK, kY}, DType::f64);
  const Tensor states = expand(pool.states, {kB, 2, kR});
  EXPECT_EQ(numbers(pool(y).context), numbers(pool.associate(states, y).context));
  const HopfieldLayer layer(options(), 5);
  const Tensor patterns = expand(layer.patterns, {kB, 5, kY});
  const auto leaves = leaves_of(layer, {{"r", r}});
  EXPECT_EQ(numbers(layer(r).context), numbers(layer.associate(r, patterns).context));
  plain::expect_gradients(
      leaves, [&] { return std::vector<Tensor>{layer(r).context}; }, 3);
  EXPECT_EQ(layer(r, true).weights.shape(), (Shape{kB, kH, kQ, 5}));
}

TEST(Hopfield, RefusesWhatDoesNotFit) {
  const Tensor x = zeros({2, 3});
  EXPECT_ERROR(ValueError, "hopfield: beta 0 must be positive", hopfield_energy(x, x, 0));
  EXPECT_ERROR(ValueError, "hopfield: beta -1 must be positive", hopfield_update(x, x, -1));
  EXPECT_ERROR(ShapeError, "hopfield: patterns must be [.., n, 3], not f32[5, 4]",
               hopfield_energy(x, zeros({5, 4}), 1));
  const Hopfield made({.state_width = 4, .head_width = 2});
  EXPECT_ERROR(ShapeError, "hopfield: states must be [.., n, 4], not f32[2, 3, 5]",
               made(zeros({2, 3, 5}), zeros({2, 3, 4})));
  EXPECT_ERROR(ShapeError, "hopfield: stored must have 2 rows, not 3: f32[3, 3, 4]",
               made(zeros({2, 3, 4}), zeros({3, 3, 4})));
  EXPECT_ERROR(ValueError,
               "hopfield: state_width 4, stored_width 4, head_width 0, heads 1, output 4 and "
               "updates 1 must be positive",
               Hopfield({.state_width = 4}));
  const char* const negative =
      "hopfield: state_width -4, stored_width -4, head_width 2, heads 1, output -4 and updates 1 "
      "must be positive";
  EXPECT_ERROR(ValueError, negative, HopfieldPooling({.state_width = -4, .head_width = 2}));
  EXPECT_ERROR(ValueError, negative, HopfieldLayer({.state_width = -4, .head_width = 2}, 3));
  EXPECT_ERROR(ValueError, "hopfield: tolerance -1 must not be negative",
               Hopfield({.state_width = 4, .head_width = 2, .tolerance = -1}));
  EXPECT_ERROR(ValueError, "hopfield: count 0 must be positive",
               HopfieldLayer({.state_width = 4, .head_width = 2}, 0));
}

}  // namespace
}  // namespace heed::attention
