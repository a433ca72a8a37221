#include "../../../../attention/mechanisms/structured/sparse_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../../../attention/attend.h"
#include "../../../../attention/normalisers/sparse.h"
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

constexpr Index kB = 2, kT = 4, kS = 2;
// Of the second chain the place 1 is taken out.
const std::vector<bool> kAllowed = {true, true, true, true, true, false, true, true};
Tensor allowed() { return Tensor(Array::from(kAllowed, {kB, kT})); }

// The largest numbers of a simplex' point nearest to v.
Numbers on_simplex(const Numbers& v) {
  Numbers sorted = v;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, tau = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double level = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] > level) tau = level;
  }
  Numbers out;
  for (const double x : v) out.push_back(std::max(x - tau, 0.0));
  return out;
}

// Weights over all sequences, uphill until they stay: accelerated steps that begin anew where they
// overshoot (O'Donoghue and Candes 2015).
Numbers by_steps(const Block& u, const Block& A, bool masked) {
  Numbers out;
  for (Index b = 0; b < kB; ++b) {
    std::vector<Index> places;
    for (Index t = 0; t < kT; ++t) {
      if (!masked || kAllowed[static_cast<std::size_t>(b * kT + t)]) places.push_back(t);
    }
    std::vector<std::vector<Index>> all = {{}};
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::vector<std::vector<Index>> longer;
      for (const auto& each : all) {
        for (Index j = 0; j < kS; ++j) longer.push_back(each), longer.back().push_back(j);
      }
      all = longer;
    }
    Numbers scores;
    for (const auto& states : all) {
      double score = 0;
      for (std::size_t i = 0; i < states.size(); ++i) {
        score += u(b, places[i], states[i]) + (i == 0 ? 0 : A(states[i - 1], states[i]));
      }
      scores.push_back(score);
    }
    const auto nodes = [&](const Numbers& y) {
      Numbers mu(static_cast<std::size_t>(kT * kS), 0.0);
      for (std::size_t s = 0; s < all.size(); ++s) {
        for (std::size_t i = 0; i < places.size(); ++i) {
          mu[static_cast<std::size_t>(places[i] * kS + all[s][i])] += y[s];
        }
      }
      return mu;
    };
    Numbers y(all.size(), 1 / static_cast<double>(all.size())), ahead = y;
    double momentum = 1;
    const double rate = 1 / static_cast<double>(all.size() * places.size());
    for (int step = 0; step < 6000; ++step) {
      const Numbers mu = nodes(ahead);
      Numbers next = ahead;
      for (std::size_t s = 0; s < all.size(); ++s) {
        double slope = scores[s];
        for (std::size_t i = 0; i < places.size(); ++i) {
          slope -= mu[static_cast<std::size_t>(places[i] * kS + all[s][i])];
        }
        next[s] += rate * slope;
      }
      next = on_simplex(next);
      double back = 0;
      for (std::size_t s = 0; s < all.size(); ++s) back += (ahead[s] - next[s]) * (next[s] - y[s]);
      const double more = back > 0 ? 1 : (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      for (std::size_t s = 0; s < all.size(); ++s) {
        ahead[s] = next[s] + (back > 0 ? 0 : (momentum - 1) / more) * (next[s] - y[s]);
      }
      momentum = more;
      y = next;
    }
    const Numbers mu = nodes(y);
    out.insert(out.end(), mu.begin(), mu.end());
  }
  return out;
}

class SparseChains : public testing::TestWithParam<bool> {
 protected:
  const bool seeded_ = (manual_seed(15), true);  // before what is drawn below
  Tensor u = randn({kB, kT, kS}, DType::f64).set_requires_grad();
  Tensor transitions = (randn({kS, kS}, DType::f64) * 0.7).detach().set_requires_grad();
  SparseChain made() const {
    return sparse_chain(u, transitions, GetParam() ? allowed() : Tensor());
  }
};
INSTANTIATE_TEST_SUITE_P(All, SparseChains, testing::Bool(), [](const auto& masked) {
  return masked.param ? std::string("masked") : std::string("whole");
});

