#include "../../../../core/kernels/gemm/packed_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/generator.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

// Against sums in the order of the definition, for all rows, columns and the places between them.
template <class T>
void check(Index m, Index n, Index k, bool transposed, bool add) {
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k
                                  << (transposed ? " transposed" : "") << (add ? " added" : "")
                                  << ", " << sizeof(T) << " bytes");
  Generator draw(3);
  const Index a_step = k + 3, c_step = n + 5, b_step = (transposed ? k : n) + 2;
  const auto a = draw.normal(Shape{m, a_step}, 0, 1, dtype_of<T>).template to_vector<T>();
  const auto b =
      draw.normal(Shape{transposed ? n : k, b_step}, 0, 1, dtype_of<T>).template to_vector<T>();
  const auto before = draw.normal(Shape{m, c_step}, 0, 1, dtype_of<T>).template to_vector<T>();
  std::vector<T> c = before;
  const PackedMatrix<T> packed(k, n, {b.data(), b_step, transposed});
  packed.multiply(m, a.data(), a_step, add, c.data(), c_step);
  const auto at = [](const std::vector<T>& x, Index i) {
    return static_cast<double>(x[static_cast<std::size_t>(i)]);
  };
  const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-12;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c_step; ++j) {
      double sum = j < n && !add ? 0 : at(before, i * c_step + j);
      for (Index q = 0; q < k && j < n; ++q) {
        sum += at(a, i * a_step + q) * at(b, transposed ? j * b_step + q : q * b_step + j);
      }
      ASSERT_NEAR(at(c, i * c_step + j), sum, j < n ? tolerance : 0) << i << ", " << j;
    }
  }
}

TEST(PackedMatrix, MultipliesAnyShape) {
  under_every_simd([] {
    for (const bool transposed : {false, true}) {
      for (const bool add : {false, true}) {
        check<float>(19, 53, 29, transposed, add);
        check<double>(19, 53, 29, transposed, add);
        check<float>(1, 7, 3, transposed, add);
        check<double>(2, 16, 1, transposed, add);
        check<float>(7, 32, 11, transposed, add);
        check<double>(0, 5, 3, transposed, add);
        check<float>(3, 5, 0, transposed, add);
        check<float>(11, 211, 509, transposed, add);
        check<float>(15, 101, 31, transposed, add);
        check<float>(13, 112, 7, transposed, add);
      }
    }
  });
}

// Of columns around a panel's, of none, and of so many rows that each panel is worth a thread.
TEST(PackedMatrix, MultipliesByPanelsThatAreWholeAndThatHoldOneColumn) {
  under_every_simd([] {
    for (const bool transposed : {false, true}) {
      for (const Index n : {0, 1, 8, 9, 15, 16, 17, 33, 48, 49, 64, 65, 80}) {
        check<float>(5, n, 13, transposed, true);
        check<double>(5, n, 13, transposed, true);
      }
      check<float>(2, 37, 1031, transposed, false);
      check<double>(2, 37, 2053, transposed, false);
    }
  });
}

TEST(PackedMatrix, ARowHasTheSameBitsInAnyCompany) {
  Generator draw(5);
  const Index m = 15, n = 37, k = 41;
  const auto a = draw.normal(Shape{m, k}, 0, 1).to_vector<float>();
  const auto b = draw.normal(Shape{k, n}, 0, 1).to_vector<float>();
  const PackedMatrix<float> packed(k, n, {b.data(), n});
  std::vector<float> all(static_cast<std::size_t>(m * n)), one(static_cast<std::size_t>(n));
  packed.multiply(m, a.data(), k, false, all.data(), n);
  for (Index i = 0; i < m; ++i) {
    packed.multiply(1, a.data() + i * k, k, false, one.data(), n);
    for (Index j = 0; j < n; ++j) {
      ASSERT_EQ(one[static_cast<std::size_t>(j)], all[static_cast<std::size_t>(i * n + j)]) << i;
    }
  }
}

}  // namespace
}  // namespace heed::kernels
