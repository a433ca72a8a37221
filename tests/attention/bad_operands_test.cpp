// Operands that are undefined, and dtypes that no gradient could have, are refused by the name of
// what was called, whatever it does with them afterwards.
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

Tensor batch() { return zeros({kB, kN, kD}); }
Tensor whole_numbers(const Shape& shape) { return Tensor(Array::zeros(shape, DType::i64)); }

using Call = std::function<void(const Tensor&)>;

// `name` is "who: which operand".
void expect_defined(const std::string& name, const Call& call, const Tensor& good) {
  EXPECT_ERROR(GradError, name + " is undefined", call(Tensor()));
  EXPECT_NO_THROW(call(good)) << name;
}

void expect_floating(const std::string& who, const Call& call, const Shape& shape) {
  EXPECT_ERROR(DTypeError, who + ": takes f32 or f64, not i64", call(whole_numbers(shape)));
  EXPECT_NO_THROW(call(zeros(shape))) << who;
}

TEST(BadOperands, OfBiasesAndMaps) {
  expect_defined(
      "alibi: slopes", [](const Tensor& x) { Alibi{x}; }, zeros({kD}));
  expect_floating("alibi", [](const Tensor& x) { Alibi{x}; }, {kD});
  const Call gaussian = [](const Tensor& x) { gaussian_bias(x, kN, 2); };
  expect_defined("gaussian_bias: centres", gaussian, zeros({kD}));
  expect_floating("gaussian_bias", gaussian, {kD});
  expect_defined(
      "score_map: cap", [](const Tensor& x) { maps::soft_cap(x); }, ones({kD}));
  expect_defined(
      "score_map: slopes", [](const Tensor& x) { maps::slopes(x); }, zeros({kD}));
  const Tensor table = zeros({kD, 7}), distances = whole_numbers({kN, kN});
  expect_defined(
      "score_map: table", [&](const Tensor& x) { maps::by_distance(x, distances); }, table);
  expect_defined(
      "score_map: distances", [&](const Tensor& x) { maps::by_distance(table, x); }, distances);
  const RelativePositions relative({.key_width = kD, .value_width = kD, .clip = 2});
  expect_defined(
      "relative: query", [&](const Tensor& x) { relative.scores(x, kN, 1); }, batch());
  expect_defined(
      "relative: weights", [&](const Tensor& x) { relative.context(x); }, zeros({kB, kN, 7}));
}

TEST(BadOperands, OfScoresAndNormalisers) {
  const Gaussian gaussian;
  expect_defined(
      "gaussian: query", [&](const Tensor& x) { gaussian(x, batch()); }, zeros({kB, kN, kD + 1}));
  const ScaledDot dot;
  expect_defined(
      "scaled_dot: query", [&](const Tensor& x) { dot(x, batch()); }, batch());
  expect_defined(
      "scaled_dot: keys", [&](const Tensor& x) { dot(batch(), x); }, batch());
  expect_floating("scaled_dot", [&](const Tensor& x) { dot(x, batch()); }, {kB, kN, kD});
  expect_defined(
      "attend: keys", [](const Tensor& x) { Memory(x, batch()); }, batch());
  expect_defined(
      "attend: values", [](const Tensor& x) { Memory(batch(), x); }, batch());
  const Monotonic monotonic;
  expect_defined(
      "monotonic: scores", [&](const Tensor& x) { monotonic(x); }, batch());
  expect_floating("monotonic", [&](const Tensor& x) { monotonic(x); }, {kB, kN, kD});
  const Mocha mocha(2);
  expect_defined(
      "mocha: scores", [&](const Tensor& x) { mocha(x); }, batch());
  expect_floating("mocha", [&](const Tensor& x) { mocha(x); }, {kB, kN, kD});
  expect_defined(
      "mocha: weights", [&](const Tensor& x) { mocha.spread(x, batch()); }, batch());
  expect_defined(
      "mocha: chunk_scores", [&](const Tensor& x) { mocha.spread(batch(), x); }, batch());
  const TopK top(2);
  expect_defined(
      "top_k: scores", [&](const Tensor& x) { top(x); }, batch());
  expect_floating("top_k", [&](const Tensor& x) { top(x); }, {kB, kN, kD});
}

