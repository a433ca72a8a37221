#include "../../../../attention/mechanisms/transformer/grouped_heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../attention/attend.h"
#include "../../../../attention/scores/feature_wise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/generator.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

// Three queries share each of two heads of keys.
TEST(GroupedHeads, GiveTheWeightsOfEachFeature) {
  manual_seed(13);
  constexpr Index kB = 2, kG = 3, kKv = 2, kQ = 5, kK = 7, kD = 4, kDv = 3;
  const Tensor q = randn({kB, kKv * kG, kQ, kD}, DType::f64);
  const Tensor k = randn({kB, kKv, kK, kD}, DType::f64);
  const Tensor v = randn({kB, kKv, kK, kDv}, DType::f64);
  const FeatureWise score(kD, kD, 6, kDv, DType::f64);
  const auto each = [&](const Tensor& x) {
    return flatten(expand(unsqueeze(x, 2), {kB, kKv, kG, kK, x.size(3)}), 1, 2);
  };
  const Terms terms{.mask = Mask::lengths({kK, 4}, kK), .need_weights = true};
  const Attended want = attend(score, q, each(k), each(v), terms);
  const Attended have = attend_in_groups(q, Memory(score, k, v), terms);
  EXPECT_EQ(have.weights.shape(), (Shape{kB, kKv * kG, kQ, kK, kDv}));
  EXPECT_THAT(numbers(have.weights), near(want.weights));
  EXPECT_THAT(numbers(have.context), near(want.context));
}

}  // namespace
}  // namespace heed::attention
