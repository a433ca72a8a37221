// Options whose products and sums leave 64 bits are refused by a typed error: no size wraps around.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "../../attention/attention.h"
#include "../../core/allocator.h"
#include "../../core/error.h"

namespace heed::attention {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();
constexpr Index kHuge[] = {Index{1} << 62, (Index{1} << 62) + 2, kMost - 1, kMost};

// Each option of `options` in turn becomes huge; make(options) must throw one of ours.
template <class Options>
void expect_refused(const Options& options, const std::vector<Index Options::*>& members,
                    const std::function<void(const Options&)>& make) {
  ASSERT_NO_THROW(make(options));
  set_memory_limit(memory_stats().reserved_bytes + (std::int64_t{1} << 28));
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const Index value : kHuge) {
      Options huge = options;
      huge.*members[i] = value;
      EXPECT_THROW(make(huge), Error) << "option " << i << " = " << value;
    }
  }
  set_memory_limit(0);
}

template <class Model, class Options>
void expect_refused_by(const Options& options, const std::vector<Index Options::*>& members) {
  expect_refused<Options>(options, members, [](const Options& o) { Model{o}; });
}

TEST(HugeOptions, OfMultiHead) {
  using O = MultiHeadOptions;
  expect_refused_by<MultiHead>(O{.width = 6, .heads = 2}, {&O::width, &O::heads, &O::kv_heads,
                                                           &O::key_width, &O::value_width});
  for (const Index width : kHuge) {
    EXPECT_THROW(MultiHead(O{.width = width, .heads = 1}), Error) << width;
    EXPECT_THROW(MultiHead(O{.width = width, .heads = width}), Error) << width;
    EXPECT_THROW(MultiHead(O{.width = width, .heads = 1, .key_width = 3, .bias = false}), Error);
  }
}

TEST(HugeOptions, OfTransformers) {
  using O = TransformerOptions;
  expect_refused_by<TransformerEncoderLayer>(O{.width = 6, .heads = 2, .hidden = 5},
                                             {&O::width, &O::heads, &O::kv_heads, &O::hidden});
  expect_refused_by<TransformerDecoderLayer>(O{.width = 6, .heads = 2, .hidden = 5},
                                             {&O::width, &O::heads, &O::kv_heads, &O::hidden});
}

TEST(HugeOptions, OfDecoders) {
  using B = BahdanauOptions;
  expect_refused_by<BahdanauDecoder>(B{.word_width = 3,
                                       .annotation_width = 5,
                                       .state_width = 7,
                                       .hidden = 2,
                                       .readout = 2,
                                       .start_width = 5},
                                     {&B::word_width, &B::annotation_width, &B::start_width,
                                      &B::state_width, &B::hidden, &B::readout});
  using L = LuongOptions;
  expect_refused_by<LuongDecoder>(
      L{.word_width = 3, .source_width = 5, .state_width = 5, .out = 7, .input_feeding = true},
      {&L::word_width, &L::source_width, &L::state_width, &L::out});
  using P = PointerGeneratorOptions;
  expect_refused_by<PointerGenerator>(
      P{.word_width = 3, .annotation_width = 5, .state_width = 7, .hidden = 2, .vocabulary = 11},
      {&P::word_width, &P::annotation_width, &P::state_width, &P::hidden, &P::vocabulary});
  using A = LocationAwareDecoderOptions;
  expect_refused_by<LocationAwareDecoder>(A{.word_width = 3,
                                            .annotation_width = 5,
                                            .state_width = 7,
                                            .hidden = 2,
                                            .readout = 2,
                                            .filters = 2,
                                            .kernel = 3},
                                          {&A::word_width, &A::annotation_width, &A::state_width,
                                           &A::hidden, &A::filters, &A::kernel, &A::readout});
}

