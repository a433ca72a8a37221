#include "../../../../attention/mechanisms/vision/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;

constexpr Index kB = 2, kC = 2, kH = 5, kW = 7, kN = 3, kState = 2;

struct Filters {
  std::vector<Numbers> rows, columns;
  double gamma;
};

// Equations 19 to 26, as they stand there.
Filters filters_of(const Leaves& x, Index b, Index N) {
  const Numbers p = plain::affine(x["window.weight"], x["state"].row({b}), x["window.bias"]);
  const double gx = (kW + 1) / 2.0 * (p[0] + 1), gy = (kH + 1) / 2.0 * (p[1] + 1);
  const double variance = std::exp(p[2]);
  const double delta = N == 1 ? 0 : (kW - 1.0) / static_cast<double>(N - 1) * std::exp(p[3]);
  const auto along = [&](double g, Index places) {
    std::vector<Numbers> out;
    for (Index i = 1; i <= N; ++i) {
      const double mu = g + (static_cast<double>(i) - static_cast<double>(N) / 2 - 0.5) * delta;
      Numbers row;
      double total = 0;
      for (Index a = 1; a <= places; ++a) {
        row.push_back(std::exp(-std::pow(static_cast<double>(a) - mu, 2) / (2 * variance)));
        total += row.back();
      }
      for (double& each : row) each /= total;
      out.push_back(row);
    }
    return out;
  };
  return {along(gy, kH), along(gx, kW), std::exp(p[4])};
}

class Draws : public SeededTest<59> {
 protected:
  const DrawAttention made{
      {.state_width = kState, .size = kN, .height = kH, .width = kW, .dtype = DType::f64}};
  Tensor image = randn({kB, kC, kH, kW}, DType::f64), patch = randn({kB, kC, kN, kN}, DType::f64);
  Tensor state = randn({kB, kState}, DType::f64);
};

TEST_F(Draws, ReadAsTheDefinition) {
  const auto leaves = plain::leaves_of(made, {{"image", image}, {"state", state}});
  const auto ours = [&] { return std::vector{made.read(image, state)}; };
  plain::expect_same(leaves, ours, [](const Leaves& x) {
    std::vector<Filters> at;
    for (Index b = 0; b < kB; ++b) at.push_back(filters_of(x, b, kN));
    return Block({kB, kC, kN, kN},
                 [&](const heed::Place& p) {
                   const Filters& f = at[static_cast<std::size_t>(p[0])];
                   const Numbers& row = f.rows[static_cast<std::size_t>(p[2])];
                   const Numbers& column = f.columns[static_cast<std::size_t>(p[3])];
                   double sum = 0;
                   for (std::size_t i = 0; i < row.size(); ++i) {
                     for (std::size_t j = 0; j < column.size(); ++j) {
                       sum += row[i] * x["image"](p[0], p[1], i, j) * column[j];
                     }
                   }
                   return f.gamma * sum;
                 })
        .values();
  });
  plain::expect_gradients(leaves, ours);
}

TEST_F(Draws, WriteAsTheDefinition) {
  const auto leaves = plain::leaves_of(made, {{"patch", patch}, {"state", state}});
  const auto ours = [&] { return std::vector{made.write(patch, state)}; };
  plain::expect_same(leaves, ours, [](const Leaves& x) {
    std::vector<Filters> at;
    for (Index b = 0; b < kB; ++b) at.push_back(filters_of(x, b, kN));
    return Block({kB, kC, kH, kW},
                 [&](const heed::Place& p) {
                   const Filters& f = at[static_cast<std::size_t>(p[0])];
                   double sum = 0;
                   for (std::size_t i = 0; i < kN; ++i) {
                     for (std::size_t j = 0; j < kN; ++j) {
                       sum += f.rows[i][static_cast<std::size_t>(p[2])] *
                              x["patch"](p[0], p[1], i, j) *
                              f.columns[j][static_cast<std::size_t>(p[3])];
                     }
                   }
                   return sum / f.gamma;
                 })
        .values();
  });
  plain::expect_gradients(leaves, ours);
}

// However narrow or far off the filters are: the paper's quotient would be 0 / 0.
TEST_F(Draws, FiltersAlwaysSumToOne) {
  const DrawAttention narrow({.state_width = kState, .size = 1, .height = kH, .width = kW});
  for (const double far : {1.0, 30.0, -30.0}) {
    const DrawFilters at = narrow.filters(full({kB, kState}, far));
    EXPECT_NEAR(amin(sum(at.rows, {2})).item(), 1, 1e-6) << far;
    EXPECT_NEAR(amax(sum(at.columns, {2})).item(), 1, 1e-6) << far;
  }
}

TEST_F(Draws, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "draw: size 0 must be positive",
               DrawAttention({.state_width = 2, .size = 0, .height = 3, .width = 5}));
  EXPECT_ERROR(ShapeError, "draw: the state must be [B, 2], not f64[2, 3]",
               made.filters(zeros({kB, 3}, DType::f64)));
  EXPECT_ERROR(GradError, "draw: state is undefined", made.filters(Tensor()));
  EXPECT_ERROR(ShapeError, "draw: the image must be [2, C, 5, 7], not f64[2, 2, 3, 3]",
               made.read(patch, state));
  EXPECT_ERROR(ShapeError, "draw: the patch must be [2, C, 3, 3], not f64[2, 2, 5, 7]",
               made.write(image, state));
  EXPECT_ERROR(DTypeError, "draw: the image is f32[2, 2, 5, 7], the weights are f64",
               made.read(zeros({kB, kC, kH, kW}), state));
  const Gaussian score;
  EXPECT_ERROR_WITH(ShapeError, "gaussian: query must be [.., n, 3]",
                    score(zeros({kB, 2, 2}), zeros({kB, 5, 2})));
  EXPECT_ERROR(GradError, "gaussian: keys is undefined", score(zeros({2, 3}), Tensor()));
}

}  // namespace
}  // namespace heed::attention
