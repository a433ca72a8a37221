#include "../../../../core/kernels/elementwise/copy.h"

#include <gtest/gtest.h>

#include <numeric>

#include "../../../../core/array.h"

namespace heed {
namespace {

template <class T>
Array counted(const Shape& shape) {
  std::vector<T> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 8191);
  return Array::from(values, shape);
}

// Element by element, from the strides alone.
template <class T>
std::vector<T> gathered(const Array& x) {
  std::vector<T> out;
  std::vector<Index> place(static_cast<std::size_t>(x.rank()), 0);
  for (Index i = 0; i < x.numel(); ++i) {
    Index at = 0, rest = i;
    for (Index axis = x.rank() - 1; axis >= 0; --axis) {
      at += rest % x.shape()[axis] * x.strides()[axis];
      rest /= x.shape()[axis];
    }
    out.push_back(x.data<T>()[at]);
  }
  return out;
}

template <class T>
class Copy : public testing::Test {};
using Elements = testing::Types<float, double, std::int64_t, bool>;
TYPED_TEST_SUITE(Copy, Elements);

TYPED_TEST(Copy, OfTransposesIsExact) {
  for (const Shape& shape :
       {Shape{67, 131}, Shape{3, 97}, Shape{4, 5}, Shape{32, 64}, Shape{64, 7}, Shape{129, 65}}) {
    const Array turned = counted<TypeParam>(shape).transpose(0, 1);
    EXPECT_EQ(turned.clone().template to_vector<TypeParam>(), gathered<TypeParam>(turned));
  }
}

TYPED_TEST(Copy, OfOneElementSeenOften) {
  const Array one = counted<TypeParam>({11}).slice(0, 7, 8).expand({53});
  EXPECT_EQ(one.clone().template to_vector<TypeParam>(), gathered<TypeParam>(one));
}

TYPED_TEST(Copy, OfPermutationsIsExact) {
  const Array x = counted<TypeParam>({5, 37, 3, 41});
  for (const std::vector<Index>& axes :
       {std::vector<Index>{0, 2, 1, 3}, {0, 2, 3, 1}, {3, 2, 1, 0}, {1, 3, 0, 2}, {3, 0, 1, 2}}) {
    const Array turned = x.permute(axes);
    EXPECT_EQ(turned.clone().template to_vector<TypeParam>(), gathered<TypeParam>(turned));
    const Array part = turned.slice(0, 1, 99, 2).slice(3, 1, 99);
    EXPECT_EQ(part.clone().template to_vector<TypeParam>(), gathered<TypeParam>(part));
  }
}

TYPED_TEST(Copy, IntoATransposeTouchesNothingElse) {
  Array whole = Array::zeros({40, 53}, dtype_of<TypeParam>);
  Array place = whole.slice(0, 1, 36).slice(1, 2, 50).transpose(0, 1);
  const Array x = counted<TypeParam>({48, 35});
  kernels::copy_into(place, x);
  EXPECT_EQ(gathered<TypeParam>(place), x.template to_vector<TypeParam>());
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 53; ++j) {
      if (i >= 1 && i < 36 && j >= 2 && j < 50) continue;
      EXPECT_EQ(whole.template data<TypeParam>()[i * 53 + j], TypeParam{});
    }
  }
}

TYPED_TEST(Copy, FlipsLargeArrays) {
  const Array x = counted<TypeParam>({211, 307});
  const std::vector<TypeParam> before = x.template to_vector<TypeParam>();
  EXPECT_EQ(kernels::flip(x, {0, 1}).template to_vector<TypeParam>(),
            std::vector<TypeParam>(before.rbegin(), before.rend()));
}

// Of dense parts, of views, of parts of nothing, and along each axis; large enough to be shared out.
TYPED_TEST(Copy, JoinsPartsAlongAnAxis) {
  for (const Shape& base : {Shape{3}, Shape{2, 3, 5}, Shape{307, 2, 113}}) {
    for (Index axis = 0; axis < base.rank(); ++axis) {
      const Array x = counted<TypeParam>(base);
      Shape none = base, wide = base;
      none[axis] = 0;
      wide[axis] = 2 * base[axis];
      const Array every = counted<TypeParam>(wide).slice(axis, 1, wide[axis], 2);
      const std::vector<Array> dense{x, Array::empty(none, x.dtype()), x};
      for (const auto& parts : {dense, std::vector<Array>{every, x}, std::vector<Array>{x}}) {
        Shape shape = base;
        shape[axis] = 0;
        for (const Array& each : parts) shape[axis] += each.size(axis);
        Array out = Array::empty(shape, x.dtype());
        kernels::join_into(out, parts, axis);
        Index start = 0;
        for (const Array& each : parts) {
          const Array part = out.slice(axis, start, start + each.size(axis));
          ASSERT_EQ(gathered<TypeParam>(part), gathered<TypeParam>(each))
              << to_string(base) << " along " << axis;
          start += each.size(axis);
        }
      }
    }
  }
}

TEST(ViewStrides, MergeAndCutWhatLiesInOneRun) {
  const auto strides = [](const Shape& from, const Strides& steps, const Shape& to) {
    Strides out;
    return view_strides(from, steps, to, out) ? to_string(out) : "none";
  };
  EXPECT_EQ(strides({4, 6}, {12, 2}, {24}), "[2]");  // every second element
  EXPECT_EQ(strides({4, 6}, {12, 2}, {4, 2, 3}), "[12, 6, 2]");
  EXPECT_EQ(strides({4, 6}, {13, 2}, {24}), "none");
  EXPECT_EQ(strides({4, 6}, {13, 2}, {2, 2, 6}), "[26, 13, 2]");
  EXPECT_EQ(strides({4, 6}, {13, 2}, {8, 3}), "none");
  EXPECT_EQ(strides({3, 4}, {1, 3}, {3, 2, 2}), "[1, 6, 3]");  // a transpose
  EXPECT_EQ(strides({3, 4}, {1, 3}, {12}), "none");
  EXPECT_EQ(strides({7, 2}, {0, 1}, {14}), "none");  // broadcast rows
  EXPECT_EQ(strides({7, 5, 2}, {0, 0, 1}, {35, 2}), "[0, 1]");
  EXPECT_EQ(strides({5, 1, 3}, {3, 99, 1}, {15}), "[1]");
  EXPECT_EQ(strides({0, 3}, {99, 7}, {3, 0}), "[1, 1]");
}

TEST(Reshape, ReadsEveryLayoutInOrder) {
  const Array x = counted<float>({2, 3, 4, 5});
  for (const Array& from : {x.permute({1, 0, 2, 3}), x.slice(1, 0, 2), x.slice(3, 0, 4, 2),
                            x.transpose(2, 3), x.select(1, 1), x.expand({7, 2, 3, 4, 5})}) {
    for (const Shape& to : {Shape{-1}, Shape{2, -1}, Shape{-1, 2}, Shape{4, -1}, Shape{-1, 2, 2},
                            Shape{1, -1, 1, 4, 1}, Shape{2, 2, -1}}) {
      EXPECT_EQ(from.reshape(to).to_vector<float>(), gathered<float>(from))
          << to_string(from.shape()) << to_string(to);
    }
  }
}

}  // namespace
}  // namespace heed