TEST(HugeOptions, OfMemories) {
  using T = TuringMachineOptions;
  expect_refused_by<TuringMachine>(T{.input = 3,
                                     .output = 2,
                                     .hidden = 5,
                                     .slots = 7,
                                     .slot_width = 3,
                                     .read_heads = 1,
                                     .write_heads = 1},
                                   {&T::input, &T::output, &T::hidden, &T::slots, &T::slot_width,
                                    &T::read_heads, &T::write_heads, &T::reach});
  using G = NeuralGPUOptions;
  expect_refused_by<NeuralGPU>(G{.width = 3}, {&G::width, &G::kernel});
  using P = NeuralProgrammerOptions;
  expect_refused_by<NeuralProgrammer>(P{.vocabulary = 3, .width = 5}, {&P::vocabulary, &P::width});
  using M = MemoryNetworkOptions;
  expect_refused_by<MemoryNetwork>(M{.vocabulary = 7, .width = 5},
                                   {&M::vocabulary, &M::width, &M::hops, &M::slots});
  using Y = DynamicMemoryOptions;
  expect_refused_by<DynamicMemory>(Y{.width = 5}, {&Y::width, &Y::hidden});
  for (const Index hidden : kHuge) EXPECT_THROW(AttentionGRU(3, hidden), Error) << hidden;
  using D = LSTMNDecoderOptions;
  expect_refused_by<LSTMNDecoder>(
      D{.input = 3, .hidden = 5, .source = 5, .fusion = Fusion::deep, .attention = 2},
      {&D::input, &D::hidden, &D::source, &D::attention});
  expect_refused_by<LSTMNDecoder>(
      D{.input = 3, .hidden = 5, .source = 2, .fusion = Fusion::shallow, .attention = 2},
      {&D::input, &D::hidden, &D::source, &D::attention});
}

TEST(HugeOptions, OfSelfAttention) {
  using D = DifferentialHeadsOptions;
  expect_refused_by<DifferentialHeads>(D{.width = 4, .heads = 2, .head_width = 2},
                                       {&D::width, &D::heads, &D::head_width, &D::kv_heads});
  expect_refused_by<DifferentialHeads>(
      D{.kind = DifferentialKind::v2, .width = 4, .heads = 2, .head_width = 2, .kv_heads = 1},
      {&D::width, &D::heads, &D::head_width, &D::kv_heads});
  using F = ForgettingHeadsOptions;
  expect_refused_by<ForgettingHeads>(F{.width = 4, .heads = 2, .head_width = 4},
                                     {&F::width, &F::heads, &F::head_width});
  using L = LatentHeadsOptions;
  expect_refused_by<LatentHeads>(
      L{.width = 4, .heads = 2, .latent = 3, .query_latent = 5, .head_width = 4, .rotary_width = 2},
      {&L::width, &L::heads, &L::latent, &L::query_latent, &L::head_width, &L::rotary_width,
       &L::value_width});
  using N = NativeSparseOptions;
  expect_refused_by<NativeSparseHeads>(N{.width = 4, .heads = 2, .head_width = 4},
                                       {&N::width, &N::heads, &N::kv_heads, &N::head_width,
                                        &N::block, &N::hidden, &N::initial, &N::local});
  using V = ValueResidualOptions;
  expect_refused<V>(V{.width = 4, .heads = 2, .head_width = 4, .layers = 1},
                    {&V::width, &V::heads, &V::head_width},
                    [](const V& o) { ValueResidualHeads(o, 0); });
  using X = TransformerXLOptions;
  expect_refused_by<TransformerXLLayer>(X{.width = 6, .heads = 2},
                                        {&X::width, &X::heads, &X::hidden});
  using A = AttentionFreeFullOptions;
  expect_refused_by<AttentionFreeFull>(A{.width = 3, .max_length = 7, .window = 2},
                                       {&A::width, &A::max_length, &A::window, &A::rank});
  for (const Index width : kHuge) {
    EXPECT_THROW(MultiTokenPrediction({.transformer = {.width = width, .heads = 1}}), Error);
  }
}

