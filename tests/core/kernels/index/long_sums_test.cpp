// Sums of very many floats of one sign that indices lead to one place keep their digits.
#include <gtest/gtest.h>

#include <string>

#include "../../../../core/generator.h"
#include "../../../../core/kernels/index/index.h"
#include "../../../../core/parallel.h"
#include "../../../../core/sparse_rows.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kLong = 1 << 19;
const double kEach = static_cast<double>(0.1f);

void expect_all(const Array& found, double wanted, const std::string& what) {
  for (const double value : found.to(DType::f64).to_vector<double>()) {
    ASSERT_NEAR(value / wanted, 1, 1e-6) << what;
  }
}

Array tenths(const Shape& shape) { return Array::full(shape, 0.1, DType::f32); }

TEST(LongSums, OfRowsThatGoToOneKeepTheirDigits) {
  under_every_simd([] {
    for (const Index width : {1, 3, 37}) {
      const Index count = kLong / width;
      const double sum = kEach * static_cast<double>(count);
      const Array ids = Array::full({count}, 1, DType::i64);
      for (const Index rows : {3, 100'000'007}) {  // the two ways to group them
        expect_all(SparseRows::gather(ids, tenths({count, width}), rows).values, sum, "gather");
      }
      Array to = Array::zeros({3, width}, DType::f32);
      add_rows(to, ids, tenths({count, width}));
      expect_all(to.slice(0, 1, 2), sum, "add_rows");
      EXPECT_EQ(to.slice(0, 2, 3).to_vector<float>(), std::vector<float>(std::size_t(width), 0));
    }
    for (const Index count : {16, 17, 31, 32, 33, 1009}) {  // of few
      const Array few =
          SparseRows::gather(Array::zeros({count}, DType::i64), tenths({count, 2}), 1).to_dense();
      expect_all(few, kEach * static_cast<double>(count), std::to_string(count));
    }
  });
}

TEST(LongSums, OfScatteredNumbersKeepTheirDigits) {
  const auto scattered = [](const Shape& shape, Index axis, const Array& index) {
    Array to = Array::zeros(shape, DType::f32);
    scatter_add_into(to, axis, index, tenths(index.shape()));
    return to;
  };
  const auto ones = [](const Shape& shape) { return Array::full(shape, 1, DType::i64); };
  const double sum = kEach * kLong;
  const Array flat = scattered({3}, 0, ones({kLong}));
  EXPECT_EQ(flat.slice(0, 0, 1).item(), 0);
  expect_all(flat.slice(0, 1, 2), sum, "one axis");
  // Of fewer rows and columns than there are: the others stay.
  const Array across = scattered({7, 3}, 1, ones({5, kLong}));
  expect_all(across.slice(0, 0, 5).slice(1, 1, 2), sum, "rows");
  EXPECT_EQ(across.slice(0, 5, 7).to_vector<float>(), std::vector<float>(6, 0));
  const Array down = scattered({3, 7}, 0, ones({kLong, 5}));
  expect_all(down.slice(1, 0, 5).slice(0, 1, 2), sum, "columns");
  EXPECT_EQ(down.slice(1, 5, 7).to_vector<float>(), std::vector<float>(6, 0));
  const Array strided = ones({5, kLong}).transpose(0, 1);
  expect_all(scattered({3, 5}, 0, strided).slice(0, 1, 2), sum, "strided");
  Array begun = Array::full({3}, 1000, DType::f32);
  scatter_add_into(begun, 0, ones({kLong}), tenths({kLong}));
  expect_all(begun.slice(0, 1, 2), 1000 + sum, "begun");
}

TEST(LongSums, OfIndicesAreTheSameForAnyNumberOfThreads) {
  Generator generator(41);
  const int before = num_threads();
  std::vector<std::int64_t> places;
  for (int i = 0; i < 11 * 20'011; ++i) places.push_back(generator.below(7));
  const Array index = Array::from(places, {11, 20'011});
  const Array values = generator.uniform({11, 20'011}, 0, 1, DType::f32);
  const auto run = [&] {
    Array scattered = Array::zeros({11, 7}, DType::f32);
    scatter_add_into(scattered, 1, index, values);
    Array added = Array::zeros({7, 11}, DType::f32);
    add_rows(added, index.select(0, 3), values.transpose(0, 1).contiguous());
    auto out = scattered.to_vector<float>();
    const auto rows = added.to_vector<float>();
    out.insert(out.end(), rows.begin(), rows.end());
    return out;
  };
  set_num_threads(1);
  const auto alone = run();
  for (const int threads : {2, 3, 4}) {
    set_num_threads(threads);
    EXPECT_EQ(run(), alone);
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace heed::kernels
