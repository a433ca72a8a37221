// Of memories and linear mechanisms: see least_options.h.
#include "least_options.h"

#include "../../attention/attention.h"

namespace heed::attention {
namespace {

// Mechanisms that are made of options and one number more.
struct LunaLayer : Luna {
  explicit LunaLayer(const LunaOptions& o) : Luna(o, 0) {}
};

TEST(LeastOptions, OfMemories) {
  using Dynamic = DynamicMemoryOptions;
  expect_least<DynamicMemory, Dynamic>(
      {.width = 2, .hidden = 3, .hops = 5},
      "dynamic_memory: width {} and hops {} must be positive, hidden {} not negative",
      {{&Dynamic::width}, {&Dynamic::hops}, {&Dynamic::hidden, 0}});
  using Pairs = KeyValueMemoryOptions;
  expect_least<KeyValueMemory, Pairs>(
      {.features = 2, .width = 3, .hops = 5},
      "KeyValueMemory: features {}, width {} and hops {} must be positive",
      {{&Pairs::features}, {&Pairs::width}, {&Pairs::hops}});
  using Tape = LSTMNOptions;
  expect_least<LSTMN, Tape>(
      {.input = 2, .hidden = 3, .layers = 5, .attention = 7},
      "LSTMN: input {}, hidden {} and layers {} must be positive, attention {} not negative",
      {{&Tape::input}, {&Tape::hidden}, {&Tape::layers}, {&Tape::attention, 0}});
  using Memorised = MemorizingOptions;
  expect_least<Memorizing, Memorised>(
      {.width = 6, .heads = 1, .nearest = 5, .capacity = 7},
      "memorizing: width {}, heads {} and nearest {} must be positive, capacity {} not negative",
      {{&Memorised::width}, {&Memorised::heads}, {&Memorised::nearest}, {&Memorised::capacity, 0}});
  using Network = MemoryNetworkOptions;
  expect_least<MemoryNetwork, Network>(
      {.vocabulary = 11, .width = 2, .hops = 3, .slots = 5},
      "MemoryNetwork: vocabulary {}, width {} and hops {} must be positive, slots {} not negative",
      {{&Network::vocabulary}, {&Network::width}, {&Network::hops}, {&Network::slots, 0}});
  using Stream = MemoryStreamOptions;
  expect_least<MemoryStream, Stream>(
      {.width = 2, .hops = 3, .span = 5},
      "memory_stream: width {}, hops {} and span {} must be positive",
      {{&Stream::width}, {&Stream::hops}, {&Stream::span}});
}

TEST(LeastOptions, OfMachines) {
  AdaptiveComputationOptions ponders{
      .state = 2, .cell = [](const Tensor&, const Tensor& state) { return state; }, .max_steps = 3};
  expect_least<AdaptiveComputation, AdaptiveComputationOptions>(
      ponders, "AdaptiveComputation: state {} and max_steps {} must be positive",
      {{&AdaptiveComputationOptions::state}, {&AdaptiveComputationOptions::max_steps}});
  using Computer = NeuralComputerOptions;
  expect_least<NeuralComputer, Computer>(
      {.input = 2, .output = 3, .hidden = 5, .slots = 7, .slot_width = 11, .read_heads = 13},
      "NeuralComputer: input {}, output {}, hidden {}, slots {}, slot_width {} and read_heads {} "
      "must be positive",
      {{&Computer::input},
       {&Computer::output},
       {&Computer::hidden},
       {&Computer::slots},
       {&Computer::slot_width},
       {&Computer::read_heads}});
  using Gpu = NeuralGPUOptions;
  expect_least<NeuralGPU, Gpu>(
      {.width = 2, .columns = 3, .layers = 5, .kernel = 7},
      "neural_gpu: width {}, columns {}, layers {} and kernel {} must be positive",
      {{&Gpu::width}, {&Gpu::columns}, {&Gpu::layers}, {&Gpu::kernel}});
  using Programmer = NeuralProgrammerOptions;
  expect_least<NeuralProgrammer, Programmer>(
      {.vocabulary = 2, .width = 3, .steps = 5},
      "NeuralProgrammer: vocabulary {}, width {} and steps {} must be positive",
      {{&Programmer::vocabulary}, {&Programmer::width}, {&Programmer::steps}});
  using Turing = TuringMachineOptions;
  expect_least<TuringMachine, Turing>(
      {.input = 2,
       .output = 3,
       .hidden = 5,
       .slots = 7,
       .slot_width = 11,
       .read_heads = 13,
       .write_heads = 17,
       .reach = 1},
      "TuringMachine: input {}, output {}, hidden {}, slots {}, slot_width {}, read_heads {} and "
      "write_heads {} must be positive, reach {} not negative",
      {{&Turing::input},
       {&Turing::output},
       {&Turing::hidden},
       {&Turing::slots, 1, false},
       {&Turing::slot_width},
       {&Turing::read_heads},
       {&Turing::write_heads},
       {&Turing::reach, 0}});
}

TEST(LeastOptions, OfLinearMechanisms) {
  using Full = AttentionFreeFullOptions;
  expect_least<AttentionFreeFull, Full>(
      {.width = 2, .max_length = 7, .window = 3, .rank = 5, .block = 11},
      "attention_free_full: width {}, max_length {} and block {} must be positive, window {} and "
      "rank {} not negative",
      {{&Full::width}, {&Full::max_length}, {&Full::block}, {&Full::window, 0}, {&Full::rank, 0}});
  using Linear = LinearOptions;
  expect_least<LinearAttention, Linear>(
      {.width = 7, .heads = 2, .head_width = 3, .value_head_width = 5, .chunk = 11},
      "linear_attention: width {}, heads {} and chunk {} must be positive, widths of heads {} and "
      "{} not negative",
      {{&Linear::width},
       {&Linear::heads},
       {&Linear::chunk},
       {&Linear::head_width, 0, false},
       {&Linear::value_head_width, 0, false}});
  using Lin = LinformerOptions;
  expect_least<Linformer, Lin>({.width = 6, .heads = 1, .max_length = 5, .rank = 3},
                               "linformer: width {} and heads {} must be positive",
                               {{&Lin::width}, {&Lin::heads}});
  expect_least<Linformer, Lin>({.width = 6, .heads = 1, .max_length = 5, .rank = 3},
                               "linformer: max_length {} and rank {} must be positive",
                               {{&Lin::max_length}, {&Lin::rank}});
  expect_least<LunaLayer, LunaOptions>({.width = 6, .heads = 1, .length = 5, .layers = 2},
                                       "luna: width {} and heads {} must be positive",
                                       {{&LunaOptions::width}, {&LunaOptions::heads}});
  expect_least<LunaLayer, LunaOptions>({.width = 6, .heads = 1, .length = 5, .layers = 2},
                                       "luna: length {} must be positive",
                                       {{&LunaOptions::length}});
  using Nystrom = NystromformerOptions;
  expect_least<Nystromformer, Nystrom>(
      {.width = 6, .heads = 1, .landmarks = 5, .iterations = 3},
      "nystromformer: landmarks {} and iterations {} must be positive",
      {{&Nystrom::landmarks}, {&Nystrom::iterations}});
  using Hashes = ReformerOptions;
  expect_least<Reformer, Hashes>(
      {.width = 6, .heads = 1, .buckets = 4, .rounds = 3},
      "reformer: buckets {} must be positive and even, rounds {} positive",
      {{&Hashes::buckets, 2}, {&Hashes::rounds}});
  using Route = RoutingOptions;
  expect_least<Routing, Route>({.width = 6, .heads = 1, .centroids = 5},
                               "routing: centroids {} must be positive", {{&Route::centroids}});
  using Blocks = SinkhornBlocksOptions;
  expect_least<SinkhornBlocks, Blocks>(
      {.width = 6, .heads = 1, .block = 5, .max_blocks = 3, .hidden = 7, .iterations = 2},
      "sinkhorn_blocks: block {}, max_blocks {} and iterations {} must be positive, hidden {} not "
      "negative",
      {{&Blocks::block}, {&Blocks::max_blocks}, {&Blocks::iterations}, {&Blocks::hidden, 0}});
}

}  // namespace
}  // namespace heed::attention
