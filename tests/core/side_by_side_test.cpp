#include "../../core/side_by_side.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "../../core/generator.h"

namespace heed {
namespace {

Array drawn(const Shape& shape) { return Generator(7).normal(shape, 0, 1, DType::f64); }

// Pieces of the last axis, [2, 5, heads, width] each, with their heads in front of the places.
std::vector<Array> heads_of(const Array& x, const std::vector<std::pair<Index, Index>>& pieces) {
  std::vector<Array> out;
  Index begin = 0;
  for (const auto& [heads, width] : pieces) {
    const Array piece = x.slice(2, begin, begin + heads * width);
    out.push_back(piece.view({2, 5, heads, width}).transpose(1, 2));
    begin += heads * width;
  }
  return out;
}

void fill(Array to, double value) {
  for (Index i = 0; i < to.size(0); ++i) {
    if (to.rank() > 1) {
      fill(to.select(0, i), value);
    } else {
      to.mutable_data<double>()[i * to.strides()[0]] = value;
    }
  }
}

TEST(SideBySide, PiecesOfAnAxisAreJoinedWithoutACopy) {
  const Array x = drawn({3, 7, 5});
  for (Index axis = 0; axis < 3; ++axis) {
    const Array joined = joined_in_place(
        {x.slice(axis, 0, 1), x.slice(axis, 1, 2), x.slice(axis, 2, x.size(axis))}, axis);
    ASSERT_TRUE(joined.defined()) << axis;
    EXPECT_EQ(joined.shape(), x.shape());
    EXPECT_EQ(joined.raw(), x.raw());
    EXPECT_EQ(joined.to_vector<double>(), x.to_vector<double>());
  }
  const Array turned = x.transpose(0, 2);  // [5, 7, 3]
  const Array part = joined_in_place({turned.slice(1, 2, 4), turned.slice(1, 4, 5)}, 1);
  ASSERT_TRUE(part.defined());
  EXPECT_EQ(part.to_vector<double>(), turned.slice(1, 2, 5).to_vector<double>());
  EXPECT_EQ(joined_in_place({x}, 1).raw(), x.raw());
}

TEST(SideBySide, WhatLiesElsewhereIsNotJoined) {
  const Array x = drawn({3, 7, 5});
  const auto joined = [](const std::vector<Array>& pieces, Index axis) {
    return joined_in_place(pieces, axis).defined();
  };
  const auto piece = [&](Index begin, Index end) { return x.slice(1, begin, end); };
  EXPECT_TRUE(joined({piece(0, 2), piece(2, 7)}, 1));
  EXPECT_FALSE(joined({piece(2, 7), piece(0, 2)}, 1)) << "in another order";
  EXPECT_FALSE(joined({piece(0, 2), piece(3, 7)}, 1)) << "a gap";
  EXPECT_FALSE(joined({piece(0, 3), piece(2, 7)}, 1)) << "an overlap";
  EXPECT_FALSE(joined({piece(0, 2), piece(2, 7)}, 0)) << "along another axis";
  EXPECT_FALSE(joined({piece(0, 2), piece(2, 7).clone()}, 1)) << "another block";
  EXPECT_FALSE(joined({piece(0, 2), piece(2, 7).slice(0, 0, 2)}, 1)) << "fewer rows";
  EXPECT_FALSE(joined({piece(0, 2), piece(2, 4).transpose(0, 1)}, 1)) << "turned";
  EXPECT_FALSE(joined({piece(0, 2), Array()}, 1));
  EXPECT_FALSE(joined({Array(), piece(0, 2)}, 1));
  EXPECT_FALSE(joined({}, 0));
}

TEST(SideBySide, PlacesForPiecesOfRowsLieAsThePiecesDo) {
  // Queries of 3 heads, keys and values of one, with widths of their own.
  const Array x = drawn({2, 5, 3 * 7 + 7 + 11});
  const std::vector<Array> like = heads_of(x, {{3, 7}, {1, 7}, {1, 11}});
  const std::vector<Array> made = empty_side_by_side(like);
  ASSERT_EQ(made.size(), 3U);
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(made[i].shape(), like[i].shape());
    EXPECT_EQ(made[i].strides(), like[i].strides());
    EXPECT_FALSE(made[i].shares_storage(x));
    fill(made[i], static_cast<double>(i));
  }
  std::vector<Array> rows;
  for (const Array& each : made) {
    const Array turned = each.transpose(1, 2);
    rows.push_back(turned.view({2, 5, turned.size(2) * turned.size(3)}));
  }
  const Array whole = joined_in_place(rows, 2);
  ASSERT_TRUE(whole.defined());
  EXPECT_TRUE(whole.is_contiguous());
  EXPECT_EQ(whole.shape(), x.shape());
  for (Index i = 0; i < whole.numel(); ++i) {
    const Index column = i % 39;
    ASSERT_EQ(whole.data<double>()[i], column < 21 ? 0 : column < 28 ? 1 : 2) << i;
  }
  EXPECT_EQ(empty_side_by_side({like[2], like[0], like[1]}).size(), 3U) << "in any order";
}

TEST(SideBySide, OfOtherOperandsThereAreNone) {
  const Array x = drawn({2, 5, 3 * 21});
  const std::vector<Array> like = heads_of(x, {{3, 7}, {3, 7}, {3, 7}});
  const Array &q = like[0], &k = like[1], &v = like[2];
  EXPECT_EQ(empty_side_by_side({q, k, v}).size(), 3U);
  EXPECT_TRUE(empty_side_by_side({q, k}).empty()) << "a gap";
  EXPECT_TRUE(empty_side_by_side({q, q, q}).empty()) << "one three times";
  EXPECT_TRUE(empty_side_by_side({q, k, k}).empty()) << "one twice";
  EXPECT_TRUE(empty_side_by_side({q, k, v.clone()}).empty()) << "another block";
  EXPECT_TRUE(empty_side_by_side({q, k, v.slice(0, 0, 1)}).empty()) << "fewer rows";
  EXPECT_TRUE(empty_side_by_side({q, k, v.slice(2, 0, 4)}).empty()) << "fewer places";
  EXPECT_TRUE(empty_side_by_side({q, k, v.slice(3, 0, 6)}).empty()) << "parts of heads";
  EXPECT_TRUE(
      empty_side_by_side({q.slice(2, 0, 5, 2), k.slice(2, 0, 5, 2), v.slice(2, 0, 5, 2)}).empty())
      << "every second place";
  EXPECT_TRUE(empty_side_by_side({x.expand({3, 2, 5, 63})}).empty()) << "spread";
  EXPECT_TRUE(empty_side_by_side({x}).empty()) << "one row";
  EXPECT_TRUE(empty_side_by_side({Array::empty({0, 3}, DType::f64)}).empty());
  EXPECT_TRUE(empty_side_by_side({Array()}).empty());
  EXPECT_TRUE(empty_side_by_side({}).empty());
}

}  // namespace
}  // namespace heed
