#include "../../../../attention/mechanisms/graph/graph_structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/methods.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

using testing::ElementsAre;

std::vector<Index> ids(const Tensor& x) { return x.array().to_vector<Index>(); }

// A ring of five with a tail, and a node by itself; node 0 also looks at itself.
Edges ring() { return Edges({0, 1, 2, 3, 4, 4, 0}, {1, 2, 3, 4, 0, 5, 0}, 7); }

TEST(GraphStructure, CountsSteps) {
  const std::vector<Index> steps = ids(shortest_paths(ring(), 9));
  EXPECT_THAT(std::vector<Index>(steps.begin(), steps.begin() + 7),
              ElementsAre(0, 1, 2, 2, 1, 2, 9));
  EXPECT_THAT(std::vector<Index>(steps.begin() + 35, steps.begin() + 42),
              ElementsAre(2, 3, 3, 2, 1, 0, 9));
  EXPECT_THAT(std::vector<Index>(steps.begin() + 42, steps.end()),
              ElementsAre(9, 9, 9, 9, 9, 9, 0));
  const std::vector<Index> near = ids(shortest_paths(ring(), 2));
  EXPECT_THAT(std::vector<Index>(near.begin(), near.begin() + 7), ElementsAre(0, 1, 2, 2, 1, 2, 2));
}

TEST(GraphStructure, CountsNeighbours) {
  EXPECT_THAT(ids(degrees(ring(), 8)), ElementsAre(2, 2, 2, 2, 3, 1, 0));
  EXPECT_THAT(ids(degrees(ring(), 2)), ElementsAre(2, 2, 2, 2, 2, 1, 0));
}

// A path's eigenvectors are cosines, by Chung's "Spectral Graph Theory": u_k(i) ~ sqrt(d_i) cos(pi
// k i / (n - 1)).
TEST(GraphStructure, APathHasCosinesForPositions) {
  constexpr Index kN = 5, kCount = 4;
  const Tensor found =
      laplacian_positions(Edges({0, 1, 2, 3}, {1, 2, 3, 4}, kN), kCount, DType::f64);
  for (Index k = 1; k <= kCount; ++k) {
    Numbers wanted;
    double squares = 0, largest = 0;
    for (Index i = 0; i < kN; ++i) {
      const double root = std::sqrt(i == 0 || i == kN - 1 ? 1 : 2);
      const double angle = std::acos(-1.0) * static_cast<double>(k * i) / (kN - 1);
      wanted.push_back(root * std::cos(angle));
      squares += wanted.back() * wanted.back();
      if (std::fabs(wanted.back()) > std::fabs(largest) + 1e-9) largest = wanted.back();
    }
    for (double& x : wanted) x /= std::sqrt(squares) * (largest < 0 ? -1 : 1);
    EXPECT_THAT(numbers(select(found, 1, k - 1)), near(wanted, 1e-12)) << k;
  }
}

// L u = lambda u, of the ring with its tail; what is by itself and what is beyond is 0.
TEST(GraphStructure, PositionsAreEigenvectors) {
  const Numbers u = numbers(laplacian_positions(ring(), 8, DType::f64));
  const Numbers degree = {2, 2, 2, 2, 3, 1};
  const std::vector<std::vector<Index>> beside = {{1, 4}, {0, 2}, {1, 3}, {2, 4}, {3, 0, 5}, {4}};
  double last = 0;
  for (Index c = 0; c < 5; ++c) {
    double lambda = 0, squares = 0;
    Numbers product;
    for (Index i = 0; i < 6; ++i) {
      double sum = at(u, i * 8 + c);
      for (const Index j : beside[static_cast<std::size_t>(i)]) {
        sum -= at(u, j * 8 + c) / std::sqrt(at(degree, i) * at(degree, j));
      }
      product.push_back(sum);
      lambda += sum * at(u, i * 8 + c);
      squares += std::pow(at(u, i * 8 + c), 2);
    }
    EXPECT_NEAR(squares, 1, 1e-12);
    for (Index i = 0; i < 6; ++i) EXPECT_NEAR(at(product, i), lambda * at(u, i * 8 + c), 1e-12);
    EXPECT_GT(lambda, last - 1e-12);
    last = lambda;
  }
  for (Index c = 0; c < 8; ++c) EXPECT_EQ(at(u, 6 * 8 + c), 0);
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(at(u, i * 8 + 5), 0);
}