TEST(BadOperands, OfPoolings) {
  for (const auto& [who, pool] :
       {std::pair<std::string, Call>{"average_pooling",
                                     [](const Tensor& x) { average_pooling(x); }},
        {"max_pooling", [](const Tensor& x) { max_pooling(x); }}}) {
    expect_defined(who + ": values", pool, batch());
    expect_floating(who, pool, {kB, kN, kD});
  }
  for (const auto& [who, pool] :
       {std::pair<std::string, Call>{"average_pooling",
                                     [](const Tensor& x) {
                                       average_pooling(Packed{x, {0, 2, kN}});
                                     }},
        {"max_pooling", [](const Tensor& x) {
           max_pooling(Packed{x, {0, 2, kN}});
         }}}) {
    expect_floating(who, pool, {kN, kD});
  }
  const Call penalty = [](const Tensor& x) { doubly_stochastic_penalty(x); };
  expect_defined("doubly_stochastic_penalty: weights", penalty, batch());
  expect_floating("doubly_stochastic_penalty", penalty, {kB, kN, kD});
  const Dot dot;
  expect_defined(
      "box_attention: query", [&](const Tensor& x) { box_attention(dot, x, batch()); },
      zeros({kB, kD}));
}

TEST(BadOperands, OfHardMechanisms) {
  HardAttention hard;
  HardMonotonic monotonic;
  VariationalAttention variational;
  for (nn::Module* each : std::vector<nn::Module*>{&hard, &monotonic, &variational}) each->eval();
  const auto memory = [&] { return hard.begin(batch(), batch()); };
  expect_defined(
      "HardAttention: query", [&](const Tensor& x) { memory().attend(x); }, batch());
  expect_defined(
      "HardAttention: query", [&](const Tensor& x) { memory().step(x); }, zeros({kB, kD}));
  expect_defined(
      "HardMonotonic: query", [&](const Tensor& x) { monotonic.begin(batch(), batch()).step(x); },
      zeros({kB, kD}));
  expect_defined(
      "HardAttention: keys", [&](const Tensor& x) { hard.begin(x, batch()); }, batch());
  expect_defined(
      "HardMonotonic: values", [&](const Tensor& x) { monotonic.begin(batch(), x); }, batch());
  const Tensor ids = whole_numbers({kB, kN, kD});
  EXPECT_ERROR(DTypeError, "HardAttention: takes f32 or f64, not i64", hard.begin(ids, ids));
  EXPECT_ERROR(DTypeError, "HardMonotonic: takes f32 or f64, not i64", monotonic.begin(ids, ids));
  expect_defined(
      "VariationalAttention: query",
      [&](const Tensor& x) { variational(x, batch(), batch(), batch()); }, batch());
  expect_defined(
      "VariationalAttention: knowing",
      [&](const Tensor& x) { variational(batch(), x, batch(), batch()); }, batch());
  expect_defined(
      "VariationalAttention: query",
      [&](const Tensor& x) { variational.predict(x, batch(), batch()); }, batch());
  const VariationalOutput seen = variational(batch(), batch(), batch(), batch());
  const Tensor likelihoods = zeros({kB, kN, kN});
  const auto wrong = [](const std::string& of, const std::string& what) {
    return "VariationalOutput::" + of +
           ": log_likelihoods must be [.., Q, K] as the weights f32[2, 5, 5], not " + what;
  };
  EXPECT_ERROR(ShapeError, wrong("bound", "f32[]"), seen.bound(zeros({})));
  EXPECT_ERROR(ShapeError, wrong("bound", "f32[2, 5, 7]"), seen.bound(zeros({kB, kN, 7})));
  EXPECT_ERROR(ShapeError, wrong("log_likelihood", "f32[]"), seen.log_likelihood(zeros({})));
  EXPECT_ERROR(ShapeError, wrong("log_likelihood", "f32[7]"), seen.log_likelihood(zeros({7})));
  expect_defined(
      "VariationalOutput::bound: log_likelihoods", [&](const Tensor& x) { seen.bound(x); },
      likelihoods);
  expect_defined(
      "VariationalOutput::log_likelihood: log_likelihoods",
      [&](const Tensor& x) { seen.log_likelihood(x); }, likelihoods);
}

