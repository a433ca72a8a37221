#include "../../../../core/kernels/index/packed_sequences.h"

#include <gtest/gtest.h>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

// Steps of padding are left out, and come back as zeros.
TEST(PackedSequences, DropPaddingAndPutItBack) {
  Generator generator(9);
  const std::vector<Index> lengths = {3, 0, 5, 2};
  const PackedSequences packed(4, 5, lengths, 3);
  EXPECT_EQ(packed.tokens(), 10);
  EXPECT_EQ(packed.batch(), 4);
  EXPECT_EQ(packed.shape(7), (Shape{4, 5, 7}));
  const Array x = generator.normal({4, 5, 7}, 1, 0.1, DType::f32);
  const Array dense = packed.pack(x);
  ASSERT_EQ(dense.shape(), (Shape{10, 7}));
  const Array back = packed.unpack(dense);
  Index token = 0;
  for (Index b = 0; b < 4; ++b) {
    for (Index t = 0; t < 5; ++t) {
      const bool real = t < lengths[static_cast<std::size_t>(b)];
      for (Index c = 0; c < 7; ++c) {
        const float value = x.data<float>()[(b * 5 + t) * 7 + c];
        EXPECT_EQ(back.data<float>()[(b * 5 + t) * 7 + c], real ? value : 0);
        if (!real) continue;
        EXPECT_EQ(dense.data<float>()[token * 7 + c], value);
      }
      token += real;
    }
  }
  ASSERT_EQ(packed.blocks().size(), 2U);
  EXPECT_EQ(packed.blocks()[0].rows, 3);
  EXPECT_EQ(packed.blocks()[1].first, 3);
  EXPECT_EQ(packed.blocks()[1].rows, 1);
  const std::vector<Index> order = {2, 0, 3, 1};
  for (Index i = 0; i < 4; ++i) {
    const auto& row = packed.row(i);
    const Index index = order[static_cast<std::size_t>(i)];
    EXPECT_EQ(row.index, index);
    EXPECT_EQ(row.length, lengths[static_cast<std::size_t>(index)]);
    EXPECT_EQ(row.place, 5 * index);
    EXPECT_EQ(row.padding, 5 - row.length);
  }
  EXPECT_EQ(packed.active(packed.blocks()[0], 0), 3);
  EXPECT_EQ(packed.active(packed.blocks()[0], 2), 2);
  EXPECT_EQ(packed.active(packed.blocks()[0], 3), 1);
  EXPECT_EQ(packed.active(packed.blocks()[0], 5), 0);
  EXPECT_EQ(packed.active(packed.blocks()[1], 0), 0);
}

TEST(PackedSequences, WithoutPaddingAreViews) {
  const PackedSequences full(3, 4, {}, 16), given({0, 3, 3, 9}, 2);
  EXPECT_EQ(full.tokens(), 12);
  const Array x = Array::zeros({3, 4, 5}, DType::f64);
  EXPECT_TRUE(full.pack(x).shares_storage(x));
  EXPECT_EQ(full.pack(x).shape(), (Shape{12, 5}));
  EXPECT_EQ(full.unpack(full.pack(x)).shape(), (Shape{3, 4, 5}));
  EXPECT_EQ(given.tokens(), 9);
  EXPECT_EQ(given.shape(2), (Shape{9, 2}));
  EXPECT_EQ(given.row(0).index, 2);
  EXPECT_EQ(given.row(0).place, 3);
  EXPECT_EQ(given.row(0).padding, 0);
  EXPECT_EQ(given.blocks().size(), 2U);
  const Array y = Array::zeros({9, 2}, DType::f32);
  EXPECT_TRUE(given.unpack(given.pack(y)).shares_storage(y));
}

}  // namespace
}  // namespace heed::kernels