TEST(HugeOptions, OfSets) {
  using H = HopfieldOptions;
  expect_refused_by<Hopfield>(
      H{.state_width = 4, .head_width = 4},
      {&H::state_width, &H::stored_width, &H::head_width, &H::heads, &H::output});
  using R = PerceiverReadOptions;
  expect_refused_by<PerceiverRead>(R{.width = 6, .input_width = 5, .heads = 2},
                                   {&R::width, &R::input_width, &R::heads, &R::hidden});
  using P = PerceiverOptions;
  expect_refused_by<Perceiver>(
      P{.input_width = 5, .latents = 3, .width = 6, .heads = 2, .query_width = 4},
      {&P::input_width, &P::latents, &P::width, &P::heads, &P::hidden, &P::query_width});
  using N = NeuralProcessOptions;
  expect_refused_by<NeuralProcess>(N{.input = 3, .output = 2, .width = 4, .heads = 2},
                                   {&N::input, &N::output, &N::width, &N::heads});
}

TEST(HugeOptions, OfGraphs) {
  using A = GraphAttentionOptions;
  for (const bool average : {false, true}) {
    expect_refused_by<GraphAttention>(
        A{.input = 3, .head_width = 4, .heads = 2, .average = average},
        {&A::input, &A::head_width, &A::heads});
  }
  using T = GraphTransformerOptions;
  expect_refused_by<GraphTransformer>(T{.transformer = {.width = 6, .heads = 2, .hidden = 5},
                                        .positions = 2,
                                        .max_distance = 3,
                                        .max_degree = 5},
                                      {&T::positions, &T::max_distance, &T::max_degree});
  using S = TreeAttentionOptions;
  expect_refused_by<TreeAttention>(S{.width = 5, .hidden = 3}, {&S::width, &S::hidden});
}

TEST(HugeOptions, OfPairs) {
  using G = GatedAttentionOptions;
  expect_refused_by<GatedAttentionReader>(G{.input = 3, .hidden = 5, .hops = 2},
                                          {&G::input, &G::hidden});
  using T = TwoStreamsOptions;
  expect_refused_by<TwoStreams>(
      T{.width = 4, .other_width = 6, .heads = 2},
      {&T::width, &T::other_width, &T::heads, &T::hidden, &T::other_hidden});
  for (const Index width : kHuge) EXPECT_THROW(WordByWord{width}, Error) << width;
}

TEST(HugeOptions, OfBlocksOfAMask) {
  for (const Index block : kHuge) {  // one holds all
    Generator generator(3);
    const Mask mask = masks::bigbird(7, {.block = block}, generator);
    const Array may = mask.tensor({7, 7}).array().expand({7, 7});
    EXPECT_EQ(may.to_vector<bool>(), std::vector<bool>(49, true)) << block;
  }
}