TEST(BadOperands, OfDecoders) {
  const Call expected = [](const Tensor& x) { expected_delays(x); };
  expect_defined("expected_delays: alignment", expected, batch());
  expect_floating("expected_delays", expected, {kB, kN, kD});
  const Call lagging = [](const Tensor& x) { differentiable_average_lagging(x, {kN, kN}); };
  expect_defined("differentiable_average_lagging: delays", lagging, zeros({kB, kN}));
  expect_floating("differentiable_average_lagging", lagging, {kB, kN});
  const Call latency = [](const Tensor& x) { monotonic_latency(x, {kN, kN}); };
  expect_defined("monotonic_latency: delays", latency, batch());
  expect_floating("monotonic_latency", latency, {kB, kN, kD});
  expect_defined(
      "infinite_lookback: alignment", [](const Tensor& x) { infinite_lookback(x, batch()); },
      batch());
  expect_defined(
      "infinite_lookback: u", [](const Tensor& x) { infinite_lookback(batch(), x); }, batch());
  const LSTMNDecoder deep({.input = kD, .hidden = kD, .source = kD});
  LSTMNDecoder::State none;
  EXPECT_ERROR(GradError, "LSTMNDecoder: the state is undefined", deep.step(zeros({kB, kD}), none));
  const PointerGenerator generator(
      {.word_width = kD, .annotation_width = kD, .state_width = 2, .vocabulary = 7});
  const Tensor ids = whole_numbers({kB, kN}), targets = whole_numbers({kB, kN});
  expect_defined(
      "pointer_generator: ids", [&](const Tensor& x) { generator.start(batch(), x); }, ids);
  const PointerGeneratorOutput written = generator(batch(), batch(), ids);
  expect_defined(
      "pointer_generator: targets", [&](const Tensor& x) { written.log_likelihood(x); }, targets);
  expect_defined(
      "pointer_generator: targets", [&](const Tensor& x) { written.copies(x); }, targets);
  for (const bool first : {false, true}) {
    const auto begin = [&](const Tensor& x) { return first ? LstmState{x, {}} : LstmState{{}, x}; };
    const auto generate = [&](const Tensor& x) { generator.start(batch(), ids, {}, begin(x)); };
    const PointerNetwork pointer({.input_width = kD, .key_width = kD, .state_width = 2});
    const auto point = [&](const Tensor& x) { pointer.start(batch(), batch(), {}, begin(x)); };
    const LuongDecoder luong({.word_width = kD, .source_width = kD, .state_width = kD});
    const auto translate = [&](const Tensor& x) { luong.start(batch(), {}, {begin(x)}); };
    EXPECT_ERROR(ShapeError, "pointer_generator: the first state must be [2, 2], not f32[2, 7]",
                 generate(zeros({kB, 7})));
    EXPECT_ERROR(DTypeError, "pointer_generator: the first state must be f32, not f64[2, 2]",
                 generate(zeros({kB, 2}, DType::f64)));
    EXPECT_ERROR(ShapeError, "pointer_network: the first state must be [2, 2], not f32[2, 7]",
                 point(zeros({kB, 7})));
    EXPECT_ERROR(DTypeError, "pointer_network: the first state must be f32, not f64[2, 2]",
                 point(zeros({kB, 2}, DType::f64)));
    EXPECT_ERROR(ShapeError, "luong_decoder: a first state must be [2, 3], not f32[2, 7]",
                 translate(zeros({kB, 7})));
    EXPECT_ERROR(DTypeError, "luong_decoder: a first state must be f32, not f64[2, 3]",
                 translate(zeros({kB, kD}, DType::f64)));
  }
}

