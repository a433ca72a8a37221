// Triangular systems: solved, they give back what stood on the right.
#include "../../../../core/kernels/gemm/triangular.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

// a x for the triangle that is meant, whatever stands in the other one.
double product(const Array& a, const Array& x, Index i, Index c, bool upper, bool unit) {
  double sum = 0;
  for (Index j = upper ? i : 0; j <= (upper ? a.size(-1) - 1 : i); ++j) {
    const double factor = unit && i == j ? 1 : a.select(0, i).select(0, j).item();
    sum += factor * x.select(0, j).select(0, c).item();
  }
  return sum;
}

// Near the identity, so that long ones keep their digits; what is not meant is no number.
Array triangle(Generator& generator, Index n, bool upper, DType dtype) {
  Array a = generator.normal({n, n}, 0, 0.3 / std::sqrt(static_cast<double>(n)), DType::f64);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double& x = a.mutable_data<double>()[i * n + j];
      if (i == j) x = 1.5 + 0.1 * static_cast<double>(i % 3);
      if (upper ? j < i : j > i) x = NAN;
    }
  }
  return a.to(dtype);
}

TEST(SolveTriangular, GivesBackTheRightSide) {
  Generator generator(3);
  for (const Index n : {1, 2, 15, 16, 17, 32, 50}) {
    for (const Index m : {1, 3}) {
      for (const bool upper : {false, true}) {
        for (const bool unit : {false, true}) {
          for (const DType dtype : {DType::f32, DType::f64}) {
            const Array a = triangle(generator, n, upper, dtype);
            const Array b = generator.normal({n, m}, 0, 1, dtype);
            const Array x = solve_triangular(a, b, upper, unit);
            const Array turned = a.transpose(0, 1).contiguous().transpose(0, 1);
            EXPECT_EQ(solve_triangular(turned, b, upper, unit).to(DType::f64).to_vector<double>(),
                      x.to(DType::f64).to_vector<double>());
            for (Index i = 0; i < n; ++i) {
              for (Index c = 0; c < m; ++c) {
                ASSERT_NEAR(product(a, x, i, c, upper, unit), b.select(0, i).select(0, c).item(),
                            dtype == DType::f32 ? 1e-5 : 1e-13)
                    << n << " rows, place " << i << ", " << c << (upper ? ", upper" : "")
                    << (unit ? ", unit" : "");
              }
            }
          }
        }
      }
    }
  }
}

TEST(SolveTriangular, OfBatchesThatBroadcast) {
  Generator generator(5);
  std::vector<Array> triangles;
  Array a = Array::empty({3, 1, 17, 17}, DType::f64);
  for (Index i = 0; i < 3; ++i) {
    triangles.push_back(triangle(generator, 17, true, DType::f64));
    std::copy_n(triangles.back().data<double>(), 17 * 17, a.mutable_data<double>() + i * 17 * 17);
  }
  const Array b = generator.normal({5, 17, 2}, 0, 1, DType::f64);
  const Array x = solve_triangular(a, b, true, false);
  ASSERT_EQ(x.shape(), (Shape{3, 5, 17, 2}));
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 5; ++j) {
      EXPECT_EQ(
          x.select(0, i).select(0, j).to_vector<double>(),
          solve_triangular(triangles[static_cast<std::size_t>(i)], b.select(0, j), true, false)
              .to_vector<double>());
    }
  }
  EXPECT_EQ(solve_triangular(a, Array::zeros({17, 0}, DType::f64), true, false).shape(),
            (Shape{3, 1, 17, 0}));
}

TEST(SolveTriangular, SaysWhatDoesNotFit) {
  const auto zeros = [](const Shape& shape, DType dtype = DType::f64) {
    return Array::zeros(shape, dtype);
  };
  const auto refuses = [&](const Array& a, const Array& b) {
    EXPECT_ERROR(ShapeError,
                 "solve_triangular: a must be [.., n, n] and b [.., n, m], not " + describe(a) +
                     " and " + describe(b),
                 solve_triangular(a, b, true, false));
  };
  refuses(zeros({3, 2}), zeros({3, 1}));
  refuses(zeros({3, 3}), zeros({2, 1}));
  refuses(zeros({3}), zeros({3, 1}));
  refuses(zeros({3, 3}), zeros({3}));
  EXPECT_ERROR(DTypeError, "solve_triangular: dtypes differ: a is f64[3, 3], b is f32[3, 1]",
               solve_triangular(zeros({3, 3}), zeros({3, 1}, DType::f32), true, false));
  EXPECT_ERROR(DTypeError, "solve_triangular: takes f32 or f64, not i64",
               solve_triangular(zeros({3, 3}, DType::i64), zeros({3, 1}, DType::i64), true, false));
}

}  // namespace
}  // namespace heed::kernels
