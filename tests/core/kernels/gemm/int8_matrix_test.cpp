#include "../../../../core/kernels/gemm/int8_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"
#include "../../../support/every_simd.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

struct Case {
  Index m, out, in;
};

// Around and beyond rows, panels and places; sums too long for the integers that a float holds.
constexpr Case kCases[] = {{1, 1, 1},    {2, 17, 3},     {3, 33, 7},     {13, 31, 129},
                           {29, 47, 64}, {101, 257, 96}, {59, 16, 1031}, {5, 83, 4099}};

Array drawn(const Shape& shape, Generator& generator) {
  return generator.normal(shape, 0, 1, DType::f32);
}

// A number as the integer that stands for it.
double rounded(float x, float most) {
  return most > 0 ? std::nearbyint(static_cast<double>(x * (127 / most))) : 0;
}
float most_of(const float* x, Index count) {
  float most = 0;
  for (Index i = 0; i < count; ++i) most = std::max(most, std::abs(x[i]));
  return most;
}

TEST(Int8Matrix, MultipliesWhatWasRoundedExactlyWithTheSameBitsEverywhere) {
  std::vector<std::vector<float>> all;
  under_every_simd([&] {
    Generator generator(3);
    std::vector<float> found;
    for (const auto& [m, out, in] : kCases) {
      const Array w = drawn({out, in}, generator), x = drawn({m, in}, generator);
      const Array bias = drawn({out}, generator);
      const Int8Matrix matrix(w);
      const Array plain = matrix.multiply(x, Array()), biased = matrix.multiply(x, bias);
      for (Index i = 0; i < m; ++i) {
        const float* const row = x.data<float>() + i * in;
        const float x_most = most_of(row, in);
        for (Index j = 0; j < out; ++j) {
          const float* const weights = w.data<float>() + j * in;
          const float w_most = most_of(weights, in);
          double sum = 0, exact = 0;
          for (Index k = 0; k < in; ++k) {
            sum += rounded(row[k], x_most) * rounded(weights[k], w_most);
            exact += static_cast<double>(row[k]) * static_cast<double>(weights[k]);
          }
          const double scale = static_cast<double>(x_most) * static_cast<double>(w_most);
          const double y = static_cast<double>(plain.data<float>()[i * out + j]);
          // A number halfway between two integers may go to either.
          ASSERT_NEAR(y, sum * scale / 127 / 127, 1e-6 * std::abs(y) + 3 * scale / 127) << in;
          ASSERT_NEAR(y, exact, scale * (0.01 + 0.01 * std::sqrt(static_cast<double>(in)))) << in;
          ASSERT_EQ(biased.data<float>()[i * out + j],
                    plain.data<float>()[i * out + j] + bias.data<float>()[j]);
          found.push_back(plain.data<float>()[i * out + j]);
        }
      }
    }
    all.push_back(found);
  });
  for (const auto& each : all) EXPECT_EQ(each, all.front());
}

TEST(Int8Matrix, ARowHasTheSameBitsInAnyCompanyAndForAnyNumberOfThreads) {
  Generator generator(5);
  const Array w = drawn({1031, 97}, generator), x = drawn({53, 97}, generator);
  const Int8Matrix matrix(w);
  const int threads = num_threads();
  set_num_threads(1);
  const auto all = matrix.multiply(x, Array()).to_vector<float>();
  for (const int count : {2, 3, 4}) {
    set_num_threads(count);
    EXPECT_EQ(matrix.multiply(x, Array()).to_vector<float>(), all);
  }
  set_num_threads(threads);
  for (const Index row : {0, 7, 52}) {
    const auto one = matrix.multiply(x.slice(0, row, row + 1), Array()).to_vector<float>();
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + row * 1031)) << row;
  }
}

TEST(Int8Matrix, TakesWhatIsHugeTinyZeroAndNotFinite) {
  constexpr float kHuge = 3e38f, kNan = std::nanf("");
  under_every_simd([&] {
    const Int8Matrix matrix(Array::from<float>({1, -0.5f, 0, 0, 0, 0, 1e-30f, 0, 1e-30f}, {3, 3}));
    const Array y = matrix.multiply(
        Array::from<float>({kHuge, 0, 0, 0, 0, 0, 1e-42f, 0, 0, kNan, 1, 2, 1, kHuge * 4, 0},
                           {5, 3}),
        Array());
    const auto at = [&](Index i, Index j) { return y.data<float>()[i * 3 + j]; };
    EXPECT_NEAR(at(0, 0) / kHuge, 1, 1e-6);
    for (Index j = 0; j < 3; ++j) {
      EXPECT_EQ(at(1, j), 0);
      EXPECT_TRUE(std::isfinite(at(2, j)));
      EXPECT_TRUE(std::isnan(at(3, j)));
      EXPECT_TRUE(std::isnan(at(4, j)));
    }
    EXPECT_EQ(at(0, 1), 0);
    EXPECT_NEAR(at(0, 2), kHuge * 1e-30f, kHuge * 1e-36f);
  });
}