TEST(HugeOptions, OfTheOthers) {
  using S = SummariserOptions;
  expect_refused_by<Summariser>(S{.source_words = 7,
                                  .target_words = 11,
                                  .source_width = 3,
                                  .target_width = 2,
                                  .context = 2,
                                  .window = 1,
                                  .hidden = 5},
                                {&S::source_words, &S::target_words, &S::source_width,
                                 &S::target_width, &S::hidden, &S::context});
  using C = CoupledOptions;
  expect_refused_by<CoupledAttention>(C{.width = 5, .slices = 3, .labels = 2},
                                      {&C::width, &C::slices, &C::hidden, &C::labels});
  using M = MultiPerspectiveOptions;
  expect_refused_by<MultiPerspectiveMatching>(M{.hidden = 3, .perspectives = 2},
                                              {&M::hidden, &M::perspectives});
  using B = BiMPMOptions;
  expect_refused_by<BiMPM>(B{.width = 3, .hidden = 2, .perspectives = 5},
                           {&B::width, &B::hidden, &B::perspectives});
  using H = CoAttentionHierarchyOptions;
  expect_refused_by<CoAttentionHierarchy>(H{.width = 5, .hidden = 3, .answers = 2},
                                          {&H::width, &H::hidden, &H::answers});
  using V = ConvSeq2SeqOptions;
  expect_refused_by<ConvEncoder>(V{.width = 5, .hidden = 3, .layers = 1, .kernel = 3},
                                 {&V::width, &V::hidden, &V::kernel});
  using G = GlimpseOptions;
  expect_refused_by<GlimpseNetwork>(G{.size = 3, .scales = 2},
                                    {&G::size, &G::scales, &G::channels});
  using R = RelativeOptions;
  expect_refused<R>(R{.key_width = 5, .value_width = 3, .clip = 2},
                    {&R::key_width, &R::value_width, &R::clip},
                    [](const R& o) { RelativePositions{o}; });
  for (const Index heads : kHuge) EXPECT_THROW(Alibi(heads, DType::f32), Error) << heads;
}

TEST(HugeOptions, OfVision) {
  for (const Index size : kHuge) {
    EXPECT_THROW(SqueezeExcitation(size, 1), Error) << size;
    EXPECT_THROW(SqueezeExcitation(5, size), Error) << size;
    EXPECT_THROW(ChannelGate(size, 2), Error) << size;
    EXPECT_THROW(PlaceGate(size | 1), Error) << size;
    EXPECT_THROW(EfficientChannelAttention(5, size | 1), Error) << size;
    EXPECT_THROW(CoordConv(size, 2, 1), Error) << size;
    EXPECT_THROW(CoordConv(2, size, 1), Error) << size;
    EXPECT_THROW(PatchMerging{size}, Error) << size;
  }
  using N = NonLocalOptions;
  expect_refused_by<NonLocal>(N{.width = 5, .inner = 3}, {&N::width, &N::inner});
  using A = AugmentedConvolutionOptions;
  expect_refused_by<AugmentedConvolution>(
      A{.in = 3, .out = 5, .kernel = 1, .key_width = 2, .value_width = 2, .height = 3, .width = 5},
      {&A::in, &A::out, &A::kernel, &A::heads, &A::key_width, &A::value_width, &A::height,
       &A::width});
  using D = DrawOptions;
  expect_refused_by<DrawAttention>(D{.state_width = 3, .size = 2, .height = 5, .width = 7},
                                   {&D::state_width});
  using F = DeformableOptions;
  expect_refused_by<DeformableAttention>(F{.width = 4, .heads = 2, .levels = 1, .points = 2},
                                         {&F::width, &F::heads, &F::levels, &F::points});
  using T = SpatialTransformerOptions;
  expect_refused_by<SpatialTransformer>(T{.features = 3, .height = 5, .width = 7}, {&T::features});
  using V = VisionTransformerOptions;
  expect_refused_by<VisionTransformer>(V{.height = 4,
                                         .width = 6,
                                         .channels = 1,
                                         .patch = 2,
                                         .classes = 3,
                                         .layers = 1,
                                         .embedding = 4,
                                         .heads = 2},
                                       {&V::height, &V::width, &V::channels, &V::patch, &V::classes,
                                        &V::embedding, &V::heads, &V::hidden});
  using B = SwinBlockOptions;
  expect_refused_by<SwinBlock>(B{.width = 4, .heads = 2, .window = 2},
                               {&B::width, &B::heads, &B::window, &B::shift, &B::hidden});
  using W = SwinOptions;
  expect_refused_by<Swin>(W{.channels = 1,
                            .patch = 2,
                            .classes = 3,
                            .width = 4,
                            .depths = {1},
                            .heads = {2},
                            .window = 2},
                          {&W::channels, &W::patch, &W::classes, &W::width, &W::window});
}

}  // namespace
}  // namespace heed::attention
