#include "../../../../attention/mechanisms/pairs/soft_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/normalise/softmax.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kL = 5, kT = 3, kD = 7, kH = 2;

class SoftAlignments : public testing::Test {
 protected:
  SoftAlignments() { manual_seed(43); }
  Tensor some(Index places, Index width) const { return randn({kB, places, width}, DType::f64); }
};

// The definition, by whole matrices.
TEST_F(SoftAlignments, AreTheRowsAndTheColumnsOfOneMatrix) {
  const Aligned a{some(kL, kH), some(kL, kD), {}}, b{some(kT, kH), some(kT, kD), {}};
  const Tensor e = matmul(a.compared, transpose(b.compared, 1, 2));  // [B, L, T]
  const Tensor rows = softmax(e, 2), columns = transpose(softmax(e, 1), 1, 2);
  const SoftAlignment found = soft_alignment(a, b, true), tiled = soft_alignment(a, b);
  EXPECT_THAT(numbers(found.premise.weights), near(rows));
  EXPECT_THAT(numbers(found.hypothesis.weights), near(columns));
  EXPECT_THAT(numbers(found.premise.context), near(matmul(rows, b.seen)));
  EXPECT_THAT(numbers(found.hypothesis.context), near(matmul(columns, a.seen)));
  EXPECT_THAT(numbers(tiled.premise.context), near(found.premise.context));
  EXPECT_FALSE(tiled.premise.weights.defined());
}

TEST_F(SoftAlignments, PlacesThatDoNotCountNeitherLookNorAreSeen) {
  const Tensor real(Array::from<bool>({true, true, false, false, false, false}, {kB, kT}));
  const Aligned a{some(kL, kH), some(kL, kD), {}}, b{some(kT, kH), some(kT, kD), real};
  const SoftAlignment found = soft_alignment(a, b, true);
  EXPECT_EQ(sum(abs(narrow(found.premise.weights, 2, 2, 1))).item(), 0);
  EXPECT_EQ(sum(abs(select(found.premise.context, 0, 1))).item(), 0);  // nothing to be seen
  EXPECT_EQ(sum(abs(select(found.hypothesis.weights, 0, 1))).item(), 0);
  EXPECT_EQ(sum(abs(narrow(found.hypothesis.context, 1, 2, 1))).item(), 0);
  EXPECT_NEAR(sum(narrow(found.hypothesis.weights, 1, 0, 2)).item(), 2, 1e-12);
}

TEST_F(SoftAlignments, RefuseWhatDoesNotFit) {
  const Aligned a{some(kL, kH), some(kL, kD), {}};
  EXPECT_THROW(soft_alignment(a, {some(kT, kH + 1), some(kT, kD), {}}), ShapeError);
  EXPECT_THROW(soft_alignment(a, {some(kT, kH), some(kL, kD), {}}), ShapeError);
}

}  // namespace
}  // namespace heed::attention
