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

// The first of its stack.
struct FirstResidual : ValueResidualHeads {
  explicit FirstResidual(const ValueResidualOptions& options) : ValueResidualHeads(options, 0) {}
};

TEST(LeastOptions, OfHeadsThatChooseOrPassOn) {
  using Sparse = NativeSparseOptions;
  const Sparse sparse{.width = 6,
                      .heads = 2,
                      .kv_heads = 1,
                      .head_width = 3,
                      .block = 2,
                      .stride = 1,
                      .selected_block = 3,
                      .selected = 4,
                      .initial = 1,
                      .local = 2,
                      .window = 5};
  const std::string op = "native_sparse_heads: ";
  expect_least<NativeSparseHeads>(sparse, op + "width {} must be positive", {{&Sparse::width}});
  expect_least<NativeSparseHeads>(sparse, op + "heads {} must be positive", {{&Sparse::heads}});
  expect_least<NativeSparseHeads>(sparse, op + "kv_heads {} must be positive",
                                  {{&Sparse::kv_heads, 0}});
  expect_least<NativeSparseHeads>(sparse, op + "block {} must be positive", {{&Sparse::block}});
  expect_least<NativeSparseHeads>(sparse, op + "stride {} must be positive", {{&Sparse::stride}});
  expect_least<NativeSparseHeads>(sparse, op + "selected_block {} must be positive",
                                  {{&Sparse::selected_block}});
  expect_least<NativeSparseHeads>(sparse, op + "window {} must be positive", {{&Sparse::window}});
  expect_least<NativeSparseHeads>(
      sparse, op + "{} initial and {} local blocks (at least 1) are not among 4",
      {{&Sparse::initial, 0}, {&Sparse::local}});
  Sparse only = sparse;
  only.initial = 0;
  only.local = 1;
  expect_least<NativeSparseHeads>(only, op + "selected {} must be positive", {{&Sparse::selected}});
  using Residual = ValueResidualOptions;
  expect_least<FirstResidual, Residual>(
      {.width = 6, .heads = 2, .head_width = 5, .layers = 3},
      "value_residual_heads: width {}, heads {} and layers {} must be positive, head_width {} not "
      "negative",
      {{&Residual::width}, {&Residual::heads}, {&Residual::layers}, {&Residual::head_width, 0}});
  using Synthesised = SynthesizerOptions;
  const Synthesised synthesised{.width = 6, .heads = 2, .max_length = 5, .rank = 3};
  expect_least<Synthesizer>(synthesised, "synthesizer: width {} must be positive",
                            {{&Synthesised::width, 1, false}});
  expect_least<Synthesizer>(synthesised, "synthesizer: heads {} must be positive",
                            {{&Synthesised::heads}});
  expect_least<Synthesizer>(synthesised, "synthesizer: max_length {} must be positive",
                            {{&Synthesised::max_length}});
  expect_least<Synthesizer>(synthesised, "synthesizer: rank {} must be positive",
                            {{&Synthesised::rank}});
  expect_least<Synthesizer>(synthesised, "synthesizer: factor {} must be positive",
                            {{&Synthesised::factor, 0}});
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
  const DrawOptions draw{.state_width = 2, .size = 3, .height = 5, .width = 7};
  for (Index DrawOptions::*const each :
       {&DrawOptions::state_width, &DrawOptions::size, &DrawOptions::height, &DrawOptions::width}) {
    expect_least<DrawAttention, DrawOptions>(draw, "draw: size {} must be positive", {{each}});
  }
  const SwinOptions swin{.channels = 2,
                         .patch = 3,
                         .classes = 5,
                         .width = 4,
                         .depths = {1},
                         .heads = {1},
                         .window = 7};
  for (Index SwinOptions::*const each :
       {&SwinOptions::channels, &SwinOptions::patch, &SwinOptions::classes, &SwinOptions::width,
        &SwinOptions::window}) {
    expect_least<Swin, SwinOptions>(swin, "swin: size {} must be positive", {{each}});
  }
  using Vision = VisionTransformerOptions;
  const Vision vision{.height = 6,
                      .width = 6,
                      .channels = 2,
                      .patch = 3,
                      .classes = 5,
                      .layers = 2,
                      .embedding = 4,
                      .heads = 2};
  for (const Least<Vision>& each : {Least<Vision>{&Vision::height, 1, false},
                                    {&Vision::width, 1, false},
                                    {&Vision::channels},
                                    {&Vision::patch},
                                    {&Vision::classes},
                                    {&Vision::layers},
                                    {&Vision::embedding, 1, false},
                                    {&Vision::heads}}) {
    expect_least<VisionTransformer, Vision>(vision, "vision_transformer: size {} must be positive",
                                            {each});
  }
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
