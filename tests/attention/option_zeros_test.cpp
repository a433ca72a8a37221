// Numbers that are 0 where nothing is said: a size that must be given is then refused, any other
// means what its header says of 0. See option_defaults_test.cpp for the rest.
#include "../support/defaults.h"

#include "../../attention/attention.h"

namespace heed::attention {
namespace {

TEST(OptionZeros, OfMasks) {
  EXPECT_DEFAULTS(masks::LongformerOptions, o.window == 0 && o.globals == 0);
  EXPECT_DEFAULTS(WaitKOptions, o.catch_up == 0 && o.first == 0);
}

TEST(OptionZeros, OfDecoders) {
  EXPECT_DEFAULTS(BahdanauOptions, o.word_width == 0 && o.annotation_width == 0 &&
                                       o.state_width == 0 && o.hidden == 0 && o.readout == 0 &&
                                       o.start_width == 0);
  EXPECT_DEFAULTS(ConvSeq2SeqOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(LocalOptions, o.query_width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(LocalCall, o.first == 0);
  EXPECT_DEFAULTS(LocationAwareDecoderOptions, o.word_width == 0 && o.annotation_width == 0 &&
                                                   o.state_width == 0 && o.hidden == 0 &&
                                                   o.readout == 0 && o.window == 0);
  EXPECT_DEFAULTS(LSTMNDecoderOptions,
                  o.input == 0 && o.hidden == 0 && o.source == 0 && o.attention == 0);
  EXPECT_DEFAULTS(LuongOptions,
                  o.word_width == 0 && o.source_width == 0 && o.state_width == 0 && o.out == 0);
  EXPECT_DEFAULTS(MonotonicHeadsOptions, o.width == 0 && o.key_width == 0 && o.noise == 0);
  EXPECT_DEFAULTS(PointerGeneratorOptions, o.word_width == 0 && o.annotation_width == 0 &&
                                               o.state_width == 0 && o.hidden == 0 &&
                                               o.vocabulary == 0);
  EXPECT_DEFAULTS(PointerNetworkOptions,
                  o.input_width == 0 && o.key_width == 0 && o.state_width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(SummariserOptions, o.source_words == 0 && o.target_words == 0 &&
                                         o.source_width == 0 && o.target_width == 0 &&
                                         o.hidden == 0 && o.start == 0);
}

TEST(OptionZeros, OfGraph) {
  EXPECT_DEFAULTS(GraphAttentionOptions, o.input == 0 && o.head_width == 0);
  EXPECT_DEFAULTS(GraphStructureOptions,
                  o.positions == 0 && o.max_distance == 0 && o.max_degree == 0);
  EXPECT_DEFAULTS(GraphTransformerOptions,
                  o.positions == 0 && o.max_distance == 0 && o.max_degree == 0);
}

TEST(OptionZeros, OfHard) { EXPECT_DEFAULTS(HardOptions, o.mean_probability == 0); }

TEST(OptionZeros, OfLinear) {
  EXPECT_DEFAULTS(AttentionFreeFullOptions,
                  o.width == 0 && o.max_length == 0 && o.window == 0 && o.rank == 0);
  EXPECT_DEFAULTS(LinearOptions, o.width == 0 && o.head_width == 0 && o.value_head_width == 0);
  EXPECT_DEFAULTS(LinformerOptions, o.width == 0 && o.max_length == 0 && o.rank == 0);
  EXPECT_DEFAULTS(LunaOptions, o.width == 0 && o.length == 0 && o.layers == 0);
  EXPECT_DEFAULTS(NystromformerOptions, o.width == 0);
  EXPECT_DEFAULTS(ReformerOptions, o.width == 0);
  EXPECT_DEFAULTS(RoutingOptions, o.width == 0);
  EXPECT_DEFAULTS(SinkhornBlocksOptions, o.width == 0 && o.max_blocks == 0 && o.hidden == 0);
}

TEST(OptionZeros, OfMemory) {
  EXPECT_DEFAULTS(AdaptiveComputationOptions, o.state == 0);
  EXPECT_DEFAULTS(DynamicMemoryOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(KeyValueMemoryOptions, o.features == 0 && o.width == 0);
  EXPECT_DEFAULTS(LSTMNOptions, o.input == 0 && o.hidden == 0 && o.attention == 0);
  EXPECT_DEFAULTS(MemorizingOptions, o.width == 0 && o.capacity == 0);
  EXPECT_DEFAULTS(MemoryNetworkOptions, o.vocabulary == 0);
  EXPECT_DEFAULTS(MemoryStreamOptions, o.width == 0);
  EXPECT_DEFAULTS(NeuralCacheOptions, o.window == 0);
  EXPECT_DEFAULTS(NeuralComputerOptions, o.input == 0 && o.output == 0);
  EXPECT_DEFAULTS(NeuralGPUOptions, o.width == 0);
  EXPECT_DEFAULTS(NeuralProgrammerOptions, o.vocabulary == 0);
  EXPECT_DEFAULTS(TableLossOptions, o.kind == 0);
  EXPECT_DEFAULTS(TuringMachineOptions, o.input == 0 && o.output == 0);
}

TEST(OptionZeros, OfPairs) {
  EXPECT_DEFAULTS(BiMPMOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(CoAttentionOptions, o.question_width == 0 && o.image_width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(CoAttentionHierarchyOptions, o.width == 0 && o.hidden == 0 && o.answers == 0);
  EXPECT_DEFAULTS(CoupledOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(DecomposableOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(EsimOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(GatedAttentionOptions, o.input == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(GatedMatchingOptions, o.width == 0 && o.question_width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(SelfMatchingOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(MultiPerspectiveOptions, o.hidden == 0);
  EXPECT_DEFAULTS(StackedOptions, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(TwoStreamsOptions,
                  o.width == 0 && o.other_width == 0 && o.hidden == 0 && o.other_hidden == 0);
}

TEST(OptionZeros, OfSets) {
  EXPECT_DEFAULTS(HopfieldOptions, o.state_width == 0 && o.stored_width == 0 && o.head_width == 0 &&
                                       o.output == 0 && o.tolerance == 0 && o.beta == 0);
  EXPECT_DEFAULTS(NeuralProcessOptions, o.input == 0 && o.output == 0 && o.width == 0);
  EXPECT_DEFAULTS(PerceiverReadOptions, o.width == 0 && o.input_width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(PerceiverOptions, o.input_width == 0 && o.latents == 0 && o.width == 0 &&
                                        o.hidden == 0 && o.query_width == 0);
  EXPECT_DEFAULTS(SetOptions, o.width == 0);
  EXPECT_DEFAULTS(SetTransformerOptions, o.points == 0 && o.decoder == 0);
  EXPECT_DEFAULTS(SlotAttentionOptions, o.input == 0 && o.width == 0 && o.hidden == 0);
}

TEST(OptionZeros, OfStructured) {
  EXPECT_DEFAULTS(TreeAttentionOptions, o.width == 0 && o.hidden == 0);
}

TEST(OptionZeros, OfTransformer) {
  EXPECT_DEFAULTS(DifferentialHeadsOptions,
                  o.width == 0 && o.head_width == 0 && o.kv_heads == 0 && o.layer == 0);
  EXPECT_DEFAULTS(ForgettingHeadsOptions, o.width == 0 && o.head_width == 0);
  EXPECT_DEFAULTS(HeadExtrasOptions, o.slots == 0);
  EXPECT_DEFAULTS(KeyValueCacheOptions, o.sinks == 0 && o.window == 0);
  EXPECT_DEFAULTS(LatentHeadsOptions, o.width == 0 && o.latent == 0 && o.query_latent == 0 &&
                                          o.head_width == 0 && o.rotary_width == 0 &&
                                          o.value_width == 0);
  EXPECT_DEFAULTS(MixtureOfDepthsOptions, o.hidden == 0 && o.layer == 0);
  EXPECT_DEFAULTS(MixtureOfExpertsOptions, o.width == 0 && o.hidden == 0 && o.experts == 0);
  EXPECT_DEFAULTS(MultiHeadOptions, o.width == 0 && o.kv_heads == 0 && o.key_width == 0 &&
                                        o.value_width == 0 && o.head_width == 0 &&
                                        o.value_head_width == 0);
  EXPECT_DEFAULTS(NativeSparseOptions,
                  o.width == 0 && o.kv_heads == 0 && o.head_width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(SynthesizerOptions, o.width == 0 && o.max_length == 0 && o.factor == 0);
  EXPECT_DEFAULTS(TransformerOptions, o.kv_heads == 0);
  EXPECT_DEFAULTS(TransformerXLOptions, o.width == 0 && o.hidden == 0 && o.memory == 0);
  EXPECT_DEFAULTS(ValueResidualOptions, o.width == 0 && o.head_width == 0 && o.layers == 0);
}

TEST(OptionZeros, OfVision) {
  EXPECT_DEFAULTS(AugmentedConvolutionOptions, o.in == 0 && o.out == 0 && o.key_width == 0 &&
                                                   o.value_width == 0 && o.height == 0 &&
                                                   o.width == 0);
  EXPECT_DEFAULTS(DeformableOptions, o.width == 0);
  EXPECT_DEFAULTS(DrawOptions, o.state_width == 0 && o.size == 0 && o.height == 0 && o.width == 0);
  EXPECT_DEFAULTS(NonLocalOptions, o.width == 0 && o.inner == 0);
  EXPECT_DEFAULTS(SpatialTransformerOptions, o.features == 0 && o.height == 0 && o.width == 0);
  EXPECT_DEFAULTS(SwinOptions, o.classes == 0);
  EXPECT_DEFAULTS(SwinBlockOptions, o.width == 0 && o.shift == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(VisionTransformerOptions,
                  o.height == 0 && o.width == 0 && o.classes == 0 && o.hidden == 0);
}

TEST(OptionZeros, OfNormalisers) { EXPECT_DEFAULTS(EntmaxOptions, o.heads == 0); }

TEST(OptionZeros, OfPositions) {
  EXPECT_DEFAULTS(RotaryScaling, o.kind == RotaryScalingKind::none && o.factor == 1 &&
                                     o.original_length == 0 && o.beta_fast == 32 &&
                                     o.beta_slow == 1 && o.whole_pairs && o.low_freq_factor == 1 &&
                                     o.high_freq_factor == 4 && o.attention_factor == 0);
  EXPECT_DEFAULTS(RelativeOptions, o.key_width == 0 && o.value_width == 0);
  EXPECT_DEFAULTS(RotaryOptions, o.width == 0);
}

TEST(OptionZeros, OfScores) {
  EXPECT_DEFAULTS(LocationAwareOptions, o.query_width == 0 && o.key_width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(MonotonicEnergyOptions, o.query_width == 0 && o.key_width == 0 && o.hidden == 0);
}

TEST(OptionZeros, OfParts) {
  EXPECT_DEFAULTS(HierarchicalLevel, o.width == 0 && o.hidden == 0);
  EXPECT_DEFAULTS(SelfAttentionSizes,
                  o.width == 0 && o.heads == 1 && o.max_length == 0 && o.dropout == 0 && !o.rotary);
  EXPECT_DEFAULTS(Score::Form, o.scale == 1);
  EXPECT_DEFAULTS(Terms, o.dropout == 0 && !o.need_weights && !o.need_statistics &&
                             !o.need_log_sums && !o.tiles_only);
}

}  // namespace
}  // namespace heed::attention
