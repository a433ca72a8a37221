// Values of reductions that a table of gradients does not tell apart.
#include "../../../../autograd/ops/reduce/reduce.h"

#include <gtest/gtest.h>

#include "../../../../autograd/factories.h"
#include "../../../support/numbers.h"

namespace heed {
namespace {

// A sum times the reciprocal of its count would be next to it.
TEST(Mean, DividesTheSum) {
  for (Index count = 1; count < 211; ++count) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      EXPECT_EQ(mean(ones({count}, dtype)).item(), 1) << count;
      const Array rows = mean(ones({3, count}, dtype), {1}).array();
      EXPECT_EQ(rows.to(DType::f64).to_vector<double>(), Numbers(3, 1)) << count;
    }
  }
}

}  // namespace
}  // namespace heed
