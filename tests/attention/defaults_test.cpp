// What is meant by an option or an argument that is left out.
#include <gtest/gtest.h>

#include "../../attention/mechanisms/decoders/local.h"
#include "../../attention/mechanisms/decoders/luong_decoder.h"
#include "../../attention/mechanisms/decoders/multi_step.h"
#include "../../attention/mechanisms/decoders/pointer_network.h"
#include "../../attention/mechanisms/memory/key_value_memory.h"
#include "../../attention/mechanisms/memory/memory_network.h"
#include "../../attention/mechanisms/transformer/transformer_options.h"
#include "../../attention/mechanisms/transformer/transformer_xl.h"
#include "../../attention/mechanisms/vision/non_local.h"
#include "../../attention/mechanisms/vision/swin_block.h"
#include "../../attention/mechanisms/vision/vision_transformer.h"
#include "../../core/array.h"

namespace heed::attention {
namespace {

TEST(Defaults, OfOptions) {
  EXPECT_EQ(LocalOptions{}.half_width, 10);
  EXPECT_FALSE(LocalOptions{}.gaussian);
  EXPECT_EQ(KeyValueMemoryOptions{}.hops, 2);
  EXPECT_FALSE(LuongOptions{}.context_alone);
  EXPECT_FALSE(TransformerOptions{}.parallel);
  EXPECT_EQ(MemoryNetworkOptions{}.vocabulary, 0);
}

// As the papers have it, where nothing is said; and what is said, be it little, is so.
TEST(Defaults, WithinALayerIsFourTimesItsWidth) {
  for (const Index hidden : {0, 1, 7}) {
    const Index within = hidden == 0 ? 24 : hidden;
    const Shape in{within, 6}, out{6, within};
    const TransformerXLLayer xl({.width = 6, .heads = 2, .hidden = hidden});
    EXPECT_EQ(xl.linear1.weight.shape(), in);
    EXPECT_EQ(xl.linear2.weight.shape(), out);
    EXPECT_EQ(SwinBlock({.width = 6, .heads = 2, .hidden = hidden}).layer.linear1->weight.shape(),
              in);
    const VisionTransformer vision({.height = 4,
                                    .width = 4,
                                    .channels = 1,
                                    .patch = 2,
                                    .classes = 3,
                                    .layers = 1,
                                    .embedding = 6,
                                    .heads = 2,
                                    .hidden = hidden});
    EXPECT_EQ(vision.encoder.layers[0].linear1->weight.shape(), in);
  }
}

TEST(Defaults, NonLocalBlocksAreHalfAsWideInside) {
  EXPECT_EQ(NonLocal({.width = 7}).g.weight.shape(), (Shape{3, 7}));
  EXPECT_EQ(NonLocal({.width = 1}).g.weight.shape(), (Shape{1, 1}));
  EXPECT_EQ(NonLocal({.width = 7, .inner = 1}).g.weight.shape(), (Shape{1, 7}));
}

TEST(Defaults, APointersHiddenWidthIsItsStates) {
  const PointerNetwork made({.input_width = 2, .key_width = 3, .state_width = 5});
  const PointerNetwork same({.input_width = 2, .key_width = 3, .state_width = 5, .hidden = 5});
  const auto left = made.named_parameters(), right = same.named_parameters();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].first, right[i].first);
    EXPECT_EQ(left[i].second.shape(), right[i].second.shape());
  }
}

TEST(Defaults, MultiStepHasPlainProjections) {
  const MultiStepAttention made(3, 2);
  EXPECT_TRUE(made.query_projection.weight.defined());
  EXPECT_FALSE(made.query_projection.weight_g.defined());
}

TEST(Defaults, ReorderingTakesTheSourcesAlong) {
  const LuongDecoder made({.word_width = 2, .source_width = 3, .state_width = 3});
  auto state = made.start(zeros({2, 7, 3}));
  state.reorder(Tensor(Array::from(std::vector<Index>{1, 0, 1})));
  EXPECT_EQ(state.memory.keys().size(0), 3);
}

}  // namespace
}  // namespace heed::attention
