#include "../../../../core/kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/gemm/gemm_simd.h"
#include "../../../../core/parallel.h"
#include "../../../support/every_simd.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

struct Case {
  Index m, n, k;
};

// Around and beyond the panels and tiles of every instruction set, thin and long ones, small ones.
constexpr Case kCases[] = {{1, 1, 1},       {3, 5, 7},       {17, 2, 29},    {1, 67, 131},
                           {113, 131, 389}, {15, 1031, 211}, {127, 33, 769}, {1201, 29, 97},
                           {1, 4099, 523},  {229, 1, 9001},  {83, 577, 47},  {337, 512, 385}};

// A matrix of [rows, columns] in a block whose rows are `spare` longer, laid out either way.
template <class T>
struct Laid {
  std::vector<T> numbers;
  Matrix<const T> matrix;
  Index rows, columns;
  Laid(Index rows_, Index columns_, bool transposed, Generator& generator)
      : rows(rows_), columns(columns_) {
    const Index lines = transposed ? columns : rows;
    const Index step = (transposed ? rows : columns) + 3;
    // Nothing may be read between the lines.
    numbers.assign(static_cast<std::size_t>(lines * step), std::numeric_limits<T>::quiet_NaN());
    matrix = {numbers.data(), step, transposed};
    const Array values = generator.normal({rows, columns}, 0, 1, dtype_of<T>);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        numbers[place(i, j)] = values.data<T>()[i * columns + j];
      }
    }
  }
  std::size_t place(Index i, Index j) const {
    return static_cast<std::size_t>(matrix.transposed ? j * matrix.step + i : i * matrix.step + j);
  }
  double at(Index i, Index j) const { return static_cast<double>(numbers[place(i, j)]); }
};

template <class T>
void expect_sums() {
  Generator generator(3);
  for (const Case& size : kCases) {
    for (int way = 0; way < 8; ++way) {
      const bool add = (way & 4) != 0, biased = way % 3 == 1;
      const Laid<T> a(size.m, size.k, (way & 1) != 0, generator);
      const Laid<T> b(size.k, size.n, (way & 2) != 0, generator);
      const Index step = size.n + 5;
      const std::vector<T> before(static_cast<std::size_t>(size.m * step), 7);
      std::vector<T> c = before, bias(static_cast<std::size_t>(size.n));
      for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = static_cast<T>(j % 11);
      gemm(size.m, size.n, size.k, a.matrix, b.matrix, add, c.data(), step,
           biased ? bias.data() : nullptr);
      double worst = 0;
      const Index skip = std::max<Index>(1, size.m * size.n / 211);
      for (Index at = 0; at < size.m * size.n; at += skip) {
        const Index i = at / size.n, j = at % size.n;
        long double sum = (add ? 7 : 0) + (biased ? static_cast<double>(j % 11) : 0);
        for (Index p = 0; p < size.k; ++p) sum += static_cast<long double>(a.at(i, p)) * b.at(p, j);
        const double found = static_cast<double>(c[static_cast<std::size_t>(i * step + j)]);
        ASSERT_FALSE(std::isnan(found)) << i << ' ' << j;
        worst = std::max(worst, std::abs(found - static_cast<double>(sum)));
      }
      EXPECT_LT(worst,
                (sizeof(T) == 4 ? 2e-6 : 4e-15) * std::sqrt(static_cast<double>(size.k)) * 10)
          << size.m << ' ' << size.n << ' ' << size.k << " way " << way;
      for (Index i = 0; i < size.m; ++i) {  // nothing is written between the rows
        for (Index j = size.n; j < step; ++j) {
          ASSERT_EQ(c[static_cast<std::size_t>(i * step + j)], 7) << i;
        }
      }
    }
  }
}

TEST(Gemm, ProductsAreTheirSums) {
  under_every_simd([] {
    expect_sums<float>();
    expect_sums<double>();
  });
}

template <class T>
void expect_same_bits_for_any_number_of_threads() {
  Generator generator(5);
  const int threads = num_threads();
  for (const Case& size : kCases) {
    const Laid<T> a(size.m, size.k, false, generator), b(size.k, size.n, true, generator);
    const auto product = [&](int count) {
      set_num_threads(count);
      std::vector<T> c(static_cast<std::size_t>(size.m * size.n));
      gemm(size.m, size.n, size.k, a.matrix, b.matrix, false, c.data(), size.n);
      return c;
    };
    const auto one = product(1);
    for (const int count : {2, 3, 4}) EXPECT_EQ(product(count), one) << size.m << ' ' << count;
  }
  set_num_threads(threads);
}

