#include "../../../attention/mechanisms/self_attention_kinds.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "../../../attention/mechanisms/transformer/key_value_cache.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../support/throws.h"

namespace heed::attention {
namespace {

TEST(SelfAttentionKinds, SayWhatTheyCanDo) {
  std::set<std::string> names, by_length;
  for (const SelfAttentionKind& kind : self_attention_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    SelfAttentionSizes sizes{.width = 12, .heads = 2, .max_length = 9, .dtype = DType::f64};
    sizes.rotary = true;
    if (!kind.rotary) {
      EXPECT_ERROR(ValueError,
                   "self_attention: rotary positions turn queries and keys, not " + kind.name,
                   self_attention_maker(kind.name, sizes));
      sizes.rotary = false;
    }
    const auto maker = self_attention_maker(kind.name, sizes);
    if (kind.by_length) {
      by_length.insert(kind.name);
      sizes.max_length = 0;
      EXPECT_ERROR(ValueError,
                   "self_attention: " + kind.name +
                       " is made by max_length, that of the longest text, which is 0",
                   self_attention_maker(kind.name, sizes));
    }
    if (kind.name == "dot") continue;
    const auto made = maker(1);
    const Tensor x = default_generator().normal({2, 7, 12}, 0, 1, DType::f64);
    const NoGrad scope;
    const Terms causal{.mask = Mask::causal()};
    const Tensor y = (*made)(x, causal).context;
    ASSERT_EQ(y.shape(), (Shape{2, 7, 12})) << kind.name;
    KeyValueCache cache;
    if (!kind.steps) {
      EXPECT_THROW((*made)(x, causal, &cache), ValueError) << kind.name;
      continue;
    }
    (*made)(narrow(x, 1, 0, 5), causal, &cache);
    const Tensor last = (*made)(narrow(x, 1, 5, 2), causal, &cache).context;
    EXPECT_LE(amax(abs(last - narrow(y, 1, 5, 2))).item(), 1e-11) << kind.name;
  }
  EXPECT_EQ(names.size(), 42U);
  EXPECT_EQ(by_length,
            (std::set<std::string>{
                "native-sparse", "cope", "window", "strided", "top-k", "aft-full", "aft-local",
                "cosformer", "synthesizer-dense", "synthesizer-random", "synthesizer-fixed-random",
                "synthesizer-factorised-dense", "synthesizer-factorised-random"}));
  EXPECT_ERROR_WITH(ValueError, "attention: 'rwkv' is neither dot nor",
                    self_attention_kind("rwkv"));
}

TEST(SelfAttentionKinds, AreMade) {
  EXPECT_FALSE(self_attention_maker("dot", {.width = 12}));
  const auto random = self_attention_maker("synthesizer-random", {.width = 12, .max_length = 9});
  EXPECT_EQ((*random(0))(zeros({2, 5, 12})).context.shape(), (Shape{2, 5, 12}));
  EXPECT_THROW(self_attention_maker("rwkv", {.width = 6}), ValueError);
}

}  // namespace
}  // namespace heed::attention
