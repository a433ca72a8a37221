// heed.attention: decoders that point to their source, copy from it, cover it, and wait for it.
#include "decoder_binding.h"

namespace heed::python {

using namespace heed::attention;

HEED_FIELDS(PointerNetworkOptions, input_width, key_width, state_width, hidden, once, dtype)
HEED_GIVES(CoverageOutput, context, weights, loss, coverage)
HEED_FIELDS(PointerGeneratorOptions, word_width, annotation_width, state_width, hidden, vocabulary,
            coverage, copy, dtype)
HEED_GIVES(PointerGeneratorOutput, output, weights, gate, coverage_loss, ids)
HEED_FIELDS(SummariserOptions, source_words, target_words, source_width, target_width, context,
            window, hidden, start, dtype)
HEED_GIVES(SummariserOutput, logits, weights)
HEED_FIELDS(MonotonicHeadsOptions, width, heads, key_width, look_back, noise, offset, dtype)
HEED_GIVES(MonotonicAttended, context, weights, alignment)
HEED_GIVES(MonotonicStep, context, places)
HEED_GIVES(MonotonicLatency, lagging, variance)
HEED_GIVES(SimultaneousText, words, read)

namespace {

void bind_pointers(py::module_& m) {
  Mechanism<Pointer>(m, "Log-probabilities of places (Vinyals et al. 2015).")
      .init<Index, Index, Index, DType>("query_width, key_width, hidden, dtype")
      .forward(
          "query, keys, mask",
          [](const Pointer& f, const Tensor& query, const Tensor& keys, const Mask& mask) {
            return f(query, keys, mask);
          },
          "[B, Q, dq], [B, K, dk] -> [B, Q, K].")
      .keeping("prepare", "keys, mask", &Pointer::prepare, "Keys prepared once.")
      .method(
          "point", "query, memory, mask",
          [](const Pointer& f, const Tensor& query, const Memory& memory, const Mask& mask) {
            return f(query, memory, mask);
          },
          "The same of what prepare() gave.");
  using State = PointerNetwork::State;
  py::class_<State>(m, "PointerNetworkState", "Where a decoder stands.")
      .def("reorder", &State::reorder, Free(), py::arg("rows"), py::arg("sources") = true);
  Mechanism<PointerNetwork>(m, "Writes places of its input (Vinyals et al. 2015).")
      .init<PointerNetworkOptions>()
      .keeping("start", "keys, inputs, mask, begin=None", &PointerNetwork::start)
      .method("step", "places, state", &PointerNetwork::step,
              "Where the last step pointed, i64 [B], None at first -> log p [B, K].")
      .method("run", "targets, state", &PointerNetwork::run, "All steps, i64 [B, T] -> [B, T, K].")
      .method("decode", "state, steps", &PointerNetwork::decode, "The likeliest, i64 [B, steps].")
      .forward("keys, inputs, targets, mask, begin=None", &PointerNetwork::operator(),
               "log p [B, T, K]: keys [B, K, dk], inputs [B, K, I], targets i64 [B, T].");
  Mechanism<SubsetPointer>(m, "Points to some places, then to an end (Chen and Bansal 2018).")
      .init<Index, Index, DType>("width, state_width, dtype")
      .method("loss", "keys, lengths, wanted", &SubsetPointer::loss, "keys [B, K, W] -> [B].")
      .method("pick", "keys, lengths, count=0", &SubsetPointer::pick, "The likeliest places.");
}

void bind_copying(py::module_& m) {
  record<CoverageOutput>(m, "context [B, dv], weights [B, K], loss [B], coverage [B, K].");
  Mechanism<CoverageScore, Score>(m, "Sees what was looked at (See et al. 2017).")
      .init<Index, Index, Index, DType>("query_width, key_width, hidden, dtype");
  Mechanism<Coverage>(m, "Pays for looking again (See et al. 2017).")
      .init<Index, Index, Index, DType>("query_width, key_width, hidden, dtype")
      .keeping("prepare", "keys, values, mask", &Coverage::prepare)
      .method("step", "query, memory, past", &Coverage::step, "query [B, dq].")
      .forward("query, keys, values, mask", &Coverage::operator(), "[B, Q, dq], all steps.");
  record<PointerGeneratorOutput, StackOutput>(m, "output, weights, gate, coverage_loss, ids.")
      .def("distribution", &PointerGeneratorOutput::distribution, Free(), py::arg("extended"),
           "P [B, T, extended].")
      .def("log_likelihood", &PointerGeneratorOutput::log_likelihood, Free(), py::arg("targets"),
           "log P(target) [B, T], of i64 [B, T].")
      .def("copies", &PointerGeneratorOutput::copies, Free(), py::arg("targets"),
           "Which words were copied from where, [B, T, K].");
  decoder<PointerGenerator>(m, "PointerGeneratorState", "Writes or copies (See et al. 2017).")
      .init<PointerGeneratorOptions>()
      .keeping("start", "annotations, ids, mask, begin=None", &PointerGenerator::start)
      .forward(
          "words, annotations, ids, mask, lengths",
          [](const PointerGenerator& d, const Tensor& words, const Tensor& annotations,
             const Tensor& ids, const Mask& mask, const Lengths& lengths,
             const Terms& terms) { return d(words, annotations, ids, mask, terms, lengths); },
          "words [B, T, E], annotations [B, K, dk], ids i64 [B, K].");
  function(m, "known_ids", "ids, vocabulary, unknown", &known_ids, "What an embedding takes.");
  py::class_<Copying, nn::Decoding>(m, "Copying",
                                    "A PointerGenerator that writes, for nn.beam_search().")
      .def(py::init([](const PointerGenerator& decoder, const PointerGenerator::State& state,
                       const std::function<Tensor(const Tensor&)>& embed, Index extended,
                       Index unknown) {
             return std::make_unique<Copying>(
                 decoder, state,
                 CopyingOptions{.embed = embed, .extended = extended, .unknown = unknown});
           }),
           py::keep_alive<1, 2>(), py::keep_alive<1, 3>(), py::arg("decoder"), py::arg("state"),
           py::kw_only(), py::arg("embed"), py::arg("extended"), py::arg("unknown") = 0,
           "embed(ids i64 [R]) gives [R, E].");
}

void bind_summariser(py::module_& m) {
  Mechanism<SmoothedAttention>(m, "Values are sums around each place (Rush et al. 2015).")
      .init<Index, Index, Index, DType>("query_width, key_width, window, dtype")
      .method("smoothed", "input", &SmoothedAttention::smoothed, "[B, M, H].")
      .forward("query, keys, mask, need_weights", &SmoothedAttention::operator(),
               "[B, T, dq], [B, M, H].");
  record<SummariserOutput>(m, "logits [B, T, words], weights [B, T, M].");
  Mechanism<Summariser>(m, "Rush et al. 2015.")
      .init<SummariserOptions>()
      .forward("source, previous, mask, need_weights", &Summariser::operator(),
               "Words, i64 [B, M], and those before, i64 [B, T].");
  py::class_<SummariserWriting, nn::Decoding>(m, "SummariserWriting",
                                              "A Summariser that writes, for nn.beam_search().")
      .def(py::init<const Summariser&, const Tensor&, const Lengths&>(), py::keep_alive<1, 2>(),
           py::arg("model"), py::arg("source"), py::arg("lengths"));
}

void bind_waiting(py::module_& m) {
  record<MonotonicAttended, Attended>(m, "context, weights, alignment [B, H, Q, K].");
  record<MonotonicStep>(m, "context [E], and where each head stopped.");
  py::class_<MonotonicStream>(m, "MonotonicStream", "A sentence that comes in while it is written.")
      .def("read", &MonotonicStream::read, Free(), py::arg("keys"), "[n, Ek].")
      .def("end", &MonotonicStream::end)
      .def("write", &MonotonicStream::write, Free(), py::arg("query"),
           "query [E]; None where some head wants to read on.")
      .def_property_readonly("ended", &MonotonicStream::ended)
      .def_property_readonly("places", &MonotonicStream::places);
  Mechanism<MonotonicHeads>(m, "Monotonic multi-head attention (Ma et al. 2020).")
      .init<MonotonicHeadsOptions>()
      .forward("query, keys, mask, need_weights", &MonotonicHeads::operator(),
               "[B, Q, E], [B, K, Ek].")
      .keeping("stream", "", &MonotonicHeads::stream);
  function(m, "infinite_lookback", "alignment, u, allowed=", &infinite_lookback, "[.., K].");
  function(m, "expected_delays", "alignment", &expected_delays, "[.., Q, K] -> [.., Q].");
  function(m, "differentiable_average_lagging", "delays, sources, targets=[]",
           &differentiable_average_lagging, "[B, Q] -> [B] (Arivazhagan et al. 2019).");
  record<MonotonicLatency>(m, "lagging and variance [B].");
  function(m, "monotonic_latency", "delays, sources, targets=[]", &monotonic_latency,
           "[B, H, Q] (Ma et al. 2020).");
  record<SimultaneousText>(m, "words, and how many source words were read before each.");
  function(
      m, "write_while_reading", "read, write, end, longest",
      [](const std::function<bool()>& read,
         const std::function<std::optional<Index>(Index, Index, bool)>& write, Index end,
         Index longest) {
        return write_while_reading({.read = read, .write = write}, end, longest);
      },
      "read() says whether a word more came, write(read, written, ended) the next word, or None "
      "to read on.");
}

}  // namespace

void bind_pointing(py::module_& m) {
  bind_pointers(m);
  bind_copying(m);
  bind_summariser(m);
  bind_waiting(m);
}

}  // namespace heed::python
