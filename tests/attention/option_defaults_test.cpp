// What mechanisms do where nothing is said: what their papers chose, where they say it.
#include "../support/defaults.h"

#include "../../attention/attention.h"

namespace heed::attention {
namespace {

TEST(OptionDefaults, OfBiases) {
  EXPECT_DEFAULTS(T5Options,
                  o.heads == 1 && o.buckets == 32 && o.max_distance == 128 && o.bidirectional);
}

TEST(OptionDefaults, OfMasks) {
  EXPECT_DEFAULTS(masks::LongformerOptions, o.dilation == 1 && !o.causal);
  EXPECT_DEFAULTS(masks::BigBirdOptions,
                  o.block == 64 && o.window == 1 && o.globals == 1 && o.randoms == 1 && !o.causal);
  EXPECT_DEFAULTS(WaitKOptions, o.wait == 1);
}

TEST(OptionDefaults, OfDecoders) {
  EXPECT_DEFAULTS(BahdanauOptions, o.layers == 1 && !o.readout_of_state);
  EXPECT_DEFAULTS(ConvSeq2SeqOptions, o.layers == 1 && o.kernel == 3 && o.dropout == 0 && o.scale &&
                                          !o.weight_norm && o.attentions == 1);
  EXPECT_DEFAULTS(LocalOptions,
                  o.kind == LocalKind::monotonic && o.half_width == 10 && !o.gaussian);
  EXPECT_DEFAULTS(LocationAwareDecoderOptions, o.filters == 10 && o.kernel == 201);
  EXPECT_DEFAULTS(LSTMNDecoderOptions, o.fusion == Fusion::deep && o.span == -1);
  EXPECT_DEFAULTS(LuongOptions, o.layers == 1 && !o.input_feeding &&
                                    o.attention == LuongAttention::global && o.half_width == 10 &&
                                    !o.context_alone && o.dropout == 0);
  EXPECT_DEFAULTS(MonotonicHeadsOptions, o.heads == 1 && !o.look_back && o.offset == -2);
  EXPECT_DEFAULTS(PointerGeneratorOptions, o.coverage && o.copy);
  EXPECT_DEFAULTS(PointerNetworkOptions, !o.once);
  EXPECT_DEFAULTS(SummariserOptions, o.context == 5 && o.window == 2);
}

TEST(OptionDefaults, OfGraph) {
  EXPECT_DEFAULTS(GraphAttentionOptions, o.kind == GraphAttentionKind::gat_v2 && o.heads == 1 &&
                                             !o.average && !o.shared && o.negative_slope == 0.2 &&
                                             o.dropout == 0 && o.bias);
  EXPECT_DEFAULTS(GraphTransformerOptions, o.layers == 1 && !o.final_norm);
}

TEST(OptionDefaults, OfHard) {
  EXPECT_DEFAULTS(GlimpseOptions, o.channels == 1 && o.size == 8 && o.scales == 1 &&
                                      o.hidden == 128 && o.width == 256);
  EXPECT_DEFAULTS(HardOptions, o.evaluation == HardEvaluation::argmax);
  EXPECT_DEFAULTS(HardMonotonicOptions, !o.sample);
  EXPECT_DEFAULTS(VariationalOptions, o.evaluation == HardEvaluation::expectation);
}

TEST(OptionDefaults, OfLinear) {
  EXPECT_DEFAULTS(AttentionFreeFullOptions, o.block == 32);
  EXPECT_DEFAULTS(LinearOptions, o.heads == 1 && !o.bias && o.chunk == 64);
  EXPECT_DEFAULTS(LinformerOptions, o.heads == 1);
  EXPECT_DEFAULTS(LunaOptions, o.heads == 1);
  EXPECT_DEFAULTS(NystromformerOptions, o.heads == 1 && o.landmarks == 64 && o.iterations == 6);
  EXPECT_DEFAULTS(PerformerOptions, o.features == 128 && o.kind == PerformerFeatures::positive);
  EXPECT_DEFAULTS(ReformerOptions, o.heads == 1 && o.buckets == 8 && o.rounds == 2);
  EXPECT_DEFAULTS(RoutingOptions, o.heads == 1 && o.centroids == 8);
  EXPECT_DEFAULTS(SinkhornBlocksOptions, o.heads == 1 && o.block == 16 && o.iterations == 5);
}

TEST(OptionDefaults, OfMemory) {
  EXPECT_DEFAULTS(AdaptiveComputationOptions, o.epsilon == 0.01 && o.max_steps == 100);
  EXPECT_DEFAULTS(DynamicMemoryOptions, o.hops == 3);
  EXPECT_DEFAULTS(KeyValueMemoryOptions, o.hops == 2);
  EXPECT_DEFAULTS(LSTMNOptions, o.layers == 1 && o.span == -1 && o.recency == 0);
  EXPECT_DEFAULTS(MemorizingOptions, o.heads == 1 && o.nearest == 32);
  EXPECT_DEFAULTS(MemoryNetworkOptions, o.width == 20 && o.hops == 3 && o.slots == 50 &&
                                            o.tying == MemoryTying::adjacent &&
                                            o.position_encoding == PositionEncoding::published &&
                                            o.noise == 0.1 && !o.empty_memories);
  EXPECT_DEFAULTS(MemoryStreamOptions, o.hops == 6 && o.span == 100);
  EXPECT_DEFAULTS(NeuralCacheOptions, o.theta == 0.3 && o.lambda == 0.1);
  EXPECT_DEFAULTS(NeuralComputerOptions,
                  o.hidden == 64 && o.slots == 16 && o.slot_width == 16 && o.read_heads == 1);
  EXPECT_DEFAULTS(NeuralGPUOptions, o.columns == 4 && o.layers == 2 && o.kernel == 3 && o.cutoff);
  EXPECT_DEFAULTS(NeuralProgrammerOptions, o.width == 64 && o.steps == 4);
  EXPECT_DEFAULTS(TableLossOptions, o.delta == 1 && o.cells == 50);
  EXPECT_DEFAULTS(TuringMachineOptions, o.hidden == 100 && o.slots == 128 && o.slot_width == 20 &&
                                            o.read_heads == 1 && o.write_heads == 1 &&
                                            o.reach == 1 && o.recurrent);
}

TEST(OptionDefaults, OfPairs) {
  EXPECT_DEFAULTS(BiMPMOptions, o.perspectives == 20 && o.full && o.max_pooling && o.attentive &&
                                    o.max_attentive && o.dropout == 0);
  EXPECT_DEFAULTS(CoAttentionHierarchyOptions, o.kind == CoAttentionKind::parallel);
  EXPECT_DEFAULTS(CoupledOptions, o.slices == 20 && o.layers == 2 && o.labels == 3 && o.coupled);
  EXPECT_DEFAULTS(DecomposableOptions, o.dropout == 0 && !o.differences);
  EXPECT_DEFAULTS(EsimOptions, o.dropout == 0);
  EXPECT_DEFAULTS(GatedAttentionOptions, o.hops == 3 && o.dropout == 0);
  EXPECT_DEFAULTS(MultiPerspectiveOptions, o.perspectives == 20 && o.full && o.max_pooling &&
                                               o.attentive && o.max_attentive);
  EXPECT_DEFAULTS(StackedOptions, o.hops == 2);
  EXPECT_DEFAULTS(TwoStreamsOptions, o.heads == 1 && o.dropout == 0);
}

TEST(OptionDefaults, OfSets) {
  EXPECT_DEFAULTS(HopfieldOptions, o.heads == 1 && o.updates == 1);
  EXPECT_DEFAULTS(NeuralProcessOptions, o.heads == 1 && o.attentive && o.latent);
  EXPECT_DEFAULTS(PerceiverReadOptions, o.heads == 1 && o.residual);
  EXPECT_DEFAULTS(PerceiverOptions, o.heads == 1 && o.blocks == 1 && o.layers == 1 && o.shared);
  EXPECT_DEFAULTS(SetOptions, o.heads == 1 && o.layer_norm);
  EXPECT_DEFAULTS(SetTransformerOptions, o.encoder == 2 && o.seeds == 1);
  EXPECT_DEFAULTS(SlotAttentionOptions, o.times == 3 && o.eps == 1e-8);
}

TEST(OptionDefaults, OfStructured) {
  EXPECT_DEFAULTS(SinkhornOptions, o.iterations == 20 && o.temperature == 1);
}

TEST(OptionDefaults, OfTransformer) {
  EXPECT_DEFAULTS(DifferentialHeadsOptions,
                  o.kind == DifferentialKind::v1 && o.heads == 1 && !o.rotary && o.dropout == 0);
  EXPECT_DEFAULTS(ForgettingHeadsOptions, o.heads == 1 && o.dropout == 0);
  EXPECT_DEFAULTS(HeadExtrasOptions, !o.bias_kv && !o.zero);
  EXPECT_DEFAULTS(LatentHeadsOptions, o.heads == 1 && o.dropout == 0);
  EXPECT_DEFAULTS(MixtureOfDepthsOptions, o.capacity == 0.125);
  EXPECT_DEFAULTS(MixtureOfExpertsOptions,
                  o.chosen == 2 && o.activation == Activation::swiglu && o.dropout == 0);
  EXPECT_DEFAULTS(MultiHeadOptions, o.heads == 1 && o.dropout == 0 && o.bias && !o.rotary &&
                                        o.qk_norm == QkNorm::none && !o.gate && !o.head_scale &&
                                        !o.sinks);
  EXPECT_DEFAULTS(MultiTokenOptions, o.depth == 1);
  EXPECT_DEFAULTS(NativeSparseOptions, o.heads == 1 && o.block == 32 && o.stride == 16 &&
                                           o.selected_block == 64 && o.selected == 16 &&
                                           o.initial == 1 && o.local == 2 && o.window == 512 &&
                                           !o.rotary && o.dropout == 0);
  EXPECT_DEFAULTS(SynthesizerOptions, o.heads == 1 && o.rank == 8 && o.dropout == 0);
  EXPECT_DEFAULTS(TransformerOptions,
                  o.width == 512 && o.heads == 8 && o.hidden == 2048 && o.dropout == 0.1 &&
                      !o.pre_norm && !o.both_norms && o.norm == Norm::layer && !o.parallel &&
                      o.activation == Activation::relu && o.bias && !o.rotary && o.eps == 1e-5);
  EXPECT_DEFAULTS(TransformerXLOptions, o.layers == 1 && o.heads == 1 && o.dropout == 0);
  EXPECT_DEFAULTS(ValueResidualOptions, o.heads == 1 && !o.single && !o.rotary && o.dropout == 0);
}

TEST(OptionDefaults, OfVision) {
  EXPECT_DEFAULTS(AugmentedConvolutionOptions, o.kernel == 3 && o.heads == 1 && o.relative);
  EXPECT_DEFAULTS(DeformableOptions, o.heads == 8 && o.levels == 4 && o.points == 4);
  EXPECT_DEFAULTS(NonLocalOptions, o.kind == NonLocalKind::embedded_gaussian && !o.subsample);
  EXPECT_DEFAULTS(SpatialTransformerOptions,
                  o.kind == SpatialTransform::affine && o.padding == GridPadding::zeros);
  EXPECT_DEFAULTS(SwinOptions, o.channels == 3 && o.patch == 4 && o.width == 96 && o.window == 7 &&
                                   o.dropout == 0);
  EXPECT_DEFAULTS(SwinBlockOptions, o.heads == 1 && o.window == 7 && o.dropout == 0);
  EXPECT_DEFAULTS(VisionTransformerOptions, o.channels == 3 && o.patch == 16 && o.layers == 12 &&
                                                o.embedding == 768 && o.heads == 12 &&
                                                o.dropout == 0 && !o.distilled);
}

TEST(OptionDefaults, OfNormalisers) {
  EXPECT_DEFAULTS(EntmaxOptions, o.alpha == 1.5 && !o.learned);
}

TEST(OptionDefaults, OfPositions) {
  EXPECT_DEFAULTS(RelativeOptions, o.clip == 16);
  EXPECT_DEFAULTS(RotaryOptions, o.base == 10000 && o.layout == RotaryLayout::pairs);
}

TEST(OptionDefaults, OfScores) {
  EXPECT_DEFAULTS(LocationAwareOptions, o.filters == 10 && o.kernel == 201);
  EXPECT_DEFAULTS(MonotonicEnergyOptions, o.offset == -4);
}

}  // namespace
}  // namespace heed::attention
