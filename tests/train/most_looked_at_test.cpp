#include "../../train/most_looked_at.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../../core/error.h"
#include "../../io/file.h"
#include "../io/temporary_folder.h"
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

TEST(MostLookedAt, PicturesStandBelowEachOther) {
  const Alignment one{"t", {"a", "b", "c"}, {"x"}, Array::from<float>({0, 0.5F, 0.5F}, {1, 3})};
  const Picture first = alignment_picture(most_looked_at(one, 2));
  const Picture both = alignments_picture({one, one}, 2);
  EXPECT_EQ(both.width(), first.width());
  EXPECT_EQ(both.height(), 2 * first.height());
  EXPECT_EQ(alignments_picture({}, 2).height(), 0);
  const TemporaryFolder folder;
  const std::string path = folder / "pictures.png";
  EXPECT_FALSE(write_alignments(path, {}, 2));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(write_alignments(path, {one, one}, 2));
  EXPECT_EQ(io::read_file(path), encode_png(both));
  EXPECT_ERROR(ValueError, "most_looked_at: 0 columns are none", alignments_picture({one}, 0));
}

}  // namespace
}  // namespace heed::train
