// What takes a batch [B, n, width] refuses everything else in its own name, and says which of its
// arguments it was: one that is undefined, of other axes, of another width, of another dtype.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../support/throws.h"
#include "numbers.h"

namespace heed::attention {
namespace {

constexpr Index kB = 2, kN = 5, kD = 3;

using Call = std::function<void(const Tensor&)>;

// `name` is "who: which argument".
void expect_batch(const std::string& name, const Call& call, Index width = kD) {
  EXPECT_ERROR(GradError, name + " is undefined", call(Tensor()));
  for (const Shape& shape : {Shape{width}, Shape{kN, width}, Shape{kB, 7, kN, width}}) {
    EXPECT_ERROR(ShapeError, name + " must be [B, n, width], not f32" + heed::to_string(shape),
                 call(zeros(shape)));
  }
  EXPECT_NO_THROW(call(zeros({kB, kN, width}))) << name;
}

// Of a width and a dtype, too.
void expect_features(const std::string& name, const Call& call, const Shape& good = {kB, kN, kD}) {
  const Index last = good.rank() - 1;
  Shape wide = good;
  wide[last] = 7;
  EXPECT_ERROR(ShapeError,
               name + " must be [.., n, " + std::to_string(good[last]) + "], not f32" +
                   heed::to_string(wide),
               call(zeros(wide)));
  EXPECT_ERROR(DTypeError, name + " must be f32, not f64" + heed::to_string(good),
               call(zeros(good, DType::f64)));
  EXPECT_NO_THROW(call(zeros(good))) << name;
}

void expect_both(const std::string& name, const Call& call, Index width = kD) {
  expect_batch(name, call, width);
  expect_features(name, call, {kB, kN, width});
}

// And of as many rows as the argument before.
void expect_all(const std::string& name, const Call& call) {
  expect_both(name, call);
  EXPECT_ERROR(ShapeError, name + " must have 2 rows, not 7: f32[7, 5, 3]",
               call(zeros({7, kN, kD})));
}

Tensor good() { return zeros({kB, kN, kD}); }

TEST(BadBatches, OfDecodersSources) {
  const ConvEncoder encoder({.width = kD});
  expect_both("conv_seq2seq: x", [&](const Tensor& x) { encoder(x); });
  const ConvDecoder convolutional({.width = kD});
  for (const Shape& shape : {Shape{kN, kD}, Shape{kB, 7, kN, kD}}) {
    const std::string text =
        "conv_seq2seq: source must be [B, n, width], not f32" + heed::to_string(shape);
    EXPECT_ERROR(ShapeError, text, convolutional.start(Memory(zeros(shape), good())));
    EXPECT_ERROR(ShapeError, text, convolutional.start(Memory(good(), zeros(shape))));
  }
  expect_features("conv_seq2seq: source", [&](const Tensor& x) {
    convolutional.start(Memory(x, zeros({kB, kN, kD}, x.dtype())));
  });
  EXPECT_ERROR(ShapeError, "conv_seq2seq: source must be [.., n, 3], not f32[2, 5, 7]",
               convolutional.start(Memory(good(), zeros({kB, kN, 7}))));
  const BahdanauDecoder bahdanau(
      {.word_width = kD, .annotation_width = kD, .state_width = 2, .start_width = 1});
  expect_batch("bahdanau_decoder: keys", [&](const Tensor& x) { bahdanau.start(x); });
  const LocationAwareDecoder aware(
      {.word_width = kD, .annotation_width = kD, .state_width = 2, .kernel = 3});
  expect_batch("location_aware_decoder: keys", [&](const Tensor& x) { aware.start(x); });
  const LuongDecoder luong({.word_width = kD, .source_width = kD, .state_width = kD});
  expect_both("luong_decoder: source", [&](const Tensor& x) { luong.start(x); });
  const PointerGenerator generator(
      {.word_width = kD, .annotation_width = kD, .state_width = 2, .vocabulary = 7});
  const Tensor ids = indices(std::vector<Index>(kB * kN, 1), {kB, kN});
  expect_both("pointer_generator: annotations", [&](const Tensor& x) { generator.start(x, ids); });
  const PointerNetwork pointer({.input_width = kD, .key_width = kD, .state_width = 2});
  expect_both("pointer_network: inputs", [&](const Tensor& x) { pointer.start(good(), x); });
  const SubsetPointer subset(kD, 2);
  expect_both("subset_pointer: keys", [&](const Tensor& x) { subset.pick(x, {kN, kN}, 1); });
  const LSTMNDecoder deep({.input = kD, .hidden = kD, .source = kD});
  expect_both("LSTMNDecoder: the source's hidden tape",
              [&](const Tensor& x) { deep.start(x, good()); });
  expect_both("LSTMNDecoder: the source's memory tape",
              [&](const Tensor& x) { deep.start(good(), x); });
  LSTMNDecoder::State state = deep.start(good(), good());
  expect_both("LSTMNDecoder: x", [&](const Tensor& x) { deep.run(x, state); });
}

TEST(BadBatches, OfDecodersLooks) {
  const Coverage coverage(kD, kD, 2);
  expect_batch("coverage: keys", [&](const Tensor& x) { coverage.prepare(x, good()); });
  expect_features("coverage: keys", [&](const Tensor& x) { coverage.score.prepare(x); });
  expect_batch("coverage: values", [&](const Tensor& x) { coverage.prepare(good(), x); });
  const Local local(LocalOptions{});
  expect_batch("local: keys", [&](const Tensor& x) { local(good(), x, good()); });
  expect_batch("local: values", [&](const Tensor& x) { local(good(), good(), x); });
  expect_batch("local: query", [&](const Tensor& x) { local(x, good(), good()); });
  const MonotonicHeads heads({.width = kD});
  expect_both("monotonic_heads: query", [&](const Tensor& x) { heads(x, good()); });
  expect_all("monotonic_heads: keys", [&](const Tensor& x) { heads(good(), x); });
  MonotonicStream stream = heads.stream();
  EXPECT_ERROR(GradError, "monotonic_heads: keys is undefined", stream.read(Tensor()));
  EXPECT_ERROR(GradError, "monotonic_heads: query is undefined", stream.write(Tensor()));
  expect_features("monotonic_heads: keys", [&](const Tensor& x) { stream.read(x); }, {kN, kD});
  EXPECT_ERROR(ShapeError, "monotonic_heads: query must be [.., n, 3], not f32[1, 1, 7]",
               stream.write(zeros({7})));
  EXPECT_ERROR(DTypeError, "monotonic_heads: query must be f32, not f64[1, 1, 3]",
               stream.write(zeros({kD}, DType::f64)));
  const MultiStepAttention steps(kD, kD);
  const Memory source = MultiStepAttention::memory(good(), good());
  expect_batch("multi_step: z", [&](const Tensor& x) { MultiStepAttention::memory(x, good()); });
  expect_both("multi_step: h", [&](const Tensor& x) { steps(x, good(), source); });
  expect_both("multi_step: g", [&](const Tensor& x) { steps(good(), x, source); });
  const Pointer pointer(kD, kD, 2);
  expect_batch("pointer: keys", [&](const Tensor& x) { pointer.prepare(x); });
  expect_batch("pointer: query", [&](const Tensor& x) { pointer(x, good()); });
  const SmoothedAttention smoothed(kD, kD, 1);
  expect_batch("smoothed_attention: x", [&](const Tensor& x) { smoothed.smoothed(x); });
  expect_all("smoothed_attention: query", [&](const Tensor& x) { smoothed(x, good()); });
  expect_both("smoothed_attention: keys", [&](const Tensor& x) { smoothed(good(), x); });
}

TEST(BadBatches, OfMemories) {
  const AttentionGRU gru(kD, 2);
  expect_both("dynamic_memory: facts", [&](const Tensor& x) { gru(x, zeros({kB, kN})); });
  const DynamicMemory episodes({.width = kD});
  const Tensor question = zeros({kB, kD});
  expect_both("dynamic_memory: facts", [&](const Tensor& x) { episodes(x, question); });
  const KeyValueMemory pairs({.features = kD, .width = 2});
  expect_both("KeyValueMemory: query", [&](const Tensor& x) { pairs(x, good(), good()); });
  expect_both("KeyValueMemory: keys", [&](const Tensor& x) { pairs(good(), x, good()); });
  expect_both("KeyValueMemory: values", [&](const Tensor& x) { pairs(good(), good(), x); });
  expect_both(
      "KeyValueMemory: query",
      [&](const Tensor& x) {
        pairs.scores(x, zeros({11, kD}));
      },
      2);
  expect_features("KeyValueMemory: candidates", [&](const Tensor& x) {
    pairs.scores(zeros({kB, kN, 2}), x);
  });
  EXPECT_ERROR(GradError, "KeyValueMemory: candidates is undefined",
               pairs.scores(zeros({kB, kN, 2}), Tensor()));
  EXPECT_ERROR(ShapeError, "KeyValueMemory: candidates must be [.., n, 3], not f32[3]",
               pairs.scores(zeros({kB, kN, 2}), zeros({kD})));
  const Tensor words = zeros({kB, kN, 7}), next = indices(std::vector<Index>(kB * kN, 1), {kB, kN});
  expect_batch("neural_cache: states", [&](const Tensor& x) { neural_cache(x, words, next, {}); });
  expect_batch("neural_cache: vocabulary",
               [&](const Tensor& x) { neural_cache(good(), x, next, {}); });
  EXPECT_ERROR(DTypeError, "neural_cache: takes f32 or f64, not i64",
               neural_cache(indices(std::vector<Index>(30, 0), {kB, kN, kD}), words, next, {}));
  const PointerSentinel sentinel(kD);
  expect_both("pointer_sentinel: states", [&](const Tensor& x) {
    sentinel(x, x.defined() ? zeros({kB, kN, 7}, x.dtype()) : words, next);
  });
  const NeuralGPU gpu({.width = kD});
  expect_both("neural_gpu: x", [&](const Tensor& x) { gpu(x); });
  const auto laid_out = [](const Tensor& keys, const Tensor& values) {
    Memory memory(keys, values);
    memory.lay_out_places();
  };
  for (const Shape& shape : {Shape{kN, kD}, Shape{kB, 7, kN, kD}}) {
    const std::string text = " must be [B, n, width], not f32" + heed::to_string(shape);
    EXPECT_ERROR(ShapeError, "memory: keys" + text, laid_out(zeros(shape), good()));
    EXPECT_ERROR(ShapeError, "memory: values" + text, laid_out(good(), zeros(shape)));
  }
}

TEST(BadBatches, OfPairs) {
  const CoAttentionHierarchy hierarchy({.width = kD, .answers = 2});
  expect_both("co_attention_hierarchy: words", [&](const Tensor& x) { hierarchy(x, good()); });
  expect_batch("co_attention_hierarchy: image", [&](const Tensor& x) { hierarchy(good(), x); });
  const ConditionalEncoding encoding(kD, 2);
  expect_both("conditional_encoding: premise", [&](const Tensor& x) { encoding(x, good()); });
  expect_all("conditional_encoding: hypothesis", [&](const Tensor& x) { encoding(good(), x); });
  const WordByWord by_word(kD);
  expect_both("word_by_word: premise", [&](const Tensor& x) { by_word(x, good()); });
  expect_all("word_by_word: hypothesis", [&](const Tensor& x) { by_word(good(), x); });
  const OneShotAttention one_shot(kD);
  expect_both("one_shot_attention: premise", [&](const Tensor& x) {
    one_shot(x, zeros({kB, kD}));
  });
  expect_features("one_shot_attention: last", [&](const Tensor& x) { one_shot(good(), x); },
                  {kB, kD});
  const GatedAttentionReader reader({.input = kD, .hidden = 2});
  expect_both("gated_attention: document", [&](const Tensor& x) { reader(x, good()); });
  expect_all("gated_attention: query", [&](const Tensor& x) { reader(good(), x); });
  expect_batch("gated_attention: document", [&](const Tensor& x) { gated_attention(x, good()); });
  expect_all("gated_attention: query", [&](const Tensor& x) { gated_attention(good(), x); });
  const GatedMatching matching({.width = kD, .hidden = 2});
  expect_both("gated_matching: passage", [&](const Tensor& x) { matching(x, good()); });
  expect_all("gated_matching: question", [&](const Tensor& x) { matching(good(), x); });
  const SelfMatching to_itself({.width = kD, .hidden = 2});
  expect_both("self_matching: passage", [&](const Tensor& x) { to_itself(x); });
  const LSTMNPair lstmn(kD, 2);
  expect_batch("lstmn_pair: premise", [&](const Tensor& x) { lstmn(x, good()); });
  expect_batch("lstmn_pair: hypothesis", [&](const Tensor& x) { lstmn(good(), x); });
  const StackedAttention stacked({.width = kD, .hidden = 2});
  expect_both("stacked_attention: image", [&](const Tensor& x) { stacked(good(), x); });
  expect_features("stacked_attention: query", [&](const Tensor& x) { stacked(x, good()); });
  EXPECT_ERROR(GradError, "stacked_attention: query is undefined", stacked(Tensor(), good()));
  EXPECT_ERROR(ShapeError, "stacked_attention: query must have 2 rows, not 7: f32[7, 5, 3]",
               stacked(zeros({7, kN, kD}), good()));
  const ESIM esim({.width = kD, .hidden = 2});
  expect_both("esim: premise", [&](const Tensor& x) { esim(x, good()); });
  expect_all("esim: hypothesis", [&](const Tensor& x) { esim(good(), x); });
}

TEST(BadBatches, OfPairsWithLengths) {
  const std::vector<Index> all = {kN, kN}, few = {kN}, far = {kN, 7};
  const ConditionalEncoding encoding(kD, 2);
  EXPECT_ERROR(ShapeError, "conditional_encoding: 1 lengths for 2 rows of premise",
               encoding(good(), good(), few, all));
  EXPECT_ERROR(ShapeError, "conditional_encoding: 1 lengths for 2 rows of hypothesis",
               encoding(good(), good(), all, few));
  EXPECT_ERROR(ShapeError, "conditional_encoding: mask: length 7 of row 1 is not in [0, 5]",
               encoding(good(), good(), far, all));
  EXPECT_ERROR(ShapeError, "conditional_encoding: mask: length 7 of row 1 is not in [0, 5]",
               encoding(good(), good(), all, far));
  const NeuralGPU gpu({.width = kD});
  expect_batch("neural_gpu: x", [&](const Tensor& x) { gpu(x, all); });
  const CoupledMultiLayerAttention coupled({.width = kD, .slices = 2, .labels = 2});
  expect_batch("coupled: tokens", [&](const Tensor& x) { coupled(x, all); });
  const CoAttentionHierarchy hierarchy({.width = kD, .answers = 2});
  expect_batch("co_attention_hierarchy: words",
               [&](const Tensor& x) { hierarchy(x, good(), all); });
  const WordByWord by_word(kD);
  expect_batch("word_by_word: hypothesis",
               [&](const Tensor& x) { by_word(good(), x, Mask(), all); });
  const GatedAttentionReader reader({.input = kD, .hidden = 2});
  expect_batch("gated_attention: document", [&](const Tensor& x) { reader(x, good(), all); });
  expect_batch("gated_attention: query", [&](const Tensor& x) { reader(good(), x, all, all); });
  const GatedMatching matching({.width = kD, .hidden = 2});
  expect_batch("gated_matching: passage", [&](const Tensor& x) { matching(x, good(), all); });
  const SelfMatching to_itself({.width = kD, .hidden = 2});
  expect_batch("self_matching: passage", [&](const Tensor& x) { to_itself(x, all); });
  const ESIM esim({.width = kD, .hidden = 2});
  expect_batch("esim: premise", [&](const Tensor& x) { esim(x, good(), all); });
  expect_batch("esim: hypothesis", [&](const Tensor& x) { esim(good(), x, all, all); });
}

TEST(BadBatches, OfPoolingsAndSets) {
  const SourceToToken source(kD);
  expect_both("source_to_token: x", [&](const Tensor& x) { source(x); });
  const TokenToToken token(kD);
  expect_both("token_to_token: x", [&](const Tensor& x) { token(x); });
  const Dot dot;
  expect_batch("box_attention: boxes", [&](const Tensor& x) {
    box_attention(dot, zeros({kB, kD}), x);
  });
  const AttentionPooling pooling(kD);
  expect_features("pooling: values", [&](const Tensor& x) { pooling(x); });
  expect_features("pooling: values",
                  [&](const Tensor& x) {
                    pooling(Packed{x, {0, 2, kN}});
                  },
                  {kN, kD});
  const HopfieldOptions options{.state_width = kD, .head_width = 2};
  const Hopfield hopfield(options);
  expect_both("hopfield: states", [&](const Tensor& x) { hopfield(x, good()); });
  expect_all("hopfield: stored", [&](const Tensor& x) { hopfield(good(), x); });
  const HopfieldLayer layer(options, 2);
  expect_both("hopfield: states", [&](const Tensor& x) { layer(x); });
  const Perceiver perceiver({.input_width = kD, .latents = 2, .width = 2, .query_width = kD});
  expect_both("perceiver: x", [&](const Tensor& x) { perceiver(x); });
  expect_all("perceiver: queries", [&](const Tensor& x) { perceiver(x, good()); });
  expect_both("perceiver: x", [&](const Tensor& x) { perceiver(good(), x); });
  const SlotAttention slots({.input = kD, .width = kD});
  expect_both("slot_attention: slots", [&](const Tensor& x) { slots(x, good()); });
  expect_all("slot_attention: x", [&](const Tensor& x) { slots(good(), x); });
  expect_both("slot_attention: x", [&](const Tensor& x) { slots(Index{2}, x); });
}

// Scores ask it of queries, of keys, and of keys that are prepared.
TEST(BadBatches, OfScores) {
  const auto expect_score = [](const std::string& name, const Score& score, Index prepared) {
    const Tensor keys = zeros({kB, kN, prepared});
    if (score.prepares()) {
      expect_features(name + ": keys", [&](const Tensor& x) { score.prepare(x); });
    }
    EXPECT_ERROR(GradError, name + ": query is undefined", score(Tensor(), keys));
    expect_features(name + ": query", [&](const Tensor& x) { score(x, keys); });
    expect_features(name + (score.prepares() ? ": prepared keys" : ": keys"),
                    [&](const Tensor& x) { score(good(), x); }, {kB, kN, prepared});
  };
  expect_score("additive", Additive(kD, kD, 2), 2);
  expect_score("coverage", CoverageScore(kD, kD, 2), 2);
  expect_score("feature_wise", FeatureWise(kD, kD, 2, 11), 2);
  expect_score("location_aware",
               LocationAware({.query_width = kD, .key_width = kD, .hidden = 2, .kernel = 3}), 2);
  expect_score("monotonic_energy",
               MonotonicEnergy({.query_width = kD, .key_width = kD, .hidden = 2}), 2);
  expect_score("general", General(kD, 2), 2);
  expect_score("bi_directional", Trilinear(kD), kD);
  expect_score("contextual_positions", ContextualPositions(kD, 4), kD);
  const LocationBased by_place(kD, 11);
  expect_features("location_based: query", [&](const Tensor& x) { by_place(x, good()); });
  expect_features("location_based: prepared keys", [&](const Tensor& x) { by_place(good(), x); });
  EXPECT_ERROR(GradError, "location_based: keys is undefined", by_place.prepare(Tensor()));
  EXPECT_ERROR(ShapeError, "location_based: keys must be [.., K, dk], not f32[3]",
               by_place.prepare(zeros({kD})));
}

}  // namespace
}  // namespace heed::attention
