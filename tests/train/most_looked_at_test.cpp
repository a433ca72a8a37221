#include "../../train/most_looked_at.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::ElementsAre;

TEST(MostLookedAt, KeepsColumnsInTheirOrder) {
  const Alignment all{"t",
                      {"a", "b", "c", "d"},
                      {"x", "y"},
                      Array::from<float>({0, 0.5F, 0, 0.5F, 0.25F, 0, 0.25F, 0.5F}, {2, 4})};
  const Alignment most = most_looked_at(all, 3);
  EXPECT_EQ(most.title, "t");
  EXPECT_THAT(most.columns, ElementsAre("a", "b", "d"));  // of equal ones the first
  EXPECT_THAT(most.rows, ElementsAre("x", "y"));
  EXPECT_EQ(most.weights.shape(), (Shape{2, 3}));
  EXPECT_THAT(most.weights.to_vector<double>(), ElementsAre(0, 0.5, 0.5, 0.25, 0, 0.5));
  EXPECT_THAT(most_looked_at(all, 1).columns, ElementsAre("d"));
  EXPECT_EQ(most_looked_at(all, 9).columns, all.columns);
  EXPECT_ERROR(ValueError, "most_looked_at: 0 columns are none", most_looked_at(all, 0));
  EXPECT_ERROR_WITH(ShapeError,
                    "most_looked_at: ", most_looked_at({"", {"a"}, {"x"}, all.weights}, 1));
}

}  // namespace
}  // namespace heed::train
