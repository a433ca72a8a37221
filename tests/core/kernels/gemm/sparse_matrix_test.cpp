#include "../../../../core/kernels/gemm/sparse_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/gemm/matmul.h"
#include "../../../../core/parallel.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

using testing::FloatNear;
using testing::Pointwise;
using Numbers = std::vector<double>;

struct Pair {
  SparseMatrix sparse;
  Array dense;
};

// Every third row is empty; some places are named twice.
Pair made(Index rows, Index columns, Index held) {
  Generator random(3);
  Pair out;
  out.sparse = SparseMatrix(rows, columns, rows * held);
  Numbers dense(static_cast<std::size_t>(rows * columns));
  for (Index r = 0; r < rows; ++r) {
    for (Index i = 0; i < held && r % 3 != 1; ++i) {
      const Index place = random.below(columns);
      const double value = static_cast<double>(random.below(1000)) / 1000 - 0.5;
      out.sparse.add(place, value);
      dense[static_cast<std::size_t>(r * columns + place)] += value;
    }
    out.sparse.end_row();
  }
  out.dense = Array::from(dense, {rows, columns});
  return out;
}

Array numbers(const Shape& shape) {
  Generator random(5);
  Numbers out(static_cast<std::size_t>(shape[0] * shape[1]));
  for (double& x : out) x = static_cast<double>(random.below(1000)) / 1000 - 0.5;
  return Array::from(out, shape);
}

TEST(SparseMatrix, MultipliesAsTheDenseOne) {
  const Pair a = made(37, 29, 5);
  for (const Index n : {1, 7, 16, 64, 101}) {
    const Array b = numbers({29, n}), g = numbers({37, n});
    const Array back = a.dense.transpose(0, 1);
    EXPECT_THAT(matmul(a.sparse, b).to_vector<double>(),
                Pointwise(testing::DoubleNear(1e-13), matmul(a.dense, b).to_vector<double>()));
    EXPECT_THAT(matmul(a.sparse.transposed(), g).to_vector<double>(),
                Pointwise(testing::DoubleNear(1e-13), matmul(back, g).to_vector<double>()));
    EXPECT_THAT(matmul(a.sparse, b.to(DType::f32)).to_vector<float>(),
                Pointwise(FloatNear(1e-5f), matmul(a.dense, b).to(DType::f32).to_vector<float>()));
  }
  // Strides of b are its own.
  const Array b = numbers({11, 29}).transpose(0, 1);
  EXPECT_THAT(matmul(a.sparse, b).to_vector<double>(),
              Pointwise(testing::DoubleNear(1e-13), matmul(a.dense, b).to_vector<double>()));
}

TEST(SparseMatrix, TransposedTwiceIsItself) {
  const SparseMatrix a = made(13, 17, 3).sparse, twice = a.transposed().transposed();
  EXPECT_THAT(std::vector<Index>(twice.begins(), twice.begins() + 14),
              testing::ElementsAreArray(a.begins(), 14));
  const Array one = numbers({17, 5});
  EXPECT_THAT(matmul(twice, one).to_vector<double>(),
              Pointwise(testing::DoubleNear(1e-13), matmul(a, one).to_vector<double>()));
}

TEST(SparseMatrix, HasTheSameBitsForAnyNumberOfThreads) {
  const Pair a = made(1009, 53, 19);
  const Array b = numbers({53, 83}).to(DType::f32);
  const int before = num_threads();
  set_num_threads(1);
  const auto one = matmul(a.sparse, b).to_vector<float>();
  set_num_threads(2);
  EXPECT_EQ(matmul(a.sparse, b).to_vector<float>(), one);
  set_num_threads(before);
}

TEST(SparseMatrix, EmptyOnesMultiplyToZeros) {
  EXPECT_EQ(matmul(SparseMatrix(0, 3, 0), numbers({3, 5})).shape(), (Shape{0, 5}));
  SparseMatrix none(1, 3, 0);
  none.end_row();
  EXPECT_THAT(matmul(none, numbers({3, 5})).to_vector<double>(), testing::Each(0));
  EXPECT_EQ(matmul(none, numbers({3, 5}).slice(1, 0, 0)).shape(), (Shape{1, 0}));
  EXPECT_THAT(matmul(none.transposed(), numbers({1, 2})).to_vector<double>(), testing::Each(0));
}

TEST(SparseMatrix, SaysWhatIsWrong) {
  const SparseMatrix a = made(5, 3, 2).sparse;
  EXPECT_ERROR(ShapeError, "matmul: a sparse [5, 3] takes b of [3, n], not f64[5, 2]",
               matmul(a, numbers({5, 2})));
  EXPECT_ERROR(DTypeError, "matmul: b must be f32 or f64, not i64[3, 2]",
               matmul(a, numbers({3, 2}).to(DType::i64)));
}

}  // namespace
}  // namespace heed::kernels