TEST_P(SparseChains, AreTheBestPointOfThePolytope) {
  const std::vector<NamedLeaf> leaves = {{"u", u}, {"transitions", transitions}};
  const auto ours = [&] { return std::vector<Tensor>{made().nodes}; };
  plain::expect_same(
      leaves, ours, [&](const Leaves& w) { return by_steps(w["u"], w["transitions"], GetParam()); },
      1e-3);
  plain::expect_gradients(leaves, ours);
}

TEST_P(SparseChains, AreSparse) {
  const SparseChain out = made();
  const Numbers sums = numbers(sum(out.nodes, {-1}));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(sums[i], GetParam() && !kAllowed[i] ? 0 : 1, 1e-12);
  }
  for (const Index n : out.count.array().to_vector<Index>()) {
    EXPECT_GE(n, 1);
    EXPECT_LE(n, 1 + kT * (kS - 1)) << "as many as the polytope has dimensions, and one";
  }
  // Of large scores the best sequence alone.
  const SparseChain sharp =
      sparse_chain(u.detach() * 1e3, transitions, GetParam() ? allowed() : Tensor());
  EXPECT_EQ(sharp.count.array().to_vector<Index>(), (std::vector<Index>{1, 1}));
  const Tensor whole = sharp.nodes * (1.0 - sharp.nodes);
  EXPECT_LT(amax(abs(whole)).item(), 1e-12);
}

// Without transitions each place is by itself, and states are a sparsemax.
TEST(SparseChain, WithoutTransitionsIsSparsemaxOfEachPlace) {
  manual_seed(3);
  const Tensor u = randn({5, 7, 3}, DType::f64);
  const Tensor nodes = sparse_chain(u, zeros({3, 3}, DType::f64)).nodes;
  EXPECT_LT(difference(nodes, Sparsemax()(u)), 1e-12);
}

TEST(SparseChain, ManyLongChainsEnd) {
  manual_seed(4);
  const Tensor u = randn({20, 40, 2}, DType::f64) * 0.5;
  const Tensor A = tensor({1, -1, -1, 1}, {2, 2}, DType::f64);
  const SparseChain out = sparse_chain(u, A);
  EXPECT_LT(amax(abs(sum(out.nodes, {-1}) - 1)).item(), 1e-9);
  EXPECT_GE(amin(out.nodes).item(), -1e-9);
}

TEST(SparseChain, OfNothingAndOfWhatIsNotANumber) {
  EXPECT_EQ(sparse_chain(zeros({3, 0, 2}), zeros({2, 2})).nodes.shape(), (Shape{3, 0, 2}));
  const Tensor none = Tensor(Array::full({2, 1}, 0, DType::boolean));
  EXPECT_EQ(sum(abs(sparse_chain(ones({2, 4, 2}), zeros({2, 2}), none).nodes)).item(), 0);
  Tensor u = ones({2, 3, 2}, DType::f64);
  Array(u.array()).mutable_data<double>()[0] = NAN;
  const Numbers out = numbers(sparse_chain(u, zeros({2, 2}, DType::f64)).nodes);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(std::isnan(out[i]), i < 6) << i;
}

TEST(SparseChain, SaysWhatIsWrong) {
  EXPECT_ERROR(ShapeError, "sparse_chain: u must be [.., T, S], not f32[4]",
               sparse_chain(zeros({4}), zeros({2, 2})));
  EXPECT_ERROR(ShapeError, "sparse_chain: transitions must be [3, 3], not f32[2, 2]",
               sparse_chain(zeros({4, 3}), zeros({2, 2})));
  EXPECT_ERROR(DTypeError, "sparse_chain: dtypes differ: u is f32[4, 2], transitions are f64[2, 2]",
               sparse_chain(zeros({4, 2}), zeros({2, 2}, DType::f64)));
}

}  // namespace
}  // namespace heed::attention
