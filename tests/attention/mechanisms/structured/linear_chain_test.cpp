#include "../../../../attention/mechanisms/structured/linear_chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../attention/attend.h"
#include "../../../../attention/normalisers/sigmoid.h"
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

using plain::Leaves;

constexpr Index kB = 2, kT = 5, kS = 3;
// Of the second chain the places 1 and 3 are taken out.
const std::vector<bool> kAllowed = {true, true, true, true, true, true, false, true, false, true};

Tensor allowed() { return Tensor(Array::from(kAllowed, {kB, kT})); }

// All sequences of states, one by one: marginals, then the logs of the sums.
Numbers by_counting(const Block& u, const Block& A, bool masked) {
  Numbers nodes, logs;
  for (Index b = 0; b < kB; ++b) {
    std::vector<Index> places;
    for (Index t = 0; t < kT; ++t) {
      if (!masked || kAllowed[static_cast<std::size_t>(b * kT + t)]) places.push_back(t);
    }
    Numbers sums(static_cast<std::size_t>(kT * kS), 0.0);
    std::vector<Index> z(places.size(), 0);
    double total = 0;
    for (;;) {
      double log = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        log += u(b, places[i], z[i]) + (i == 0 ? 0 : A(z[i - 1], z[i]));
      }
      total += std::exp(log);
      for (std::size_t i = 0; i < z.size(); ++i) at(sums, places[i] * kS + z[i]) += std::exp(log);
      std::size_t i = 0;
      while (i < z.size() && ++z[i] == kS) z[i++] = 0;
      if (i == z.size()) break;
    }
    for (const double sum : sums) nodes.push_back(sum / total);
    logs.push_back(std::log(total));
  }
  nodes.insert(nodes.end(), logs.begin(), logs.end());
  return nodes;
}

class LinearChains : public testing::TestWithParam<bool> {
 protected:
  const bool seeded_ = (manual_seed(5), true);  // before what is drawn below
  Tensor u = randn({kB, kT, kS}, DType::f64).set_requires_grad();
  Tensor A = randn({kS, kS}, DType::f64).set_requires_grad();
  std::vector<Tensor> ours() const {
    const ChainMarginals p = linear_chain(u, A, GetParam() ? allowed() : Tensor());
    return {p.nodes, p.log_partition};
  }
};

INSTANTIATE_TEST_SUITE_P(All, LinearChains, testing::Bool(), [](const auto& masked) {
  return masked.param ? std::string("masked") : std::string("whole");
});

TEST_P(LinearChains, AreSumsOverAllSequences) {
  const std::vector<NamedLeaf> leaves = {{"u", u}, {"A", A}};
  plain::expect_same(
      leaves, [&] { return ours(); },
      [&](const Leaves& p) { return by_counting(p["u"], p["A"], GetParam()); });
  plain::expect_gradients(leaves, [&] { return ours(); });
}

// d log Z / d u are the marginals.
TEST_P(LinearChains, AreTheGradientOfTheLogPartition) {
  sum(ours()[1]).backward();
  EXPECT_LT(difference(u.grad(), ours()[0].detach()), 1e-14);
}

TEST(LinearChain, LongChainsNeitherOverflowNorVanish) {
  const Tensor u = full({1, 500, 2}, 30, DType::f64);
  const ChainMarginals p = linear_chain(u, zeros({2, 2}, DType::f64));
  EXPECT_LT(difference(p.nodes, full({1, 500, 2}, 0.5, DType::f64)), 1e-10);
  EXPECT_NEAR(p.log_partition.item(), 500 * (30 + std::log(2)), 1e-8);
}

TEST(LinearChain, WithoutPlaces) {
  const Tensor A = zeros({kS, kS}, DType::f64), u = randn({kB, kT, kS}, DType::f64);
  const ChainMarginals none = linear_chain(u, A, Tensor(Array::zeros({kT}, DType::boolean)));
  EXPECT_EQ(numbers(none.nodes), Numbers(static_cast<std::size_t>(kB * kT * kS), 0));
  EXPECT_EQ(numbers(none.log_partition), Numbers(kB, 0));
  const ChainMarginals empty = linear_chain(zeros({kB, 0, kS}, DType::f64), A);
  EXPECT_EQ(empty.nodes.shape(), (Shape{kB, 0, kS}));
  EXPECT_EQ(numbers(empty.log_partition), Numbers(kB, 0));
}

TEST(LinearChain, AsANormaliserOfIndependentPlacesIsASigmoid) {
  manual_seed(6);
  const Tensor e = randn({kB, kS, kT}, DType::f64), may = unsqueeze(allowed(), 1);
  const LinearChain chain(DType::f64);
  EXPECT_LT(difference(chain(e, may), Sigmoid()(e, may)), 1e-14);
  EXPECT_LT(difference(transpose(chain(transpose(e, 1, 2), transpose(may, 1, 2), 1), 1, 2),
                       Sigmoid()(e, may)),
            1e-14);
}

TEST(LinearChain, RefusesWhatDoesNotFit) {
  const Tensor A = zeros({3, 3});
  EXPECT_ERROR(GradError, "linear_chain: u is undefined", linear_chain(Tensor(), A));
  EXPECT_ERROR(ShapeError, "linear_chain: u must be [.., T, S], not f32[3]",
               linear_chain(zeros({3}), A));
  EXPECT_ERROR(ShapeError, "linear_chain: transitions must be [2, 2], not f32[3, 3]",
               linear_chain(zeros({5, 2}), A));
  EXPECT_ERROR(DTypeError, "linear_chain: takes f32 or f64, not i64",
               linear_chain(zeros({5, 3}, DType::i64), A));
  EXPECT_ERROR(DTypeError, "linear_chain: dtypes differ: u is f64[5, 3], transitions are f32[3, 3]",
               linear_chain(zeros({5, 3}, DType::f64), A));
}

}  // namespace
}  // namespace heed::attention
