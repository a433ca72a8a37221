// heed.attention: memories that are asked several times, and language models that look back.
#include "attention_options.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(MemoryNetworkOptions, vocabulary, width, hops, slots, tying, position_encoding, noise,
            empty_memories, dtype)
HEED_GIVES(MemoryNetworkOutput, logits, weights)
HEED_FIELDS(KeyValueMemoryOptions, features, width, hops, dtype)
HEED_GIVES(KeyValueMemoryOutput, query, weights)
HEED_FIELDS(DynamicMemoryOptions, width, hidden, hops, dtype)
HEED_GIVES(DynamicMemoryOutput, memory, weights)
HEED_FIELDS(MemoryStreamOptions, width, hops, span, dtype)
HEED_FIELDS(MemorizingOptions, width, heads, nearest, capacity, dtype)
HEED_FIELDS(NeuralCacheOptions, theta, lambda, window)
HEED_GIVES(PointerSentinelOutput, distribution, gate, weights)
HEED_FIELDS(LSTMNOptions, input, hidden, layers, attention, span, recency, dtype)
HEED_GIVES(LSTMNOutput, output, memory, weights)

namespace {

void bind_networks(py::module_& m) {
  record<MemoryNetworkOutput>(m, "logits [B, V], the weights of each hop.");
  Mechanism<MemoryNetwork>(m, "End-to-end memory networks (Sukhbaatar et al. 2015).")
      .init<MemoryNetworkOptions>()
      .forward("story, question, sentences, need_weights, generator", &MemoryNetwork::operator(),
               "Numbers of words, i64: story [B, N, J], question [B, L]; -1: no word.")
      .def_property("linear", &MemoryNetwork::linear, &MemoryNetwork::set_linear);
  record<KeyValueMemoryOutput>(m, "query [B, Q, E], the weights of each hop.");
  Mechanism<KeyValueMemory>(m, "Key-value memory networks (Miller et al. 2016).")
      .init<KeyValueMemoryOptions>()
      .forward("query, keys, values, mask, need_weights", &KeyValueMemory::operator(),
               "[B, Q, D], [B, K, D], [B, K, D].")
      .method("scores", "query, candidates", &KeyValueMemory::scores,
              "Logits [B, Q, C] of candidates [C, D] or [B, C, D].");
  Mechanism<AttentionGRU>(m, "A GRU with weights for its update gate (Xiong et al. 2016).")
      .init<Index, Index, DType>("input, hidden, dtype")
      .forward("input, weights", &AttentionGRU::operator(),
               "[B, N, input], [B, N] -> [B, hidden].");
  record<DynamicMemoryOutput>(m, "memory [B, d], the weights of each reading.");
  Mechanism<DynamicMemory>(m, "The episodic memory of DMN+ (Xiong et al. 2016).")
      .init<DynamicMemoryOptions>()
      .forward("facts, question, mask, need_weights", &DynamicMemory::operator(),
               "[B, N, d], [B, d].");
}

void bind_streams(py::module_& m) {
  py::class_<MemoryStreamState>(m, "MemoryStreamState", "The last memories of a stream.")
      .def(py::init<>())
      .def("reorder", &MemoryStreamState::reorder, Free(), py::arg("rows"));
  Mechanism<MemoryStream>(m, "A memory network as a language model (Sukhbaatar et al. 2015).")
      .init<MemoryStreamOptions>()
      .forward(
          "keys, values, state, need_weights",
          [](const MemoryStream& f, const Tensor& keys, const Tensor& values,
             MemoryStreamState* state, bool need_weights) {
            return state ? f(keys, values, *state, need_weights) : f(keys, values, need_weights);
          },
          "Both [B, T, d]; a state goes on from call to call.");
  using Store = Memorizing::Store;
  py::class_<Store>(m, "MemorizingStore", "Keys and values of all segments so far.")
      .def(py::init<>())
      .def("__len__", &Store::length)
      .def("reorder", &Store::reorder, Free(), py::arg("rows"));
  Mechanism<Memorizing>(m, "Memorizing Transformers (Wu et al. 2022).")
      .init<MemorizingOptions>()
      .forward(
          "input, store, real=",
          [](const Memorizing& f, const Tensor& x, Store& store, const Tensor& real,
             const Terms& terms) { return f(x, store, terms, real); },
          "[B, T, E], which goes into the store afterwards.");
  record<PointerSentinelOutput>(m, "distribution [B, T, V], gate [B, T], weights [B, T, T].");
  Mechanism<PointerSentinel>(m, "Pointer sentinel mixtures (Merity et al. 2017).")
      .init<Index, Index, DType>("width, window=0, dtype")
      .forward("states, vocabulary, ids, lengths, need_weights", &PointerSentinel::operator(),
               "[B, T, E], [B, T, V], i64 [B, T].");
  function(
      m, "neural_cache", "states, vocabulary, next, lengths",
      [](const Tensor& states, const Tensor& vocabulary, const Tensor& next, const Lengths& lengths,
         const NeuralCacheOptions& options) {
        return neural_cache(states, vocabulary, next, options, lengths);
      },
      "p [B, T, V] with a cache (Grave et al. 2017): states [B, T, E], next i64 [B, T].");
}

void bind_lstmn(py::module_& m) {
  py::class_<LSTMNState>(m, "LSTMNState", "Where a sequence stands in one layer.")
      .def(py::init<>())
      .def("reorder", &LSTMNState::reorder, Free(), py::arg("rows"));
  record<LSTMNOutput>(m, "output, memory [B, T, H], the weights of each layer [B, T, T].");
  Mechanism<LSTMN>(m, "Long short-term memory-networks (Cheng et al. 2016).")
      .init<LSTMNOptions>()
      .forward(
          "input, lengths, need_weights",
          [](const LSTMN& f, const Tensor& x, const Lengths& lengths, bool need_weights) {
            return f(x, lengths, need_weights);
          },
          "[B, T, I].")
      .method(
          "resume", "input, states",
          [](const LSTMN& f, const Tensor& x, std::vector<LSTMNState> states) {
            const LSTMNOutput out = f(x, states);
            return std::pair(out, states);
          },
          "The output of a stream that goes on behind states, one a layer, and those behind it; "
          "begins with [].");
}

}  // namespace

void bind_memories(py::module_& m) {
  bind_networks(m);
  bind_streams(m);
  bind_lstmn(m);
}

}  // namespace heed::python
