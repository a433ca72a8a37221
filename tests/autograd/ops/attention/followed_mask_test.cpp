#include "../../../../autograd/ops/attention/followed_mask.h"

#include <gtest/gtest.h>

#include "../../../../autograd/factories.h"
#include "../../../../autograd/methods.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/kernels/attention/attention.h"
#include "../../../support/throws.h"

namespace heed {
namespace {

// Beside the kernels' own mask, of as many keys as queries, more and fewer.
TEST(FollowedMask, IsTheMask) {
  std::vector<AttentionOptions> ways(5);
  ways[0].left = 2;
  ways[1].right = 0;
  ways[2].left = 3;
  ways[2].right = 1;
  ways[2].blocks = {3, 2};
  ways[3].lengths = tensor({5, 0});
  ways[3].right = INT64_MAX;
  ways[4].lengths = tensor({{1, 2, 3}, {4, 5, 0}});
  ways[4].allowed = arange(5) > unsqueeze(arange(3), 1);
  ways[4].left = 1;
  for (const Index queries : {3, 5, 7}) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      if (way == 4 && queries != 3) continue;
      SCOPED_TRACE(way);
      const AttentionOptions& options = ways[way];
      const Tensor q = zeros({2, 3, queries, 2}), k = zeros({2, 3, 5, 2});
      const auto array = [](const Tensor& x) { return x.defined() ? x.array() : Array(); };
      const Array wanted = kernels::attention_mask("test", {q.array(), k.array(), {}}, k.array(),
                                                   {.left = options.left,
                                                    .right = options.right,
                                                    .lengths = array(options.lengths),
                                                    .allowed = array(options.allowed),
                                                    .blocks = options.blocks});
      const Shape shape{2, 3, queries, 5};
      const Tensor mask = followed_mask(options, shape);
      ASSERT_EQ(mask.dtype(), DType::boolean);
      EXPECT_TRUE(expand(mask, shape).equal(Tensor(wanted))) << queries;
    }
  }
}

TEST(FollowedMask, OfNoBoundsIsNone) {
  EXPECT_FALSE(followed_mask({}, {2, 3}).defined());
  EXPECT_ERROR_WITH(ValueError, "segments and rules of a mask cannot be followed",
                    followed_mask({.segments = {0, 3}}, {2, 3}));
}

}  // namespace
}  // namespace heed
