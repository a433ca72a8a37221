// Of heads, experts and images: see least_options.h.
#include "least_options.h"

#include "../../attention/attention.h"

namespace heed::attention {
namespace {

TEST(LeastOptions, OfHeads) {
  using Differential = DifferentialHeadsOptions;
  expect_least<DifferentialHeads, Differential>(
      {.kind = DifferentialKind::v2,
       .width = 6,
       .heads = 2,
       .head_width = 4,
       .kv_heads = 1,
       .layer = 3},
      "differential_heads: width {} and heads {} must be positive, head_width {}, kv_heads {} and "
      "layer {} not negative",
      {{&Differential::width},
       {&Differential::heads},
       {&Differential::head_width, 0},
       {&Differential::kv_heads, 0},
       {&Differential::layer, 0}});
  using Forgetting = ForgettingHeadsOptions;
  expect_least<ForgettingHeads, Forgetting>(
      {.width = 6, .heads = 2, .head_width = 5},
      "forgetting_heads: width {} and heads {} must be positive, head_width {} not negative",
      {{&Forgetting::width}, {&Forgetting::heads}, {&Forgetting::head_width, 0}});
  using Latent = LatentHeadsOptions;
  expect_least<LatentHeads, Latent>(
      {.width = 2, .heads = 3, .latent = 5, .query_latent = 7, .head_width = 11, .value_width = 13},
      "latent_heads: width {}, heads {}, latent {}, head_width {} and value_width {} must be "
      "positive, query_latent {} not negative",
      {{&Latent::width},
       {&Latent::heads},
       {&Latent::latent},
       {&Latent::head_width},
       {&Latent::value_width, 0},
       {&Latent::query_latent, 0}});
  using Experts = MixtureOfExpertsOptions;
  expect_least<MixtureOfExperts, Experts>(
      {.width = 2, .hidden = 3, .experts = 5, .chosen = 1},
      "mixture_of_experts: width {}, hidden {} and experts {} must be positive",
      {{&Experts::width}, {&Experts::hidden}, {&Experts::experts}});
  using Xl = TransformerXLOptions;
  expect_least<TransformerXL, Xl>(
      {.layers = 2, .width = 6, .heads = 1, .hidden = 3, .memory = 5},
      "transformer_xl: layers {}, width {} and heads {} must be positive, hidden {} and memory {} "
      "not negative",
      {{&Xl::layers}, {&Xl::width}, {&Xl::heads}, {&Xl::hidden, 0}, {&Xl::memory, 0}});
  using Heads = MultiHeadOptions;
  const Heads heads{.width = 6,
                    .heads = 2,
                    .kv_heads = 1,
                    .key_width = 3,
                    .value_width = 5,
                    .head_width = 7,
                    .value_head_width = 11};
  expect_least<MultiHead>(heads, "multi_head: width {} must be positive", {{&Heads::width}});
  expect_least<MultiHead>(heads, "multi_head: heads {} must be positive", {{&Heads::heads}});
  expect_least<MultiHead>(heads, "multi_head: kv_heads {} must be positive",
                          {{&Heads::kv_heads, 0}});
  expect_least<MultiHead>(heads, "multi_head: key_width {} must be positive",
                          {{&Heads::key_width, 0}});
  expect_least<MultiHead>(heads, "multi_head: value_width {} must be positive",
                          {{&Heads::value_width, 0}});
  expect_least<MultiHead>(heads, "multi_head: head_width {} must be positive",
                          {{&Heads::head_width, 0}});
  expect_least<MultiHead>(heads, "multi_head: value_head_width {} must be positive",
                          {{&Heads::value_head_width, 0}});
}

TEST(LeastOptions, OfImages) {
  expect_least<NonLocal, NonLocalOptions>(
      {.width = 2, .inner = 3}, "non_local: width {} must be positive, inner {} not negative",
      {{&NonLocalOptions::width}, {&NonLocalOptions::inner, 0}});
  using Spatial = SpatialTransformerOptions;
  expect_least<SpatialTransformer, Spatial>(
      {.features = 2, .height = 3, .width = 5},
      "spatial_transformer: features {} and a window of {} x {} must be positive",
      {{&Spatial::features}, {&Spatial::height}, {&Spatial::width}});
  using Block = SwinBlockOptions;
  expect_least<SwinBlock, Block>(
      {.width = 6, .heads = 1, .window = 5, .hidden = 7},
      "swin: width {}, heads {} and window {} must be positive, hidden {} not negative",
      {{&Block::width}, {&Block::heads}, {&Block::window}, {&Block::hidden, 0}});
  using Augmented = AugmentedConvolutionOptions;
  const Augmented augmented{.in = 2,
                            .out = 7,
                            .kernel = 3,
                            .heads = 1,
                            .key_width = 2,
                            .value_width = 3,
                            .height = 5,
                            .width = 6};
  expect_least<AugmentedConvolution>(augmented, "augmented_convolution: size {} must be positive",
                                     {{&Augmented::in}});
  expect_least<AugmentedConvolution>(augmented, "augmented_convolution: size {} must be positive",
                                     {{&Augmented::kernel}});
  expect_least<AugmentedConvolution>(augmented, "augmented_convolution: size {} must be positive",
                                     {{&Augmented::heads}});
  expect_least<AugmentedConvolution>(augmented, "augmented_convolution: size {} must be positive",
                                     {{&Augmented::key_width}});
  expect_least<AugmentedConvolution>(augmented, "augmented_convolution: size {} must be positive",
                                     {{&Augmented::value_width}});
  using Deformable = DeformableOptions;
  const Deformable deformable{.width = 6, .heads = 1, .levels = 2, .points = 3};
  expect_least<DeformableAttention>(deformable, "deformable: size {} must be positive",
                                    {{&Deformable::width}});
  expect_least<DeformableAttention>(deformable, "deformable: size {} must be positive",
                                    {{&Deformable::heads}});
  expect_least<DeformableAttention>(deformable, "deformable: size {} must be positive",
                                    {{&Deformable::levels}});
  expect_least<DeformableAttention>(deformable, "deformable: size {} must be positive",
                                    {{&Deformable::points}});
}

}  // namespace
}  // namespace heed::attention
