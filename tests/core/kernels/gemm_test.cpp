#include "../../../core/kernels/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../../core/generator.h"
#include "../../../core/parallel.h"

namespace heed::kernels {
namespace {

struct Case {
  Index m, n, k;
};

// Around and beyond the panels and tiles of every instruction set, thin and long ones.
constexpr Case kCases[] = {{113, 131, 389}, {15, 1031, 211}, {127, 33, 769}, {1201, 29, 97},
                           {1, 4099, 523},  {229, 1, 9001},  {83, 577, 47},  {337, 512, 385}};

// A matrix of [rows, columns] in a block whose rows are `spare` longer, laid out either way.
struct Laid {
  std::vector<float> numbers;
  Matrix<const float> matrix;
  Index rows, columns;
  Laid(Index rows_, Index columns_, bool transposed, Generator& generator)
      : rows(rows_), columns(columns_) {
    const Index lines = transposed ? columns : rows;
    const Index step = (transposed ? rows : columns) + 3;
    // Nothing may be read between the lines.
    numbers.assign(static_cast<std::size_t>(lines * step), std::numeric_limits<float>::quiet_NaN());
    matrix = {numbers.data(), step, transposed};
    const Array values = generator.normal({rows, columns}, 0, 1);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        numbers[place(i, j)] = values.data<float>()[i * columns + j];
      }
    }
  }
  std::size_t place(Index i, Index j) const {
    return static_cast<std::size_t>(matrix.transposed ? j * matrix.step + i : i * matrix.step + j);
  }
  double at(Index i, Index j) const { return static_cast<double>(numbers[place(i, j)]); }
};

TEST(Gemm, LargeProductsOfFloatsAreTheirSums) {
  Generator generator(3);
  for (const Case& size : kCases) {
    for (int way = 0; way < 8; ++way) {
      const bool add = (way & 4) != 0, biased = way % 3 == 1;
      const Laid a(size.m, size.k, (way & 1) != 0, generator);
      const Laid b(size.k, size.n, (way & 2) != 0, generator);
      const Index step = size.n + 5;
      const std::vector<float> before(static_cast<std::size_t>(size.m * step), 7);
      std::vector<float> c = before, bias(static_cast<std::size_t>(size.n));
      for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = static_cast<float>(j % 11);
      gemm(size.m, size.n, size.k, a.matrix, b.matrix, add, c.data(), step,
           biased ? bias.data() : nullptr);
      double worst = 0;
      const Index skip = std::max<Index>(1, size.m * size.n / 4001);
      for (Index at = 0; at < size.m * size.n; at += skip) {
        const Index i = at / size.n, j = at % size.n;
        double sum = (add ? 7 : 0) + (biased ? static_cast<double>(j % 11) : 0);
        for (Index p = 0; p < size.k; ++p) sum += a.at(i, p) * b.at(p, j);
        const double found = static_cast<double>(c[static_cast<std::size_t>(i * step + j)]);
        ASSERT_FALSE(std::isnan(found)) << i << ' ' << j;
        worst = std::max(worst, std::abs(found - sum));
      }
      EXPECT_LT(worst, 2e-6 * std::sqrt(static_cast<double>(size.k)) * 10)
          << size.m << ' ' << size.n << ' ' << size.k << " way " << way;
      for (Index i = 0; i < size.m; ++i) {  // nothing is written between the rows
        for (Index j = size.n; j < step; ++j) {
          ASSERT_EQ(c[static_cast<std::size_t>(i * step + j)], 7) << i;
        }
      }
    }
  }
}

TEST(Gemm, GivesTheSameBitsForAnyNumberOfThreads) {
  Generator generator(5);
  const int threads = num_threads();
  for (const Case& size : kCases) {
    const Laid a(size.m, size.k, false, generator), b(size.k, size.n, true, generator);
    const auto product = [&](int count) {
      set_num_threads(count);
      std::vector<float> c(static_cast<std::size_t>(size.m * size.n));
      gemm(size.m, size.n, size.k, a.matrix, b.matrix, false, c.data(), size.n);
      return c;
    };
    const auto one = product(1);
    for (const int count : {2, 3, 4}) EXPECT_EQ(product(count), one) << size.m << ' ' << count;
  }
  set_num_threads(threads);
}

}  // namespace
}  // namespace heed::kernels
