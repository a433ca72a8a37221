// What mechanisms refuse, in full: each reason alone, with the numbers that came.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../attention/attention.h"
#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../support/throws.h"
#include "borrowed.h"
#include "numbers.h"

namespace heed::attention {
namespace {

TEST(BadCalls, OfScoresThatDecodersHaveNoPlaceFor) {
  LocationAware back({.query_width = 3, .key_width = 3, .hidden = 2, .kernel = 3});
  FeatureWise by_feature(3, 3, 2, 3);
  Dot dot;
  const auto bahdanau = [&](Score& score) {
    BahdanauDecoder({.word_width = 2,
                     .annotation_width = 3,
                     .state_width = 3,
                     .start_width = 1,
                     .score = borrowed(score)});
  };
  const std::string none =
      "bahdanau_decoder: takes no score that looks back, and none for each "
      "feature";
  EXPECT_ERROR(ValueError, none, bahdanau(back));
  EXPECT_ERROR(ValueError, none, bahdanau(by_feature));
  EXPECT_NO_THROW(bahdanau(dot));
  const auto aware = [&](Index window, Score& score, std::shared_ptr<Normaliser> normaliser = {}) {
    LocationAwareDecoder({.word_width = 2,
                          .annotation_width = 3,
                          .state_width = 3,
                          .window = window,
                          .normaliser = std::move(normaliser),
                          .score = borrowed(score)});
  };
  EXPECT_ERROR(ValueError, "location_aware_decoder: takes no score for each feature",
               aware(0, by_feature));
  EXPECT_ERROR(ValueError,
               "location_aware_decoder: a window wants a score that uses previous weights",
               aware(1, dot));
  EXPECT_ERROR(ValueError,
               "location_aware_decoder: with a window takes no normaliser that goes on from query "
               "to query",
               aware(1, back, std::make_shared<Monotonic>()));
  EXPECT_NO_THROW(aware(0, dot));
  EXPECT_NO_THROW(aware(1, back, std::make_shared<Sparsemax>()));
  EXPECT_NO_THROW(aware(0, back, std::make_shared<Monotonic>()));
  const auto hard = [](Score& score) { HardMonotonic({.score = borrowed(score)}); };
  const std::string hard_none =
      "HardMonotonic: takes no score for each feature, and none that looks back at weights";
  EXPECT_ERROR(ValueError, hard_none, hard(back));
  EXPECT_ERROR(ValueError, hard_none, hard(by_feature));
}

TEST(BadCalls, OfSpans) {
  for (const Index span : {-1, 1}) {
    EXPECT_NO_THROW(LSTMN({.input = 2, .hidden = 3, .span = span}));
    EXPECT_NO_THROW(LSTMNDecoder({.input = 2, .hidden = 3, .source = 3, .span = span}));
  }
  for (const Index span : {-2, 0}) {
    const std::string rest = ": a span of " + std::to_string(span) + " steps; -1 is no bound";
    EXPECT_ERROR(ValueError, "LSTMN" + rest, LSTMN({.input = 2, .hidden = 3, .span = span}));
    EXPECT_ERROR(ValueError, "LSTMNDecoder" + rest,
                 LSTMNDecoder({.input = 2, .hidden = 3, .source = 3, .span = span}));
  }
}

TEST(BadCalls, OfSteps) {
  const Coverage coverage(3, 5, 2);
  const Memory memory = coverage.prepare(zeros({2, 7, 5}), zeros({2, 7, 5}));
  Past past;
  EXPECT_ERROR(ShapeError, "coverage: a step's query must be [2, dq], not f32[4, 3]",
               coverage.step(zeros({4, 3}), memory, past));
  EXPECT_ERROR(ShapeError, "coverage: a step's query must be [2, dq], not f32[2, 1, 3]",
               coverage.step(zeros({2, 1, 3}), memory, past));
  past.weights = zeros({2, 7});
  EXPECT_ERROR(ShapeError, "coverage: the past must be f32[2, 1, 7], not f32[2, 7]",
               coverage.step(zeros({2, 3}), memory, past));
  past.weights = zeros({2, 1, 7}, DType::f64);
  EXPECT_ERROR(ShapeError, "coverage: the past must be f32[2, 1, 7], not f64[2, 1, 7]",
               coverage.step(zeros({2, 3}), memory, past));
  const LuongDecoder luong({.word_width = 2, .source_width = 3, .state_width = 3});
  EXPECT_ERROR(ShapeError, "luong_decoder: 2 first states for 1 layers",
               luong.start(zeros({2, 5, 3}), {}, {{}, {}}));
  const PointerNetwork pointer({.input_width = 2, .key_width = 3, .state_width = 3});
  for (const Shape& shape : {Shape{2, 7, 3}, Shape{4, 5, 3}}) {
    EXPECT_ERROR(ShapeError,
                 "pointer_network: keys f32" + heed::to_string(shape) +
                     " and inputs f32[2, 5, 2] differ in rows or places",
                 pointer.start(zeros(shape), zeros({2, 5, 2})));
  }
  const Local local(LocalOptions{});
  EXPECT_ERROR(
      DTypeError, "local: query and values differ in dtype: f32[2, 7, 5] and f64[2, 11, 3]",
      local(zeros({2, 7, 5}), zeros({2, 11, 5}, DType::f64), zeros({2, 11, 3}, DType::f64)));
}

TEST(BadCalls, OfWritingWhileReading) {
  const auto silent = [](Index, Index, bool) { return std::optional<Index>(); };
  const auto none = [] { return false; };
  const std::string rest =
      "write_while_reading: somebody must read and write, up to a length that is not negative, "
      "not ";
  EXPECT_ERROR(ValueError, rest + "4", write_while_reading({.read = none, .write = {}}, 9, 4));
  EXPECT_ERROR(ValueError, rest + "4", write_while_reading({.read = {}, .write = silent}, 9, 4));
  EXPECT_ERROR(ValueError, rest + "-1",
               write_while_reading({.read = none, .write = silent}, 9, -1));
  EXPECT_TRUE(write_while_reading({.read = none, .write = silent}, 9, 0).words.empty());
}

TEST(BadCalls, OfMemories) {
  const NeuralComputer computer({.input = 2, .output = 3});
  EXPECT_ERROR(ShapeError, "NeuralComputer: a batch of -1", computer.begin(-1));
  EXPECT_EQ(computer.begin(0).usage.size(0), 0);
  const TuringMachine machine({.input = 2, .output = 3});
  EXPECT_ERROR(ShapeError, "TuringMachine: a batch of -1", machine.begin(-1));
  EXPECT_EQ(machine.begin(0).memory.size(0), 0);
  EXPECT_ERROR(ShapeError, "NeuralComputer: write weights must be [B, N], not f32[3]",
               link_memory(zeros({3, 3}), zeros({3}), zeros({3})));
  const MemoryStream stream({.width = 4});
  EXPECT_ERROR(ShapeError,
               "memory_stream: values must be [B, T, 4], as the keys are, not f32[2, 3, 4]",
               stream(zeros({2, 5, 4}), zeros({2, 3, 4})));
  EXPECT_ERROR(ShapeError,
               "memory_stream: keys must be [B, T, 4], as the keys are, not f32[2, 5, 3]",
               stream(zeros({2, 5, 3}), zeros({2, 5, 3})));
  const KeyValueMemory pairs({.features = 3, .width = 2});
  EXPECT_ERROR(ShapeError, "KeyValueMemory: 2 rows of queries and 4 of values",
               pairs(zeros({2, 5, 3}), zeros({2, 7, 3}), zeros({4, 7, 3})));
  EXPECT_ERROR(ShapeError,
               "pointer_sum: weights and ids must both be [B, D], not f32[3] and i64[3]",
               pointer_sum(zeros({3}), indices({0, 1, 2}, {3}), 5));
  EXPECT_ERROR(ShapeError,
               "pointer_sum: weights and ids must both be [B, D], not f32[1, 2] and i64[1, 3]",
               pointer_sum(zeros({1, 2}), indices({0, 1, 2}, {1, 3}), 5));
}

TEST(BadCalls, OfCaches) {
  KeyValueCache cache;
  cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 1, 7}));
  EXPECT_ERROR(ShapeError, "key_value_cache: keys must be [B, H, T, D], not f32[2, 3, 5]",
               cache.append(zeros({2, 3, 5}), zeros({2, 3, 1, 7})));
  EXPECT_ERROR(DTypeError,
               "key_value_cache: keys are f64[2, 3, 1, 5], the cache holds f32[2, 3, 16, 5]",
               cache.append(zeros({2, 3, 1, 5}, DType::f64), zeros({2, 3, 1, 7})));
  for (const Shape& shape : {Shape{4, 3, 1, 5}, Shape{2, 1, 1, 5}, Shape{2, 3, 1, 6}}) {
    EXPECT_ERROR(ShapeError,
                 "key_value_cache: keys are f32" + heed::to_string(shape) +
                     ", the cache holds f32[2, 3, 16, 5] (all but axis 2 must agree)",
                 cache.append(zeros(shape), zeros({2, 3, 1, 7})));
  }
  EXPECT_ERROR(
      ShapeError,
      "key_value_cache: keys f32[2, 3, 1, 5] and values f32[2, 3, 2, 7] differ in rows or steps",
      cache.append(zeros({2, 3, 1, 5}), zeros({2, 3, 2, 7})));
  EXPECT_ERROR(ValueError, "key_value_cache: it holds keys and values, not states",
               cache.go_on({zeros({2})}, 1));
  KeyValueCache states;
  states.go_on({zeros({2})}, 3);
  EXPECT_EQ(states.length(), 3);
  EXPECT_ERROR(ValueError, "key_value_cache: it holds states, not keys and values",
               states.append(zeros({2, 3, 1, 5}), zeros({2, 3, 1, 7})));
  EXPECT_NO_THROW(KeyValueCache({.sinks = 0, .window = 1}));
  EXPECT_NO_THROW(KeyValueCache({.sinks = 1, .window = 1}));
}

