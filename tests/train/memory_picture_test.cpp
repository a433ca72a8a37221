#include "../../train/memory_picture.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../train/hull_picture.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

constexpr Colour kWhite{255, 255, 255}, kBlack{0, 0, 0};

// 3 steps, 2 channels, 2 heads over 11 places.
MemoryTrace trace() {
  std::vector<float> weights(3 * 2 * 11, 0.0F);
  weights[0 * 22 + 0 * 11 + 6] = 1;  // reads place 6 at the first step
  weights[2 * 22 + 1 * 11 + 5] = 1;  // writes place 5 at the last
  return {Array::from(std::vector<float>{0, 1, 0, 0, 0, 0}, {3, 2}),
          Array::from(std::vector<float>{1}, {1, 1}), Array::from(weights, {3, 2, 11})};
}

TEST(MemoryPicture, ShowsWhatCameAndWhereTheHeadsWere) {
  const Picture picture = memory_picture(trace());
  // Panels are 78 dots wide (the longer title), 8 apart; cells 5 dots; titles 12.
  const Index left = 8, top = 8 + 12;
  EXPECT_EQ(picture.at(left, top), kBlack);
  EXPECT_EQ(picture.at(left, top + 5), kWhite);  // input channel 1 at step 1
  const Index second = picture.width() / 2 + 4;
  EXPECT_EQ(picture.at(second, top), kBlack);
  EXPECT_EQ(picture.at(second + 10, top), kWhite);  // the output, of the last step
  // Places 3 to 8: two more on either side.
  const Index memory = top + 2 * 5 + 8 + 12;
  EXPECT_EQ(picture.height(), memory + 6 * 5 + 8);
  EXPECT_EQ(picture.at(left + 10, memory + 2 * 5), kWhite);
  EXPECT_EQ(picture.at(left + 10, memory + 3 * 5), kBlack);
  EXPECT_EQ(picture.at(second, memory + 3 * 5), kWhite);
  MemoryTrace none = trace();
  none.weights = Array();
  EXPECT_EQ(memory_picture(none).height(), memory - 12);
}

TEST(MemoryPicture, RefusesWhatDoesNotFit) {
  MemoryTrace bad = trace();
  bad.outputs = Array::zeros({4, 1}, DType::f32);
  EXPECT_ERROR_WITH(ShapeError, "memory_picture: outputs must be [3, any]", memory_picture(bad));
  bad = trace();
  bad.inputs = Array::zeros({3, 2}, DType::i64);
  EXPECT_ERROR_WITH(DTypeError, "memory_picture: inputs must be f32 or f64", memory_picture(bad));
  bad = trace();
  bad.weights = Array::zeros({2, 2, 11}, DType::f32);
  EXPECT_ERROR_WITH(ShapeError, "memory_picture: weights must be [3, heads, places]",
                    memory_picture(bad));
  bad.weights = Array::zeros({3, 2, 11}, DType::boolean);
  EXPECT_ERROR_WITH(DTypeError, "memory_picture: weights must be f32 or f64", memory_picture(bad));
  EXPECT_ERROR_WITH(DTypeError, "memory_picture: inputs", memory_picture({}));
}

TEST(HullPicture, DrawsPointsAndEdges) {
  const std::vector<data::Point> points = {{0, 0}, {data::kGrid - 1, 0}, {0, data::kGrid - 1}};
  const Picture picture = hull_picture(points, {0, 1, 2});
  EXPECT_EQ(picture.at(16, 16 + 360), (Colour{20, 20, 20}));         // the first, below left
  EXPECT_EQ(picture.at(16 + 180, 16 + 360), (Colour{214, 96, 20}));  // an edge
  EXPECT_EQ(picture.at(16 + 183, 16 + 363), (Colour{190, 190, 190}));
  EXPECT_EQ(picture.at(300, 40), kWhite);
  EXPECT_ERROR_WITH(IndexError, "hull_picture: corner 3 of 3 points", hull_picture(points, {3}));
}

}  // namespace
}  // namespace heed::train