TEST(BadOperands, OfPlacesThatAreNone) {
  const PointerNetwork pointer({.input_width = kD, .key_width = kD, .state_width = 2});
  PointerNetwork::State state = pointer.start(batch(), batch());
  const auto run = [&](const Tensor& x) { pointer.run(x, state); };
  const auto step = [&](const Tensor& x) { pointer.step(x, state); };
  EXPECT_ERROR(ShapeError, "pointer_network: places must be [2, 7], not i64[1, 7]",
               run(whole_numbers({1, 7})));
  EXPECT_ERROR(DTypeError, "pointer_network: places must be i64, not f32[2, 7]",
               run(zeros({2, 7})));
  EXPECT_ERROR(IndexError, "pointer_network: place 5 is not among 5 keys",
               run(indices({0, 1, 5, 2}, {2, 2})));
  EXPECT_ERROR(ShapeError, "pointer_network: places must be [2], not i64[2, 1]",
               step(whole_numbers({2, 1})));
  EXPECT_ERROR(DTypeError, "pointer_network: places must be i64, not f32[2]", step(zeros({2})));
  EXPECT_ERROR(IndexError, "pointer_network: place 5 is not among 5 keys",
               step(indices({4, 5}, {2})));
}

TEST(BadOperands, OfMemories) {
  const AdaptiveComputation adaptive(
      {.state = kD, .cell = [](const Tensor&, const Tensor& state) { return state + 1; }});
  const Tensor x = batch(), row = zeros({kB, kD});
  expect_defined(
      "AdaptiveComputation: x", [&](const Tensor& y) { adaptive(y); }, x);
  expect_defined(
      "AdaptiveComputation: x", [&](const Tensor& y) { adaptive.step(y); }, row);
  EXPECT_ERROR(ShapeError, "AdaptiveComputation: x must be [B, T, I], not f32[2, 3]",
               adaptive(row));
  EXPECT_ERROR(ShapeError, "AdaptiveComputation: x must be [B, I], not f32[2, 5, 3]",
               adaptive.step(x));
  EXPECT_ERROR(DTypeError, "AdaptiveComputation: x must be f32, not f64[2, 3]",
               adaptive.step(zeros({kB, kD}, DType::f64)));
  const MemoryNetwork network({.vocabulary = 7, .width = 2});
  const Tensor story = whole_numbers({kB, kN, kD}), question = whole_numbers({kB, kD});
  expect_defined(
      "MemoryNetwork: story", [&](const Tensor& y) { network(y, question); }, story);
  EXPECT_ERROR(ShapeError, "MemoryNetwork: story must be [B, N, J], not i64[2, 3]",
               network(question, question));
  EXPECT_ERROR(ShapeError, "MemoryNetwork: question must be [B, L], not i64[2, 5, 3]",
               network(story, story));
  EXPECT_ERROR(DTypeError, "MemoryNetwork: story must be i64, not f32[2, 5, 3]",
               network(x, question));
  EXPECT_ERROR(DTypeError, "MemoryNetwork: question must be i64, not f32[2, 3]",
               network(story, row));
  LSTMN lstmn({.input = kD, .hidden = 2});
  std::vector<LSTMNState> states;
  expect_defined(
      "LSTMN: x", [&](const Tensor& y) { lstmn(y, states); }, x);
  EXPECT_ERROR(ShapeError, "LSTMN: x must be [B, T, 3], not f32[2, 3]", lstmn(row, states));
}