TEST(Gemm, GivesTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_number_of_threads<float>();
  expect_same_bits_for_any_number_of_threads<double>();
}

// Tall, wide and in slices; by whichever thread a line is laid out.
template <class T>
void expect_sums_of_rows() {
  Generator generator(7);
  const int threads = num_threads();
  for (const Case& size : {Case{67, 577, 1543}, Case{577, 67, 1543}, Case{337, 512, 1543},
                           Case{512, 337, 1543}, Case{37, 41, 2311}}) {
    for (const bool transposed : {false, true}) {
      const Laid<T> a(size.m, size.k, transposed, generator);
      const Laid<T> b(size.k, size.n, false, generator);
      std::vector<T> c(static_cast<std::size_t>(size.m * size.n));
      std::vector<double> one;
      for (const int count : {1, 2, 3, 4}) {
        set_num_threads(count);
        std::vector<double> sums(static_cast<std::size_t>(size.m), 1e9);
        const bool panels = gemm_and_sums(size.m, size.n, size.k, a.matrix, b.matrix, c.data(),
                                          size.n, sums.data());
        // Of floats small results of long sums add up pieces of k.
        const bool floats = simd::gemm<float>().panels.rows > 0 && size.m > 37;
        ASSERT_EQ(panels, sizeof(T) == 8 || floats) << size.m;
        if (count == 1) {
          for (Index i = 0; i < size.m; ++i) {
            double wanted = panels ? 0 : 1e9;  // left alone
            for (Index p = 0; p < size.k && panels; ++p) wanted += a.at(i, p);
            ASSERT_NEAR(sums[static_cast<std::size_t>(i)], wanted, sizeof(T) == 4 ? 1e-4 : 1e-11)
                << size.m << ' ' << i;
          }
          one = sums;
        }
        ASSERT_EQ(sums, one) << size.m << ' ' << count;
      }
    }
  }
  set_num_threads(threads);
}

TEST(Gemm, SumsOfRowsComeWithAProductInPanels) {
  under_every_simd([] {
    expect_sums_of_rows<float>();
    expect_sums_of_rows<double>();
  });
}

using Doubles = std::vector<double>;

// The product of rows and columns first .. end of a and b.
Doubles part_of(const Laid<double>& a, Index first_row, Index end_row, const Laid<double>& b,
                Index first_column, Index end_column, bool here) {
  Matrix<const double> rows = a.matrix, columns = b.matrix;
  rows.data += a.place(first_row, 0);
  columns.data += b.place(0, first_column);
  const Index m = end_row - first_row, n = end_column - first_column, k = a.columns;
  Doubles c(static_cast<std::size_t>(m * n));
  if (here) {
    gemm_here(m, n, k, rows, columns, false, c.data(), n);
  } else {
    gemm(m, n, k, rows, columns, false, c.data(), n);
  }
  return c;
}

// Alone, in small company and in large, whichever way both lie, here or in parallel; and with any
// instructions that fuse products and sums.
TEST(Gemm, AnElementOfDoublesHasTheSameBitsInAnyCompany) {
  std::vector<Doubles> fused;
  under_every_simd([&] {
    Doubles all;
    for (const Case& size : kCases) {
      Doubles wanted;
      for (int way = 0; way < 4; ++way) {
        Generator generator(7);
        const Laid<double> a(size.m, size.k, (way & 1) != 0, generator);
        const Laid<double> b(size.k, size.n, (way & 2) != 0, generator);
        const Doubles c = part_of(a, 0, size.m, b, 0, size.n, false);
        if (way == 0) wanted = c;
        ASSERT_EQ(c, wanted) << size.m << ' ' << way;
        for (const Index height : {1, 3, 64}) {
          for (const Index width : {1, 5, 100}) {
            const Index row = size.m * 2 / 3, column = size.n / 3;
            const Index end_row = std::min(size.m, row + height);
            const Index end_column = std::min(size.n, column + width);
            const Doubles part =
                part_of(a, row, end_row, b, column, end_column, (way + width) % 2 == 0);
            for (Index i = row; i < end_row; ++i) {
              for (Index j = column; j < end_column; ++j) {
                const Index at = (i - row) * (end_column - column) + j - column;
                ASSERT_EQ(part[static_cast<std::size_t>(at)],
                          wanted[static_cast<std::size_t>(i * size.n + j)])
                    << size.m << ' ' << way << ' ' << height << ' ' << width;
              }
            }
          }
        }
      }
      all.insert(all.end(), wanted.begin(), wanted.end());
    }
    if (heed::simd() != Simd::plain) fused.push_back(all);
  });
  for (const Doubles& each : fused) EXPECT_EQ(each, fused.front());
}