TEST(GraphStructure, SignsAreDrawnForEachColumn) {
  Generator generator(4);
  const Tensor u = laplacian_positions(ring(), 3, DType::f64);
  bool turned = false, kept = false;
  for (int draw = 0; draw < 20; ++draw) {
    const Tensor signs =
        with_random_signs(u, generator) / where(abs(u) < tensor(1e-9, DType::f64), 1, u);
    for (Index c = 0; c < 3; ++c) {
      Numbers column;
      for (const double x : numbers(select(signs, 1, c))) {
        if (std::fabs(x) > 0.5) column.push_back(x);
      }
      for (const double x : column) EXPECT_EQ(x, column[0]);
      turned = turned || column[0] == -1;
      kept = kept || column[0] == 1;
    }
  }
  EXPECT_TRUE(turned && kept);
}

TEST(GraphStructure, OfABatch) {
  const Edges pair({0}, {1}, 2), one({}, {}, 1);
  const GraphStructure all = graph_structure(
      {pair, one}, 3, {.positions = 2, .max_distance = 4, .max_degree = 5, .dtype = DType::f64});
  EXPECT_THAT(all.lengths, ElementsAre(2, 1));
  EXPECT_THAT(ids(all.distances),
              ElementsAre(0, 1, 4, 1, 0, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 4, 4));
  EXPECT_THAT(ids(all.degrees), ElementsAre(1, 1, 0, 0, 0, 0));
  const double half = std::sqrt(0.5);
  EXPECT_THAT(numbers(all.positions), near({half, 0, -half, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  const GraphStructure none = graph_structure({pair}, 2, {});
  EXPECT_FALSE(none.positions.defined() || none.distances.defined() || none.degrees.defined());
}

// Stars have the largest eigenvalue that there is, 2, give or take a bit; who is alone has none.
TEST(GraphStructure, NodesByThemselvesStandBehindAllEigenvectors) {
  const double half = std::sqrt(0.5);
  EXPECT_THAT(numbers(laplacian_positions(Edges({1}, {2}, 3), 2, DType::f64)),
              near({0, 0, half, 0, -half, 0}));
  for (Index points = 1; points < 12; ++points) {
    std::vector<Index> centre(static_cast<std::size_t>(points), 1), others;
    for (Index i = 0; i < points; ++i) others.push_back(2 + i);
    const Tensor u =
        laplacian_positions(Edges(centre, others, 2 + points), points, DType::f64);  // 0 is alone
    EXPECT_NEAR(sum(square(select(u, 1, points - 1))).item(), 1, 1e-12) << points;
  }
}

TEST(GraphStructure, MayAskForLittleOrNothing) {
  EXPECT_EQ(laplacian_positions(ring(), 0).shape(), (Shape{7, 0}));
  EXPECT_THAT(ids(degrees(ring(), 0)), ElementsAre(0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(ids(degrees(ring(), 1)), ElementsAre(1, 1, 1, 1, 1, 1, 0));
  EXPECT_THAT(ids(shortest_paths(Edges({0}, {1}, 2), 1)), ElementsAre(0, 1, 1, 0));
  const GraphStructure least = graph_structure(
      {ring()}, 7, {.positions = 1, .max_distance = 1, .max_degree = 1, .dtype = DType::f64});
  EXPECT_TRUE(least.positions.equal(unsqueeze(laplacian_positions(ring(), 1, DType::f64), 0)));
  EXPECT_TRUE(least.distances.equal(unsqueeze(shortest_paths(ring(), 1), 0)));
  EXPECT_TRUE(least.degrees.equal(unsqueeze(degrees(ring(), 1), 0)));
}

TEST(GraphStructure, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "laplacian_positions: count -1 must not be negative",
               laplacian_positions(ring(), -1));
  EXPECT_ERROR(ValueError, "shortest_paths: limit 0 must be positive", shortest_paths(ring(), 0));
  EXPECT_ERROR(ValueError, "degrees: limit -1 must not be negative", degrees(ring(), -1));
  EXPECT_ERROR(ValueError, "graph_structure: graph 0 has 7 nodes for 5 places",
               graph_structure({ring()}, 5, {}));
}

}  // namespace
}  // namespace heed::attention