TEST(BadOperands, OfComputersAndMachines) {
  const Tensor usage = zeros({kB, kN}), links = zeros({kB, kN, kN});
  expect_defined(
      "NeuralComputer: usage", [](const Tensor& x) { allocate_memory(x); }, usage);
  expect_defined(
      "NeuralComputer: links", [&](const Tensor& x) { link_memory(x, usage, usage); }, links);
  expect_defined(
      "NeuralComputer: write weights", [&](const Tensor& x) { link_memory(links, x, usage); },
      usage);
  expect_defined(
      "NeuralComputer: precedence", [&](const Tensor& x) { link_memory(links, usage, x); }, usage);
  const NeuralComputer computer({.input = kD, .output = 2});
  expect_defined(
      "NeuralComputer: x", [&](const Tensor& x) { computer(x); }, batch());
  const Tensor row = zeros({kB, kD});
  NeuralComputerState nothing;
  EXPECT_ERROR(GradError, "NeuralComputer: the state's memory is undefined",
               computer.step(row, nothing));
  NeuralComputerState state = computer.begin(kB);
  expect_defined(
      "NeuralComputer: a step's x", [&](const Tensor& x) { computer.step(x, state); }, row);
  const TuringMachine machine({.input = kD, .output = 2});
  expect_defined(
      "TuringMachine: x", [&](const Tensor& x) { machine(x); }, batch());
  TuringState none;
  EXPECT_ERROR(GradError, "TuringMachine: the state's memory is undefined",
               machine.step(row, none));
  const TuringState begun = machine.begin(kB);
  TuringState other = begun;
  other.reads = Tensor();
  EXPECT_ERROR(GradError, "TuringMachine: the state's reads is undefined",
               machine.step(row, other));
  other.reads = zeros({kB, 7});
  EXPECT_ERROR(ShapeError, "TuringMachine: the state's reads must be [2, 20], not f32[2, 7]",
               machine.step(row, other));
  other = begun;
  other.memory = zeros({kB, 7});
  EXPECT_ERROR(ShapeError, "TuringMachine: the state's memory must be [B, any, any], not f32[2, 7]",
               machine.step(row, other));
  const auto signals = [](Index one, Index places) {
    return HeadSignals{zeros({kB, 1, kD}), zeros({kB, 1, 1}), zeros({kB, 1, one}),
                       zeros({kB, 1, 3}), zeros({kB, 1, places})};
  };
  const auto address = [&](const HeadSignals& by) {
    address_memory(batch(), zeros({kB, 1, kN}), by);
  };
  EXPECT_NO_THROW(address(signals(1, 1)));
  EXPECT_ERROR(ShapeError, "TuringMachine: gate must be [2, 1, 1], not f32[2, 1, 5]",
               address(signals(kN, 1)));
  EXPECT_ERROR(ShapeError, "TuringMachine: sharpen must be [2, 1, 1], not f32[2, 1, 5]",
               address(signals(1, kN)));
  EXPECT_ERROR(ShapeError, "TuringMachine: strength must be [2, 1, 1], not f32[2, 1, 5]",
               find_in_memory(batch(), zeros({kB, 1, kD}), zeros({kB, 1, kN})));
}

TEST(BadOperands, OfTables) {
  const NeuralProgrammer programmer({.vocabulary = 7, .width = 2, .steps = 2});
  const TableQuestions good{.words = whole_numbers({kB, 4}),
                            .numbers = zeros({kB, 2}),
                            .left = whole_numbers({kB, 2}),
                            .table = batch(),
                            .names = whole_numbers({kB, kD})};
  EXPECT_NO_THROW(programmer(good));
  const auto without = [&](Tensor TableQuestions::*part) {
    TableQuestions asked = good;
    asked.*part = Tensor();
    programmer(asked);
  };
  EXPECT_ERROR(GradError, "NeuralProgrammer: words is undefined", without(&TableQuestions::words));
  EXPECT_ERROR(GradError, "NeuralProgrammer: numbers is undefined",
               without(&TableQuestions::numbers));
  EXPECT_ERROR(GradError, "NeuralProgrammer: left is undefined", without(&TableQuestions::left));
  EXPECT_ERROR(GradError, "NeuralProgrammer: table is undefined", without(&TableQuestions::table));
  EXPECT_ERROR(GradError, "NeuralProgrammer: names is undefined", without(&TableQuestions::names));
  TableQuestions empty = good;
  empty.words = whole_numbers({kB, 0});
  EXPECT_ERROR(ShapeError, "NeuralProgrammer: a question of 0 words, a table of 3 columns",
               programmer(empty));
  empty = good;
  empty.table = zeros({kB, kN, 0});
  EXPECT_ERROR(ShapeError, "NeuralProgrammer: a question of 4 words, a table of 0 columns",
               programmer(empty));
  const TableAnswers found = programmer(good).answers;
  const auto loss = [](const TableAnswers& one, const TableAnswers& other) {
    table_answer_loss(one, other, {});
  };
  EXPECT_NO_THROW(loss(found, found));
  TableAnswers less = found;
  less.cells = Tensor();
  EXPECT_ERROR(GradError, "table_answer_loss: cells is undefined", loss(less, found));
  less = found;
  less.is_scalar = Tensor();
  EXPECT_ERROR(GradError, "table_answer_loss: is_scalar is undefined", loss(found, less));
}

}  // namespace
}  // namespace heed::attention
