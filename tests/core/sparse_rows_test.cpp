#include "../../core/sparse_rows.h"

#include <gtest/gtest.h>

#include "../../core/generator.h"

namespace heed {
namespace {

using Ids = std::vector<std::int64_t>;

// The sum over equal ids, in loops.
std::vector<double> summed(const Ids& ids, const Array& values, Index count) {
  const Index width = values.size(1);
  const auto from = values.to_vector<double>();
  std::vector<double> out(static_cast<std::size_t>(count * width), 0);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (Index c = 0; c < width; ++c) {
      out[static_cast<std::size_t>(ids[i] * width + c)] +=
          from[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(c)];
    }
  }
  return out;
}

// Few rows and many: the two ways to group.
TEST(SparseRows, GathersEqualIds) {
  Generator generator(3);
  for (const Index count : {5, 13, 10007}) {
    const Ids ids = {4, 1, 4, 4, 0, 1};
    const Array values = generator.normal({6, 3}, 0, 1, DType::f64);
    const SparseRows rows = SparseRows::gather(Array::from(ids), values, count);
    EXPECT_EQ(rows.rows.to_vector<std::int64_t>(), (Ids{0, 1, 4}));
    EXPECT_EQ(rows.shape, (Shape{count, 3}));
    EXPECT_EQ(rows.to_dense().to_vector<double>(), summed(ids, values, count));
    Array to = Array::full({count, 3}, 0, DType::f64);
    rows.add_into(to);
    EXPECT_EQ(to.to_vector<double>(), summed(ids, values, count));
    EXPECT_EQ(to.version(), 1U);
  }
}

TEST(SparseRows, AddsWithTheRowsOfEither) {
  Generator generator(5);
  const Array a = generator.normal({3, 2}, 0, 1, DType::f64),
              b = generator.normal({2, 2}, 0, 1, DType::f64);
  const SparseRows sum = SparseRows::gather(Array::from(Ids{7, 2, 5}), a, 11) +
                         SparseRows::gather(Array::from(Ids{5, 0}), b, 11);
  EXPECT_EQ(sum.rows.to_vector<std::int64_t>(), (Ids{0, 2, 5, 7}));
  auto expected = summed({7, 2, 5}, a, 11);
  const auto more = summed({5, 0}, b, 11);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += more[i];
  EXPECT_EQ(sum.to_dense().to_vector<double>(), expected);
}

TEST(SparseRows, TakesStridedIdsAndValues) {
  Generator generator(7);
  const Array ids = Array::from(Ids{1, 9, 0, 9, 1, 9}, {3, 2}).select(1, 0);
  const Array values = generator.normal({2, 3}, 0, 1, DType::f64).transpose(0, 1);
  EXPECT_EQ(SparseRows::gather(ids, values, 4).to_dense().to_vector<double>(),
            summed({1, 0, 1}, values, 4));
}

TEST(SparseRows, OfNothingIsZero) {
  const SparseRows none =
      SparseRows::gather(Array::from(Ids{}), Array::zeros({0, 3}, DType::f32), 5);
  EXPECT_EQ(none.rows.numel(), 0);
  EXPECT_EQ(none.to_dense().to_vector<float>(), std::vector<float>(15, 0));
  EXPECT_EQ((none + none).to_dense().shape(), (Shape{5, 3}));
  const SparseRows thin =
      SparseRows::gather(Array::from(Ids{2, 2}), Array::zeros({2, 0}, DType::f32), 5);
  EXPECT_EQ(thin.to_dense().shape(), (Shape{5, 0}));
}

}  // namespace
}  // namespace heed
