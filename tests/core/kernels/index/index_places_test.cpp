#include "../../../../core/kernels/index/index_places.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

using Ids = std::vector<std::int64_t>;

Array ids(const Ids& values, const Shape& shape) { return Array::from(values, shape); }
Array mask(const std::vector<bool>& values, const Shape& shape) {
  return Array::from(values, shape);
}

TEST(Nonzero, ListsPlacesInTheirOrder) {
  const Array x = Array::from(std::vector<double>{0, 2, 0, NAN, -0.0, 1}, {2, 3});
  EXPECT_EQ(nonzero(x).shape(), (Shape{3, 2}));
  EXPECT_EQ(nonzero(x).to_vector<std::int64_t>(), (Ids{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(nonzero(x.transpose(0, 1)).to_vector<std::int64_t>(), (Ids{0, 1, 1, 0, 2, 1}));
  EXPECT_EQ(nonzero(Array::zeros({3, 5}, DType::i64)).shape(), (Shape{0, 2}));
  EXPECT_EQ(nonzero(Array::full({}, 7, DType::i64)).shape(), (Shape{1, 0}));
  EXPECT_EQ(nonzero(mask({false, true}, {2})).to_vector<std::int64_t>(), Ids{1});
}

TEST(LeadingPlaces, CountRowsOfTheAxesThatAreNamed) {
  const Shape shape{3, 5, 7};
  const LeadingPlaces one = leading_places("index", shape, {ids({2, -3}, {2})});
  EXPECT_EQ(one.rows.to_vector<std::int64_t>(), (Ids{2, 0}));
  EXPECT_EQ(one.axes, 1);
  EXPECT_EQ(one.count, 3);
  const LeadingPlaces two =
      leading_places("index", shape, {ids({2, 0}, {2, 1}), ids({4, -5, -1}, {3})});
  EXPECT_EQ(two.rows.shape(), (Shape{2, 3}));
  EXPECT_EQ(two.rows.to_vector<std::int64_t>(), (Ids{14, 10, 14, 4, 0, 4}));
  EXPECT_EQ(two.axes, 2);
  EXPECT_EQ(two.count, 15);
  const std::vector<bool> chosen = {false, true, false, false, false, false, false, false,
                                    false, true, false, false, true,  false, false};
  const LeadingPlaces masked = leading_places("index", shape, {mask(chosen, {3, 5})});
  EXPECT_EQ(masked.rows.to_vector<std::int64_t>(), (Ids{1, 9, 12}));
  EXPECT_EQ(masked.axes, 2);
  const LeadingPlaces mixed =
      leading_places("index", shape, {ids({1}, {1}), mask({true, false, true, false, false}, {5})});
  EXPECT_EQ(mixed.rows.to_vector<std::int64_t>(), (Ids{5, 7}));
  EXPECT_EQ(LeadingPlaces{}.count, 1);
}

// As in PyTorch and NumPy: an axis of one place, or of none.
TEST(LeadingPlaces, TakeABoolWithoutAxes) {
  const Shape shape{3, 5};
  const Array yes = mask({true}, {}), no = mask({false}, {});
  const LeadingPlaces one = leading_places("index", shape, {yes, ids({2, 0}, {2})});
  EXPECT_EQ(one.rows.to_vector<std::int64_t>(), (Ids{2, 0}));
  EXPECT_EQ(one.axes, 1);
  EXPECT_EQ(one.count, 3);
  const LeadingPlaces none = leading_places("index", shape, {ids({2}, {1}), no});
  EXPECT_EQ(none.rows.shape(), (Shape{0}));
  EXPECT_EQ(none.axes, 1);
  const LeadingPlaces whole = leading_places("index", shape, {yes});
  EXPECT_EQ(whole.rows.to_vector<std::int64_t>(), Ids{0});
  EXPECT_EQ(whole.axes, 0);
  EXPECT_EQ(whole.count, 1);
  EXPECT_EQ(leading_places("index", Shape{}, {no}).rows.shape(), (Shape{0}));
  EXPECT_ERROR_WITH(ShapeError, "index: shapes [0] and [2] do not broadcast",
                    leading_places("index", shape, {no, ids({0, 1}, {2})}));
}

TEST(LeadingPlaces, SayWhatDoesNotFit) {
  const Shape shape{3, 5};
  const Array one = ids({0}, {1});
  EXPECT_ERROR(IndexError, "index: index 3 is out of range [-3, 3) of axis 0",
               leading_places("index", shape, {ids({0, 3}, {2})}));
  EXPECT_ERROR(IndexError, "index: index -6 is out of range [-5, 5) of axis 1",
               leading_places("index", shape, {one, ids({-6}, {1})}));
  EXPECT_ERROR(ShapeError, "index: indices for more than the 2 axes of [3, 5]",
               leading_places("index", shape, {one, one, one}));
  EXPECT_ERROR(ShapeError, "index: indices for more than the 2 axes of [3, 5]",
               leading_places("index", shape, {one, mask(std::vector<bool>(15), {3, 5})}));
  EXPECT_ERROR(ShapeError, "index: mask bool[4] does not fit [3, 5] from axis 1",
               leading_places("index", shape, {one, mask(std::vector<bool>(4), {4})}));
  EXPECT_ERROR(DTypeError, "index: indices must be i64 or bool, not f32[1]",
               leading_places("index", shape, {Array::zeros({1}, DType::f32)}));
  EXPECT_ERROR(ShapeError, "index: no index is given", leading_places("index", shape, {}));
  EXPECT_ERROR_WITH(ShapeError, "index: shapes [2] and [3] do not broadcast",
                    leading_places("index", shape, {ids({0, 1}, {2}), ids({0, 1, 2}, {3})}));
}

TEST(PutRows, TheLastOfEqualPlacesStays) {
  const Array table = Array::from(Ids{1, 2, 3, 4, 5, 6}, {3, 2});
  const Array values = Array::from(Ids{10, 30, 50, 20, 40, 60}, {2, 3}).transpose(0, 1);
  EXPECT_EQ(put_rows(table, ids({2, 0, 2}, {3}), values).to_vector<std::int64_t>(),
            (Ids{30, 40, 3, 4, 50, 60}));
  EXPECT_EQ(table.to_vector<std::int64_t>(), (Ids{1, 2, 3, 4, 5, 6})) << "it is a copy";
  EXPECT_EQ(put_rows(table, ids({}, {0}), values.slice(0, 0, 0)).to_vector<std::int64_t>(),
            (Ids{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(last_of_equals(ids({2, 0, 2, 1, 0}, {5}), 3).to_vector<bool>(),
            (std::vector<bool>{false, false, true, true, true}));
}

}  // namespace
}  // namespace heed::kernels
