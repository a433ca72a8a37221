#include <gtest/gtest.h>

#include "../../../../attention/mechanisms/pooling/pooling.h"

namespace heed::attention {
namespace {

TEST(PoolingHooks, SeeAndReplaceTheContext) {
  AttentionPooling layer(5, 3);
  const Tensor other = zeros({2, 5});
  Shape seen;
  const HookId id =
      layer.register_forward_hook([&](const nn::Module& module, const Tensor& context) {
        EXPECT_EQ(&module, &layer);
        seen = context.shape();
        return other;
      });
  const Tensor x = randn({2, 7, 5});
  const Attended pooled = layer(x, Mask(), true);
  EXPECT_EQ(seen, (Shape{2, 5}));
  EXPECT_TRUE(pooled.context.is_same(other));
  EXPECT_EQ(pooled.weights.shape(), (Shape{2, 7}));
  layer.remove_hook(id);
  EXPECT_FALSE(layer(x).context.is_same(other));
}

}  // namespace
}  // namespace heed::attention
