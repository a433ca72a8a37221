#include "../../train/alignment_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using heed::Tensor;
using heed::tensor;
using testing::ElementsAre;
using testing::Pair;

// T = 3, K = 4.
const std::vector<double> kWeights = {.1, .6, .2, .1,  //
                                      .4, .1, .4, .1,  //
                                      .1, .1, .2, .6};

TEST(AlignmentError, StrongestLinksAreTheFirstOfTheLargestWeights) {
  for (const heed::DType dtype : {heed::DType::f32, heed::DType::f64}) {
    const Tensor weights = tensor(kWeights, {3, 4}, dtype);
    EXPECT_THAT(strongest_links(weights, 3, 4), ElementsAre(Pair(1, 0), Pair(0, 1), Pair(3, 2)));
    // The marks at the end are no words.
    EXPECT_THAT(strongest_links(weights, 3, 3), ElementsAre(Pair(1, 0), Pair(0, 1), Pair(2, 2)));
    EXPECT_THAT(strongest_links(weights, 1, 1), ElementsAre(Pair(0, 0)));
    EXPECT_TRUE(strongest_links(weights, 0, 4).empty());
    EXPECT_THAT(strongest_links(transpose(weights, 0, 1), 4, 3),
                ElementsAre(Pair(1, 0), Pair(0, 1), Pair(1, 2), Pair(2, 3)));
  }
}

TEST(AlignmentError, ChecksItsArguments) {
  const Tensor weights = tensor(kWeights, {3, 4});
  EXPECT_ERROR(heed::ShapeError,
               "strongest_links: weights must be [T, K] with T >= 4 and K >= 2: came f32[3, 4]",
               strongest_links(weights, 4, 2));
  EXPECT_THROW(strongest_links(weights, 3, 5), heed::ShapeError);
  EXPECT_THROW(strongest_links(weights, -1, 4), heed::ShapeError);
  EXPECT_THROW(strongest_links(tensor(2.5), 1, 1), heed::ShapeError);
  EXPECT_THROW(strongest_links(Tensor(), 1, 1), heed::ShapeError);
  EXPECT_ERROR(heed::ValueError, "strongest_links: there are no source words",
               strongest_links(weights, 3, 0));
  EXPECT_THROW(strongest_links(weights, 3, -1), heed::ValueError);
}

TEST(AlignmentError, IsTheFormula) {
  AlignmentError none;
  EXPECT_TRUE(std::isnan(none.rate()));

  AlignmentError right;
  right.add({{0, 0}, {1, 1}}, {{0, 0}, {1, 1}});
  EXPECT_EQ(right.rate(), 0);

  AlignmentError wrong;
  wrong.add({{0, 1}, {1, 0}, {2, 0}}, {{0, 0}, {1, 1}});
  EXPECT_EQ(wrong.rate(), 1);

  // A: three links, one sure, one possible, one neither. S: two. (1 + 2) / (3 + 2).
  AlignmentError some;
  some.add({{0, 0}, {1, 2}, {2, 1}}, {{0, 0}, {1, 1}}, {{1, 2}, {4, 4}});
  EXPECT_DOUBLE_EQ(some.rate(), 1 - 3.0 / 5);
  // A sure link is possible without being said so, and nothing counts twice.
  AlignmentError again;
  again.add({{0, 0}, {0, 0}, {1, 2}, {2, 1}}, {{0, 0}, {1, 1}, {1, 1}},
            {{0, 0}, {1, 1}, {1, 2}, {4, 4}});
  EXPECT_EQ(again.rate(), some.rate());
}

TEST(AlignmentError, SumsOverSentences) {
  AlignmentError error;
  error.add({{0, 0}}, {{0, 0}});                          // 2 of 2
  error.add({{0, 0}, {1, 1}, {2, 2}}, {{2, 0}, {1, 1}});  // 2 of 5
  EXPECT_DOUBLE_EQ(error.rate(), 1 - 4.0 / 7);
}

}  // namespace
}  // namespace heed::train