TEST(BadCalls, OfHeads) {
  EXPECT_ERROR(
      ValueError, "differential_heads: 3 heads over 2 of keys do not divide",
      DifferentialHeads(
          {.kind = DifferentialKind::v2, .width = 6, .heads = 3, .head_width = 2, .kv_heads = 2}));
  EXPECT_ERROR(ValueError, "differential_heads: 2 heads over 1 of keys: v1 has as many of both",
               DifferentialHeads({.width = 8, .heads = 2, .kv_heads = 1}));
  EXPECT_ERROR(ValueError, "multi_head: rotary needs an even head width, not 3",
               MultiHead({.width = 6, .heads = 2, .rotary = true}));
  const GraphTransformer graphs({.transformer = {.width = 4, .heads = 1, .hidden = 3}});
  EXPECT_ERROR(ShapeError, "graph_transformer: 1 graphs for h f32[2, 5, 4]",
               graphs(zeros({2, 5, 4}), {.lengths = {5}}));
  EXPECT_ERROR(ShapeError,
               "place_gate: map must be [B, C, H, W] with channels, not f32[2, 0, 3, 3]",
               PlaceGate()(zeros({2, 0, 3, 3})));
  EXPECT_ERROR(ShapeError, "place_gate: map must be [B, C, H, W] with channels, not f32[2, 3, 3]",
               PlaceGate()(zeros({2, 3, 3})));
}

}  // namespace
}  // namespace heed::attention
