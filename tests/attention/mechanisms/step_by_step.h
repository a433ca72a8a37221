// Self-attention step by step, out of a cache, beside all of it at once.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "../../../attention/mechanisms/transformer/self_attention.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../support/numbers.h"

namespace heed::attention {

/// x [B, T, E] in pieces of 3, 1, 1 and the rest, and in one of 1 and the rest, causal.
inline void expect_steps_are_the_whole(const SelfAttention& made, const Tensor& x,
                                       double tolerance = 1e-12) {
  const NoGrad off;
  const Terms causal{.mask = Mask::causal()};
  const Tensor whole = made(x, causal).context;
  const Index T = x.size(1);
  for (const std::vector<Index>& pieces : {std::vector<Index>{3, 1, 1, T - 5}, {1, T - 1}}) {
    KeyValueCache cache;
    Index first = 0;
    for (const Index count : pieces) {
      const Tensor part = made(narrow(x, 1, first, count), causal, &cache).context;
      EXPECT_LT(difference(part, narrow(whole, 1, first, count)), tolerance) << first;
      first += count;
    }
    EXPECT_EQ(cache.length(), T);
  }
}

}  // namespace heed::attention
