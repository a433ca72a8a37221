// Operators over rows and columns beside a matrix, which are gone through together.
#include "../../../../core/kernels/elementwise/elementwise.h"

#include <gtest/gtest.h>

#include <cstring>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

template <class T>
class Broadcast : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Broadcast, Floats);

// Large enough to be cut into pieces and handed to threads.
TEST(Broadcasts, OfManyRowsAgreeWithLoops) {
  Generator generator(7);
  const Array x = generator.normal({307, 1, 13}, 0, 1, DType::f64);
  const Array y =
      generator.normal({29, 13}, 0, 1, DType::f64).transpose(0, 1).clone().transpose(0, 1);
  const auto a = x.to_vector<double>(), b = y.to_vector<double>();
  const auto out = binary(Binary::div, x, y).to_vector<double>();
  ASSERT_EQ(out.size(), 307U * 29 * 13);
  for (std::size_t i = 0; i < 307; ++i) {
    for (std::size_t j = 0; j < 29; ++j) {
      for (std::size_t k = 0; k < 13; ++k)
        ASSERT_EQ(out[(i * 29 + j) * 13 + k], a[i * 13 + k] / b[j * 13 + k]);
    }
  }
}

// Rows that are gone through together have the bits of each alone; a power is that of its row.
TYPED_TEST(Broadcast, RowsAreAsEachAlone) {
  constexpr DType kDType = dtype_of<TypeParam>;
  Generator generator(11);
  const Array x = generator.normal({5, 37}, 0, 1, DType::f64).to(kDType);
  const Array row = generator.normal({37}, 0, 1, DType::f64).to(kDType);
  const Array column =
      Array::from(std::vector<double>{2, 1, -1, 2.5, 3}).reshape({5, 1}).to(kDType);
  for (const Binary op : {Binary::add, Binary::sub, Binary::div, Binary::pow}) {
    const Array by_row = binary(op, x, row), by_column = binary(op, x, column);
    const Array of_column = binary(op, column, x);
    Array into = x.clone();
    binary_into(op, into, row);
    for (Index i = 0; i < 5; ++i) {
      SCOPED_TRACE(testing::Message() << name(op) << ", row " << i);
      const auto expect_bits = [&](const Array& all, const Array& a, const Array& b) {
        const auto found = all.select(0, i).template to_vector<TypeParam>();
        const auto alone = binary(op, a, b).template to_vector<TypeParam>();
        EXPECT_EQ(std::memcmp(found.data(), alone.data(), 37 * sizeof(TypeParam)), 0);
      };
      const Array one = x.select(0, i), number = column.select(0, i);
      expect_bits(by_row, one, row);
      expect_bits(into, one, row);
      expect_bits(by_column, one, number);
      expect_bits(of_column, number, one);
    }
  }
}

}  // namespace
}  // namespace heed::kernels
