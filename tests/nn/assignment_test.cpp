#include "../../nn/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

double cost_of(const Array& cost, const std::vector<Index>& rows,
               const std::vector<Index>& columns) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += cost.select(0, rows[i]).select(0, columns[i]).item();
  }
  return sum;
}

// Every order of the longer side.
double by_trying_all(const Array& cost) {
  const bool turned = cost.size(0) > cost.size(1);
  const Array rows = turned ? cost.transpose(0, 1) : cost;
  std::vector<Index> all(static_cast<std::size_t>(rows.size(0))), order;
  std::iota(all.begin(), all.end(), 0);
  order.resize(static_cast<std::size_t>(rows.size(1)));
  std::iota(order.begin(), order.end(), 0);
  double best = std::numeric_limits<double>::infinity();
  do {
    best = std::min(best, cost_of(rows, all, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

void expect_matching(const Array& cost, const Assignment& found) {
  const auto pairs = static_cast<std::size_t>(std::min(cost.size(0), cost.size(1)));
  ASSERT_EQ(found.rows.size(), pairs);
  ASSERT_EQ(found.columns.size(), pairs);
  EXPECT_TRUE(std::is_sorted(found.rows.begin(), found.rows.end()));
  std::vector<Index> columns = found.columns;
  std::sort(columns.begin(), columns.end());
  EXPECT_EQ(std::adjacent_find(columns.begin(), columns.end()), columns.end());
  EXPECT_EQ(std::adjacent_find(found.rows.begin(), found.rows.end()), found.rows.end());
  EXPECT_NEAR(cost_of(cost, found.rows, found.columns), found.cost, 1e-9);
}

TEST(Assignment, IsAsCheapAsTheBestOfAll) {
  Generator generator(3);
  for (Index n = 1; n <= 6; ++n) {
    for (Index m = 1; m <= 6; ++m) {
      for (int round = 0; round < 6; ++round) {
        Array cost = generator.normal({n, m}, 0, 1, DType::f64);
        if (round % 2 == 1) {  // ties
          for (Index i = 0; i < n * m; ++i) {
            cost.mutable_data<double>()[i] = static_cast<double>(generator.below(3));
          }
        }
        const Assignment found = assign(cost);
        expect_matching(cost, found);
        EXPECT_NEAR(found.cost, by_trying_all(cost), 1e-9) << n << " x " << m;
      }
    }
  }
}

// Costs whose best is known: each row's own column is the cheapest that it can have.
TEST(Assignment, OfManyFindsThePlantedOne) {
  Generator generator(5);
  constexpr Index kN = 127, kM = 211;
  Array cost = generator.uniform({kN, kM}, 0, 1);
  std::vector<Index> planted;
  for (Index i = 0; i < kN; ++i) {
    planted.push_back((i * 83 + 7) % kM);
    cost.mutable_data<float>()[i * kM + planted.back()] -= 2;
  }
  const Assignment found = assign(cost);
  EXPECT_EQ(found.columns, planted);
  expect_matching(cost, found);
}

TEST(Assignment, OfNothingIsNothing) {
  EXPECT_THAT(assign(Array::zeros({0, 3}, DType::f32)).rows, IsEmpty());
  EXPECT_THAT(assign(Array::zeros({3, 0}, DType::f64)).columns, IsEmpty());
  EXPECT_THAT(assign(Array::zeros({1, 1}, DType::f64)).columns, ElementsAre(0));
}

TEST(Assignment, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "assign: cost must be [N, M], not f32[3]",
               assign(Array::zeros({3}, DType::f32)));
  EXPECT_ERROR(DTypeError, "assign: takes f32 or f64, not i64",
               assign(Array::zeros({3, 2}, DType::i64)));
  Array cost = Array::zeros({2, 3}, DType::f64);
  cost.mutable_data<double>()[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(ValueError, "assign: a cost of nan is not finite", assign(cost));
  cost.mutable_data<double>()[4] = std::numeric_limits<double>::infinity();
  EXPECT_ERROR(ValueError, "assign: a cost of inf is not finite", assign(cost));
}

}  // namespace
}  // namespace heed::nn