// Small products go another way than large ones; what is added to them is added in the same order.
TEST(Gemm, ASmallProductOfDoublesIsPartOfALargeOneWithAllThatIsAdded) {
  constexpr Index m = 67, n = 71, k = 73;
  under_every_simd([&] {
    for (int way = 0; way < 8; ++way) {
      Generator generator(11);
      const bool add = (way & 4) != 0;
      const Laid<double> a(m, k, (way & 1) != 0, generator);
      const Laid<double> b(k, n, (way & 2) != 0, generator);
      const Array bias = generator.normal({n}, 0, 1, DType::f64);
      const Array before = generator.normal({m, n}, 0, 1, DType::f64);
      const auto product = [&](Index first, Index rows, Index columns) {
        Matrix<const double> part = a.matrix;
        part.data += a.place(first, 0);
        Array c = before.clone();
        gemm(rows, columns, k, part, b.matrix, add, c.mutable_data<double>() + first * n, n,
             bias.data<double>());
        return c;
      };
      const Array whole = product(0, m, n);
      for (const auto& [rows, columns] :
           {std::pair<Index, Index>{1, 1}, {2, 5}, {3, 17}, {7, 13}}) {
        const Array part = product(5, rows, columns);
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < columns; ++j) {
            const Index at = (5 + i) * n + j;
            ASSERT_EQ(part.data<double>()[at], whole.data<double>()[at]) << way << ' ' << rows;
          }
        }
      }
    }
  });
}

template <class T>
void expect_nothing_for_nothing() {
  const T bias[] = {1, 2, 3};
  for (const bool turned_a : {false, true}) {
    for (const bool turned_b : {false, true}) {
      const Matrix<const T> a{nullptr, 0, turned_a}, b{nullptr, 0, turned_b};
      std::vector<T> c(6, 5);
      gemm(2, 3, 0, a, b, true, c.data(), 3, bias);
      EXPECT_EQ(c, (std::vector<T>{6, 7, 8, 6, 7, 8}));
      gemm(2, 3, 0, a, b, false, c.data(), 3, bias);
      EXPECT_EQ(c, (std::vector<T>{1, 2, 3, 1, 2, 3}));
      gemm(2, 3, 0, a, b, false, c.data(), 3);
      EXPECT_EQ(c, std::vector<T>(6, 0));
      // Of no rows or no columns, short and long sums.
      const std::vector<T> numbers(3 * 2053, 1);
      for (const Index k : {7, 29, 2053}) {
        const Matrix<const T> x{numbers.data(), turned_a ? 3 : k, turned_a};
        const Matrix<const T> y{numbers.data(), turned_b ? k : 3, turned_b};
        for (const bool add : {false, true}) {
          gemm(0, 3, k, x, y, add, c.data(), 3, bias);
          gemm(3, 0, k, x, y, add, c.data(), 3, bias);
        }
      }
      EXPECT_EQ(c, std::vector<T>(6, 0));
    }
  }
}

TEST(Gemm, AProductOverNothingIsZeroAndOneOfNoRowsOrColumnsIsNothing) {
  expect_nothing_for_nothing<float>();
  expect_nothing_for_nothing<double>();
}

template <class T>
void expect_no_sums(Index m, Index n, Index k) {
  const std::vector<T> numbers(1024, 1);
  std::vector<T> c(1024);
  std::vector<double> sums(static_cast<std::size_t>(m), 7);
  EXPECT_FALSE(gemm_and_sums(m, n, k, Matrix<const T>{numbers.data(), std::max<Index>(k, 1)},
                             Matrix<const T>{numbers.data(), std::max<Index>(k, 1), true}, c.data(),
                             std::max<Index>(n, 1), sums.data()));
  EXPECT_EQ(sums, std::vector<double>(sums.size(), 7)) << m << ' ' << n << ' ' << k;
}

