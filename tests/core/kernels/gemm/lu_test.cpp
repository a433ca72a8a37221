// Inverses and determinants of many matrices, of those that need their rows exchanged too.
#include "../../../../core/kernels/gemm/lu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/gemm/matmul.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

TEST(Inverse, TimesTheMatrixIsOne) {
  Generator generator(3);
  for (const Index n : {1, 2, 3, 7, 20}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Array x = generator.normal({2, 3, n, n}, 0, 1, DType::f64).to(dtype);
      const Array y = inverse(x);
      EXPECT_EQ(y.dtype(), dtype);
      const auto one = matmul(x.to(DType::f64), y.to(DType::f64)).to_vector<double>();
      for (std::size_t i = 0; i < one.size(); ++i) {
        const auto place = static_cast<Index>(i) % (n * n);
        ASSERT_NEAR(one[i], place / n == place % n, dtype == DType::f32 ? 2e-3 : 1e-10) << n;
      }
    }
  }
  const Array x = generator.normal({5, 5}, 0, 1, DType::f64);
  EXPECT_EQ(inverse(x.transpose(0, 1).contiguous().transpose(0, 1)).to_vector<double>(),
            inverse(x).to_vector<double>());
}

// So many that several threads share them.
TEST(Inverse, OfManyMatrices) {
  Generator generator(5);
  const Array x = generator.normal({4001, 3, 3}, 0, 1, DType::f64);
  const Array y = inverse(x);
  for (const Index i : {0, 1, 2000, 4000}) {
    EXPECT_EQ(y.select(0, i).to_vector<double>(), inverse(x.select(0, i)).to_vector<double>());
  }
  Array singular = x.clone();
  std::fill_n(singular.mutable_data<double>() + 3777 * 9, 3, 0.0);
  EXPECT_ERROR(ValueError, "inverse: matrix 3777 of x f64[4001, 3, 3] is singular",
               inverse(singular));
}

TEST(Inverse, ExchangesRowsWhereAZeroStandsInTheWay) {
  const Array x = Array::from(std::vector<double>{0, 2, 0, 0, 0, 4, 8, 0, 0}, {3, 3});
  EXPECT_EQ(inverse(x).to_vector<double>(),
            (std::vector<double>{0, 0, 0.125, 0.5, 0, 0, 0, 0.25, 0}));
  EXPECT_NEAR(logdet(x).item(), std::log(64.0), 1e-14) << "two exchanges: positive";
}

TEST(Logdet, IsOfThePositiveAndNoNumberOfTheNegative) {
  const auto of = [](const std::vector<double>& x, Index n) {
    return logdet(Array::from(x, {n, n})).item();
  };
  EXPECT_NEAR(of({3}, 1), std::log(3.0), 1e-15);
  EXPECT_TRUE(std::isnan(of({-3}, 1)));
  EXPECT_NEAR(of({-3, 0, 0, -2}, 2), std::log(6.0), 1e-14);
  EXPECT_TRUE(std::isnan(of({0, 1, 1, 0}, 2))) << "one exchange";
  EXPECT_NEAR(of({0, 1, -1, 0}, 2), 0, 1e-15);
  EXPECT_EQ(of({1, 2, 2, 4}, 2), -HUGE_VAL);
  EXPECT_NEAR(of({2, 1, 1, 3}, 2), std::log(5.0), 1e-14);
}

TEST(Logdet, OfManyAndOfNone) {
  Generator generator(7);
  const Array half = generator.normal({3001, 4, 4}, 0, 1, DType::f64);
  const Array x = matmul(half, half.transpose(-1, -2));  // positive definite
  const Array found = logdet(x);
  ASSERT_EQ(found.shape(), Shape{3001});
  for (const Index i : {0, 1499, 3000}) {
    EXPECT_EQ(found.select(0, i).item(), logdet(x.select(0, i)).item());
  }
  EXPECT_EQ(logdet(Array::zeros({2, 0, 0}, DType::f64)).to_vector<double>(),
            (std::vector<double>{0, 0}));
  EXPECT_EQ(inverse(Array::zeros({2, 0, 0}, DType::f64)).shape(), (Shape{2, 0, 0}));
  EXPECT_EQ(inverse(Array::zeros({0, 3, 3}, DType::f64)).shape(), (Shape{0, 3, 3}));
}

TEST(Logdet, WantsSquares) {
  EXPECT_ERROR(ShapeError, "inverse: x must be [.., n, n], not f32[3, 2]",
               inverse(Array::zeros({3, 2}, DType::f32)));
  EXPECT_ERROR(ShapeError, "logdet: x must be [.., n, n], not f32[3]",
               logdet(Array::zeros({3}, DType::f32)));
  EXPECT_ERROR(DTypeError, "logdet: takes f32 or f64, not i64",
               logdet(Array::zeros({3, 3}, DType::i64)));
}

}  // namespace
}  // namespace heed::kernels
