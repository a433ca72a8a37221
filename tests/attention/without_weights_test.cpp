// Weights are made only for those who ask: a call that says nothing of them has none.
#include <gtest/gtest.h>

#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "numbers.h"

namespace heed::attention {
namespace {

void expect_none(const Tensor& weights, int line) { EXPECT_FALSE(weights.defined()) << line; }
void expect_none(const Attended& out, int line) { expect_none(out.weights, line); }
void expect_none(const std::vector<Tensor>& weights, int line) {
  EXPECT_TRUE(weights.empty()) << line;
}
#define EXPECT_NONE(...) expect_none(__VA_ARGS__, __LINE__)

constexpr Index kB = 2, kT = 5, kN = 7, kE = 4;

class WithoutWeights : public testing::Test {
 protected:
  WithoutWeights() { manual_seed(3); }
  Tensor x = randn({kB, kT, kE}), y = randn({kB, kN, kE});
};

TEST_F(WithoutWeights, OfDecodersAndGraphs) {
  const MonotonicHeads heads({.width = kE, .heads = 2});
  EXPECT_NONE(heads(x, y).weights);
  EXPECT_NONE(SmoothedAttention(kE, kE, 1)(x, y));
  const Summariser summariser(
      {.source_words = 5, .target_words = 5, .source_width = 3, .target_width = 2, .hidden = 3});
  const Tensor ids = indices({1, 2, 3, 4}, {2, 2});
  EXPECT_NONE(summariser(ids, ids).weights);
  const GraphAttention graph({.input = kE, .head_width = 3});
  EXPECT_NONE(graph(select(x, 0, 0), Edges({0, 1}, {1, 2}, kT)));
}

TEST_F(WithoutWeights, OfMemories) {
  const AdaptiveComputation ponders(
      {.state = kE,
       .cell = [](const Tensor&, const Tensor& state) { return state; },
       .max_steps = 3});
  EXPECT_NONE(ponders(x).weights);
  EXPECT_NONE(ponders.step(select(x, 1, 0)).weights);
  EXPECT_NONE(DynamicMemory({.width = kE})(x, select(x, 1, 0)).weights);
  EXPECT_NONE(KeyValueMemory({.features = kE, .width = 3})(x, y, y).weights);
  EXPECT_NONE(LSTMN({.input = kE, .hidden = 3})(x).weights);
  EXPECT_NONE(MemoryNetwork({.vocabulary = 11, .width = 3})(randint(0, 11, {kB, 3, kT}),
                                                            randint(0, 11, {kB, kT}))
                  .weights);
  const MemoryStream stream({.width = kE});
  MemoryStreamState state;
  EXPECT_NONE(stream(x, x).weights);
  EXPECT_NONE(stream(x, x, state).weights);
  EXPECT_NONE(
      PointerSentinel(kE)(x, softmax(randn({kB, kT, 3}), -1), randint(0, 3, {kB, kT})).weights);
  EXPECT_NONE(NeuralComputer({.input = kE, .output = 3, .hidden = 2})(x).weights);
  EXPECT_NONE(TuringMachine({.input = kE, .output = 3, .hidden = 2})(x).weights);
}

TEST_F(WithoutWeights, OfPairs) {
  EXPECT_NONE(AttentionOverAttention()(x, y).by_query);
  const BiDirectional both(kE);
  EXPECT_NONE(both(x, y).of_context);
  EXPECT_NONE(both(x, y).weights);
  const CoAttentionOptions options{.question_width = kE, .image_width = kE, .hidden = 3};
  const ParallelCoAttention parallel(options);
  const AlternatingCoAttention alternating(options);
  for (const CoAttention* each :
       std::initializer_list<const CoAttention*>{&parallel, &alternating}) {
    const CoAttentionOutput out = (*each)(x, y);
    EXPECT_NONE(out.image);
    EXPECT_NONE(out.question);
    EXPECT_NONE(out.summary);
  }
  EXPECT_NONE(parallel(x, y).image);
  EXPECT_NONE(alternating(x, y).image);
  EXPECT_NONE(alternating.to_image(y, Tensor(), randn({kB, kE})));
  const CoAttentionHierarchy hierarchy({.width = kE, .answers = 3});
  for (const CoAttentionOutput& level : hierarchy(x, y).levels) EXPECT_NONE(level.image);
  const CoupledMultiLayerAttention coupled({.width = kE, .slices = 2});
  EXPECT_NONE(coupled(x).aspect.weights);
  EXPECT_NONE(coupled(x).opinion.weights);
  EXPECT_NONE(GatedAttentionReader({.input = kE, .hidden = 2})(x, y).by_place);
  EXPECT_NONE(gated_attention(x, y));
  EXPECT_NONE(GatedMatching({.width = kE, .hidden = 3})(x, y));
  EXPECT_NONE(SelfMatching({.width = kE, .hidden = 3})(x));
  const StackedAttention stacked({.width = kE, .hidden = 3});
  EXPECT_NONE(stacked(select(x, 1, 0), y).weights);
  const TwoStreams streams({.width = kE, .other_width = kE});
  EXPECT_NONE(streams(x, y).x);
  EXPECT_NONE(streams(x, y).y);
}

TEST_F(WithoutWeights, OfEntailment) {
  const auto expect = [](const PairOutput& out) {
    EXPECT_NONE(out.weights);
    EXPECT_NONE(out.premise_weights);
  };
  expect(BiMPM({.width = kE, .hidden = 3, .perspectives = 2})(x, y));
  expect(DecomposableAttention({.width = kE, .hidden = 3})(x, y));
  expect(LSTMNPair(kE, 3)(x, y));
  expect(TwoWay(kE, 3)(x, y));
  expect(ESIM({.width = kE, .hidden = 3})(x, y));
  EXPECT_NONE(WordByWord(kE)(x, y).weights);
  EXPECT_NONE(OneShotAttention(kE)(x, select(y, 1, 0)).weights);
  const MultiPerspectiveMatching views({.hidden = 2, .perspectives = 2});
  EXPECT_NONE(views(x, y).premise_weights);
  EXPECT_NONE(views(x, y).hypothesis_weights);
}

TEST_F(WithoutWeights, OfPoolingAndSets) {
  const Hierarchical levels(std::vector<HierarchicalLevel>{{.width = kE}});
  EXPECT_NONE(levels(x, {{kT, 3}}).weights);
  EXPECT_NONE(levels(pack(x, {kT, 3}), {}).weights);
  EXPECT_NONE(SourceToToken(kE)(x));
  EXPECT_NONE(TokenToToken(kE)(x));
  const AttentionPooling pooling(kE);
  EXPECT_NONE(pooling(x));
  EXPECT_NONE(pooling(pack(x, {kT, 3})));
  const HopfieldOptions hopfield{.state_width = kE, .head_width = 3};
  EXPECT_NONE(Hopfield(hopfield)(x, y));
  EXPECT_NONE(HopfieldPooling(hopfield)(x));
  EXPECT_NONE(HopfieldLayer(hopfield, 3)(x));
  const Perceiver perceiver({.input_width = kE, .latents = 3, .width = kE, .query_width = kE});
  EXPECT_NONE(perceiver(x));
  EXPECT_NONE(perceiver(x, y));
  EXPECT_NONE(InducedSetBlock({.width = kE}, 3)(x));
  EXPECT_NONE(SetPooling({.width = kE})(x));
  EXPECT_NONE(SetTransformer({.blocks = {.width = kE}})(x));
  const SlotAttention slots({.input = kE, .width = kE});
  EXPECT_NONE(slots(y, x));
  EXPECT_NONE(slots(3, x));
  EXPECT_NONE(TreeAttention({.width = kE, .hidden = 3})(x));
}

TEST_F(WithoutWeights, OfImages) {
  const Tensor map = randn({kB, kE, 5, 7});
  EXPECT_NONE(ChannelGate(kE, 2)(map));
  EXPECT_NONE(PlaceGate()(map));
  EXPECT_NONE(CBAM(kE, 2)(map));
  EXPECT_NONE(EfficientChannelAttention(kE)(map));
  EXPECT_NONE(SqueezeExcitation(kE, 2)(map));
  EXPECT_NONE(SwinBlock({.width = kE, .window = 3})(randn({kB, 3, 5, kE})));
  const Swin swin({.classes = 3, .width = 6, .depths = {1}, .heads = {2}, .window = 2});
  EXPECT_NONE(swin(randn({1, 3, 8, 8})).weights);
}

}  // namespace
}  // namespace heed::attention