TEST(Gemm, SaysWhereSumsOfRowsDoNotCome) {
  expect_no_sums<float>(3, 5, 29);  // a few rows
  expect_no_sums<float>(11, 5, 7);
  for (const auto& [m, n, k] : {Case{0, 3, 5}, Case{3, 0, 5}, Case{3, 5, 0}}) {
    expect_no_sums<float>(m, n, k);
    expect_no_sums<double>(m, n, k);
  }
}

TEST(Gemm, MatricesOfOneColumnLieWithoutGaps) {
  const float a[] = {1, 2, 3, 4, 5}, b[] = {3};
  float c[] = {7, 7, 7, 7, 7};
  gemm(5, 1, 1, {a, 1}, {b, 1}, false, c, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(c[i], 3 * a[i]);
  gemm(1, 5, 1, {b, 1, true}, {a, 1, true}, false, c, 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(c[i], 3 * a[i]);
}

// Each `step`th number of a product is its sum, but for within(sum).
template <class T, class Within>
void expect_product(Index m, Index n, Index k, Index step, const Within& within) {
  Generator generator(17);
  const Laid<T> a(m, k, false, generator), b(k, n, true, generator);
  std::vector<T> c(static_cast<std::size_t>(m * n));
  gemm(m, n, k, a.matrix, b.matrix, false, c.data(), n);
  for (Index at = 0; at < m * n; at += step) {
    const Index i = at / n, j = at % n;
    double sum = 0;
    for (Index p = 0; p < k; ++p) sum += a.at(i, p) * b.at(p, j);
    ASSERT_NEAR(static_cast<double>(c[static_cast<std::size_t>(at)]), sum, within(sum))
        << k << ": " << i << ' ' << j;
  }
}

// Large enough for panels, of which each has a place or two.
TEST(Gemm, SumsOfOneAndTwoNumbersGoThroughPanels) {
  const auto within = [](double last) {
    return [last](double sum) { return last * (1 + std::abs(sum)); };
  };
  under_every_simd([&] {
    expect_product<float>(641, 631, 1, 7, within(1e-6));
    expect_product<float>(331, 613, 2, 7, within(1e-6));
    expect_product<double>(127, 97, 1, 7, within(1e-15));
    expect_product<double>(61, 113, 2, 7, within(1e-15));
  });
}

// Neither side has room where slices are laid out for all.
TEST(Gemm, MultipliesSidesThatAreBothLarge) {
  expect_product<float>(691, 701, 384, 2011, [](double) { return 4e-4; });
  expect_product<double>(691, 701, 384, 2011, [](double) { return 1e-12; });
}

TEST(Gemm, ABiasIsAddedToRowsOfAnyLength) {
  constexpr Index n = 32771;
  Generator generator(13);
  const Laid<float> a(2, 3, false, generator), b(3, n, false, generator);
  std::vector<float> plain(2 * n), biased(2 * n), bias(n);
  for (std::size_t j = 0; j < n; ++j) bias[j] = static_cast<float>(j % 13);
  gemm(2, n, 3, a.matrix, b.matrix, false, plain.data(), n);
  gemm(2, n, 3, a.matrix, b.matrix, false, biased.data(), n, bias.data());
  for (std::size_t i = 0; i < biased.size(); ++i) ASSERT_EQ(biased[i], plain[i] + bias[i % n]);
}

TEST(Gemm, TakesStepsThatBlasCanCount) {
  constexpr Index kMost = std::numeric_limits<int>::max();
  const float a = 3, b = 5;
  float c = 0;
  gemm_here(1, 1, 1, {&a, kMost}, {&b, 1}, false, &c, kMost);  // one row: nobody goes so far
  EXPECT_EQ(c, 15);
  EXPECT_ERROR(ShapeError, "matmul: a size of 2147483648 is beyond what BLAS takes",
               gemm_here(1, 1, 1, {&a, 1}, {&b, kMost + 1}, false, &c, 1));
}

}  // namespace
}  // namespace heed::kernels
