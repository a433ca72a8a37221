#include "../../../../core/kernels/index/index.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

Array ids(const std::vector<std::int64_t>& values, const Shape& shape) {
  return Array::from(values, shape);
}

TEST(Index, TakesRowsOfEveryDType) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean}) {
    const Array table = Generator(3).bernoulli({7, 5}, 0.5).to(dtype);
    const Array out = take_rows("test", table, ids({6, 0, 6, 3}, {2, 2}));
    ASSERT_EQ(out.shape(), (Shape{2, 2, 5}));
    EXPECT_EQ(out.dtype(), dtype);
    const auto row = [](const Array& x) { return x.to(DType::f64).to_vector<double>(); };
    EXPECT_EQ(row(out.select(0, 0).select(0, 0)), row(table.select(0, 6)));
    EXPECT_EQ(row(out.select(0, 1).select(0, 1)), row(table.select(0, 3)));
  }
}

TEST(Index, ReadsAnyStrides) {
  const Array table = Generator(5).normal({5, 7}, 0, 1, DType::f64).transpose(0, 1);
  const Array where = ids({6, 1, 0, 1, 3, 1}, {3, 2}).select(1, 0);
  const Array out = take_rows("test", table, where);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(out.select(0, i).to_vector<double>(),
              table.select(0, static_cast<Index>(where.select(0, i).item())).to_vector<double>());
  }
  EXPECT_EQ(gather(table, 0, where.unsqueeze(1).expand({3, 5})).to_vector<double>(),
            out.to_vector<double>());
}

TEST(Index, ScatterIsTheTransposeOfGather) {
  Generator generator(7);
  const Array x = generator.normal({5, 7}, 0, 1, DType::f64),
              v = generator.normal({4, 3}, 0, 1, DType::f64);
  std::vector<std::int64_t> places;
  for (int i = 0; i < 12; ++i) places.push_back(generator.below(5));
  const Array index = ids(places, {4, 3});
  const auto dot = [](const Array& a, const Array& b) {
    const auto p = a.to_vector<double>(), q = b.to_vector<double>();
    double total = 0;
    for (std::size_t i = 0; i < p.size(); ++i) total += p[i] * q[i];
    return total;
  };
  Array scattered = Array::zeros({5, 7}, DType::f64);
  scatter_add_into(scattered, 0, index, v);
  EXPECT_NEAR(dot(gather(x, 0, index), v), dot(x, scattered), 1e-12);
}

TEST(Index, ChecksBeforeItWrites) {
  const Array table = Array::zeros({3, 2}, DType::f32);
  EXPECT_ERROR(IndexError, "look: index 3 is out of range [0, 3)",
               take_rows("look", table, ids({0, 3}, {2})));
  EXPECT_ERROR(IndexError, "look: index -9223372036854775808 is out of range [0, 3)",
               take_rows("look", table, ids({INT64_MIN}, {1})));
  EXPECT_ERROR(DTypeError, "look: indices must be i64, not f32[3, 2]", check_ids("look", table, 3));
  EXPECT_ERROR(DTypeError, "look: indices must be i64, not undefined",
               check_ids("look", Array(), 3));
  // Of a view's own ids, whatever stands beside them.
  EXPECT_ERROR(IndexError, "look: index 7 is out of range [0, 3)",
               check_ids("look", ids({0, 1, 2, 9, 0, 7, 1, 9}, {2, 4}).slice(1, 0, 3), 3));
  // A NaN that became an index.
  EXPECT_THROW(take_rows("look", table, Array::from(std::vector<double>{NAN}).to(DType::i64)),
               IndexError);
}

}  // namespace
}  // namespace heed::kernels