// More than 133,144 products of 127 and 127 are no integer of 32 bits.
TEST(Int8Matrix, SumsRowsOfAnyWidth) {
  constexpr Index kIn = 262147, kOut = 17;
  std::vector<float> numbers, bias;
  for (Index j = 0; j < kOut; ++j) {
    numbers.insert(numbers.end(), kIn, static_cast<float>(j - 5));
    bias.push_back(static_cast<float>(1000 * j));
  }
  const Int8Matrix matrix(Array::from(numbers, {kOut, kIn}));
  numbers.assign(kIn, 1);
  numbers.insert(numbers.end(), kIn, -3);
  const Array x = Array::from(numbers, {2, kIn});
  std::vector<std::vector<float>> all;
  under_every_simd([&] {
    const Array plain = matrix.multiply(x, Array()), biased = matrix.multiply(x, Array::from(bias));
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < kOut; ++j) {
        const double y = static_cast<double>((i == 0 ? 1 : -3) * (j - 5) * kIn);
        ASSERT_NEAR(plain.data<float>()[i * kOut + j], y, 1e-6 * std::abs(y));
        ASSERT_NEAR(biased.data<float>()[i * kOut + j], y + 1000.0 * static_cast<double>(j),
                    1e-6 * std::abs(y));
      }
    }
    all.push_back(biased.to_vector<float>());
  });
  for (const auto& each : all) EXPECT_EQ(each, all.front());
}

TEST(Int8Matrix, IsAsExactForRowsDownToTheLeastNormalNumber) {
  constexpr std::pair<float, float> kLargest[] = {{1, 1},
                                                  {1e-19f, 1},
                                                  {4e-37f, 1e30f},
                                                  {3e-37f, 1e30f},
                                                  {0x1p-126f, 0x1p14f},
                                                  {1.5e-17f, 2e-17f},
                                                  {1e30f, 0x1p-126f}};
  under_every_simd([&] {
    for (const auto& [x, w] : kLargest) {
      const Int8Matrix matrix(Array::from<float>({0.2f * w, w, -0.6f * w}, {1, 3}));
      const Array y =
          matrix.multiply(Array::from<float>({x, -0.7f * x, 0.3f * x}, {1, 3}), Array());
      EXPECT_NEAR(y.data<float>()[0] / x / w, 0.2 - 0.7 - 0.18, 0.01) << x << " " << w;
    }
  });
}

TEST(Int8Matrix, HoldsAQuarterOfTheBytes) {
  Generator generator(7);
  const Array w = drawn({1009, 512}, generator);
  EXPECT_LT(Int8Matrix(w).bytes(), 1009 * 512 * 1.06);
  EXPECT_GE(Int8Matrix(w).bytes(), 1009 * (512 + 4 + 4));  // integers, a scale and a sum a row
}

TEST(Int8Matrix, RefusesWhatDoesNotFit) {
  Generator generator(9);
  const Int8Matrix matrix(drawn({5, 7}, generator));
  EXPECT_ERROR_WITH(ShapeError, "linear_int8: x is f32[3, 5], bias is undefined, the weight [5, 7]",
                    matrix.multiply(drawn({3, 5}, generator), Array()));
  EXPECT_ERROR_WITH(ShapeError, "bias is f32[7]",
                    matrix.multiply(drawn({3, 7}, generator), drawn({7}, generator)));
  EXPECT_ERROR(DTypeError, "linear_int8: x and bias are f32, not f64[3, 7] and undefined",
               matrix.multiply(drawn({3, 7}, generator).to(DType::f64), Array()));
  EXPECT_ERROR(DTypeError, "linear_int8: x and bias are f32, not f32[7] and f64[5]",
               matrix.multiply(drawn({7}, generator), Array::zeros({5}, DType::f64)));
  EXPECT_ERROR(DTypeError, "linear_int8: x and bias are f32, not undefined and undefined",
               matrix.multiply(Array(), Array()));
  EXPECT_ERROR(ShapeError, "linear_int8: x is f32[], bias is undefined, the weight [5, 7]",
               matrix.multiply(Array::zeros({}, DType::f32), Array()));
  EXPECT_ERROR(DTypeError, "int8: weights are f32, not undefined", Int8Matrix{Array()});
  EXPECT_ERROR(ShapeError, "int8: weights are a matrix of some numbers, not f32[2, 3, 5]",
               Int8Matrix(Array::zeros({2, 3, 5}, DType::f32)));
  EXPECT_ERROR_WITH(DTypeError, "int8: weights are f32, not f64[2, 2]",
                    Int8Matrix(Array::zeros({2, 2}, DType::f64)));
  EXPECT_ERROR_WITH(ShapeError, "int8: weights are a matrix",
                    Int8Matrix(Array::zeros({2, 0}, DType::f32)));
  EXPECT_ERROR_WITH(ValueError, "int8: row 1 of the weights has inf",
                    Int8Matrix(Array::from<float>({1, 2, 3, INFINITY}, {2, 2})));
  EXPECT_EQ(matrix.multiply(Array::zeros({0, 7}, DType::f32), Array()).shape(), (Shape{0, 5}));
  EXPECT_EQ(matrix.multiply(Array::zeros({7}, DType::f32), Array()).shape(), (Shape{5}));
}

TEST(Int8Matrix, RowsAreLookedUp) {
  Generator generator(11);
  const Array w = drawn({13, 19}, generator);
  const Int8Matrix matrix(w);
  const Array found = matrix.rows(Array::from<std::int64_t>({12, 0, 5, 5}, {2, 2}));
  ASSERT_EQ(found.shape(), (Shape{2, 2, 19}));
  const Index ids[] = {12, 0, 5, 5};
  for (Index i = 0; i < 4; ++i) {
    const float* const row = w.data<float>() + ids[i] * 19;
    for (Index k = 0; k < 19; ++k) {
      EXPECT_NEAR(found.data<float>()[i * 19 + k], row[k], most_of(row, 19) / 253);
    }
  }
  EXPECT_ERROR_WITH(IndexError, "embedding_int8: index 13 is out of range [0, 13)",
                    matrix.rows(Array::from<std::int64_t>({13})));
}

}  // namespace
}  // namespace heed::kernels
