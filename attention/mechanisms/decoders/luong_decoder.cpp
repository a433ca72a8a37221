#include "luong_decoder.h"

#include <fmt/format.h>

#include <utility>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/recurrent/lstm.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "luong_decoder";

LuongOptions checked(LuongOptions options) {
  if (options.word_width <= 0 || options.source_width <= 0 || options.state_width <= 0 ||
      options.layers <= 0 || options.out < 0) {
    throw ValueError(fmt::format(
        "{}: word_width {}, source_width {}, state_width {} and layers {} must be positive, out {} "
        "not negative",
        kOp, options.word_width, options.source_width, options.state_width, options.layers,
        options.out));
  }
  if (options.score != nullptr && options.score->uses_previous_weights()) {
    throw ValueError(fmt::format("{}: takes no score that looks back", kOp));
  }
  if (options.out == 0) options.out = options.state_width;
  if (options.score == nullptr) options.score = std::make_shared<Dot>();
  return options;
}

LocalOptions local_options(const LuongOptions& options) {
  const bool predictive = options.attention == LuongAttention::local_p;
  return {.kind = predictive ? LocalKind::predictive : LocalKind::monotonic,
          .half_width = options.half_width,
          .score = options.score,
          .query_width = options.state_width,
          .dtype = options.dtype};
}

RnnWeights weights_of(const nn::LSTMCell& cell) {
  return {cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
}

Tensor rows_of(const Tensor& x, const Tensor& rows) {
  return x.defined() ? index_select(x, 0, rows) : x;
}

// A state of another decoder, whose layers and options differ.
void check_own(const LuongDecoder::State& state, std::size_t layers, bool feeds) {
  check_layers(kOp, state.layers.size(), layers);
  if (state.fed.defined() == feeds) return;
  throw ValueError(fmt::format("{}: the state is of a decoder {} input_feeding, this one is {}",
                               kOp, feeds ? "without" : "with", feeds ? "with" : "without"));
}

}  // namespace

LuongDecoder::LuongDecoder(const LuongOptions& options)
    : options_(checked(options)),
      layers(child<nn::ModuleListOf<nn::LSTMCell>>("layers")),
      dropout(child<nn::Dropout>("dropout", options_.dropout)),
      local(options_.attention == LuongAttention::global
                ? nullptr
                : &child<Local>("local", local_options(options_))),
      score(local != nullptr ? local->score : shared_child<Score>("score", options_.score)),
      combine(child<nn::Linear>(
          "combine",
          Checked(kOp, options_.source_width) + (options_.context_alone ? 0 : options_.state_width),
          options_.out, false, options_.dtype)) {
  for (Index i = 0; i < options_.layers; ++i) {
    const Index below =
        i > 0 ? options_.state_width
              : Checked(kOp, options_.word_width) + (options_.input_feeding ? options_.out : 0);
    layers.add(below, options_.state_width, true, options_.dtype);
  }
}

void LuongDecoder::State::reorder(const Tensor& rows, bool sources) {
  const Memory carried = sources ? memory.rows(rows) : memory;  // or it throws
  for (LstmState& layer : layers) {
    layer = {index_select(layer.h, 0, rows), index_select(layer.c, 0, rows)};
  }
  fed = rows_of(fed, rows);
  memory = carried;
}

LuongDecoder::State LuongDecoder::start(const Tensor& source, const std::vector<Index>& lengths,
                                        const std::vector<LstmState>& begin) const {
  check_batch(kOp, "source", source);
  check_rows(kOp, "source", source, options_.source_width, combine.weight.dtype());
  State state;
  if (local != nullptr) {
    // Keys and values with a place of their own on the tape each: see decoder_memory().
    const auto own = [&] { return reshape(source, source.shape()); };
    state.memory = named(kOp, [&] { return local->prepare(own(), own(), lengths); });
  } else {
    const Mask mask = lengths.empty() ? Mask() : Mask::lengths(lengths, source.size(1));
    state.memory = decoder_memory(kOp, score, source, source, mask);
  }
  const Shape shape{source.size(0), options_.state_width};
  const Tensor none = zeros(shape, combine.weight.dtype());
  if (!begin.empty() && begin.size() != layers.size()) {
    throw ShapeError(
        fmt::format("{}: {} first states for {} layers", kOp, begin.size(), layers.size()));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LstmState first = begin.empty() ? LstmState{} : begin[i];
    for (Tensor* x : {&first.h, &first.c}) {
      if (!x->defined()) *x = none;
      check_state(kOp, "a first state", *x, shape, combine.weight.dtype());
    }
    state.layers.push_back(first);
  }
  if (options_.input_feeding) {
    state.fed = zeros(Shape{source.size(0), options_.out}, combine.weight.dtype());
  }
  return state;
}

Attended LuongDecoder::look(const Tensor& query, const State& state, const Terms& terms) const {
  if (local == nullptr) check_looks_anew(kOp, score, terms.normaliser);
  return named(kOp, [&] {
    if (local == nullptr) return state.memory.attend(query, terms);
    return local->attend_to(query, state.memory, {.first = state.t, .terms = terms});
  });
}

// htilde [B, T, out] or [B, out].
Tensor LuongDecoder::combined(const Tensor& context, const Tensor& h) const {
  return tanh(combine(options_.context_alone ? context : concat({context, h}, -1)));
}

// The columns of the first layer's weight that meet what is fed.
Tensor LuongDecoder::of_fed() const {
  if (!options_.input_feeding) return Tensor();
  return narrow(layers[0].weight_ih, 1, options_.word_width, options_.out);
}

// One step of all layers, from what the word gives to the first one's gates: its h.
Tensor LuongDecoder::next(const Tensor& from_word, const Tensor& of_fed, State& state) const {
  Tensor from = from_word, h;
  if (options_.input_feeding) from = from + linear(state.fed, of_fed);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LstmState& at = state.layers[i];
    at = i == 0 ? lstm_cell_from(from, at, weights_of(layers[0])) : layers[i](dropout(h), at);
    h = at.h;
  }
  return h;
}

StackOutput LuongDecoder::step(const Tensor& word, State& given, const Terms& terms) const {
  const Scope scope(*this);
  check_own(given, layers.size(), options_.input_feeding);
  const Index B = given.layers.front().h.size(0);
  check_word(kOp, word, B, options_.word_width, combine.weight.dtype());
  State state = given;  // as it was where a look throws
  const nn::LSTMCell& first = layers[0];
  const Tensor from =
      linear(word, narrow(first.weight_ih, 1, 0, options_.word_width), first.bias_ih);
  const Tensor h = next(from, of_fed(), state);
  const Attended seen = look(unsqueeze(h, 1), state, terms);
  const Tensor out = combined(squeeze(seen.context, 1), h);
  if (options_.input_feeding) state.fed = out;
  ++state.t;
  StackOutput result{forwarded(out)};
  if (terms.need_weights) result.weights = {squeeze(seen.weights, 1)};
  given = std::move(state);
  return result;
}

StackOutput LuongDecoder::run(const Tensor& target, State& given, const Terms& terms,
                              const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  check_own(given, layers.size(), options_.input_feeding);
  const Index rows = given.layers.front().h.size(0);
  const Tensor words =
      checked_words(kOp, target, rows, options_.word_width, combine.weight.dtype(), lengths);
  const Index T = words.size(1);
  State state = given;  // as it was where a look throws
  StackOutput out;
  if (!options_.input_feeding || T == 0) {
    Tensor h = words;
    for (std::size_t i = 0; i < layers.size() && T > 0; ++i) {
      const LstmState begin{unsqueeze(state.layers[i].h, 0), unsqueeze(state.layers[i].c, 0)};
      const LstmResult all = lstm(i == 0 ? h : dropout(h), begin, {weights_of(layers[i])});
      h = all.output;
      state.layers[i] = {squeeze(all.h_n, 0), squeeze(all.c_n, 0)};
    }
    if (T == 0) h = zeros(Shape{rows, 0, options_.state_width}, combine.weight.dtype());
    const Attended seen = look(h, state, terms);
    out = {combined(seen.context, h), weights_of(seen)};
    state.t += T;
  } else {
    // What words give to the gates need not wait for the step before.
    const nn::LSTMCell& first = layers[0];
    const std::vector<Tensor> from_words = shares_of(words, first.weight_ih, first.bias_ih);
    const Tensor of_last = contiguous(of_fed());
    std::vector<Tensor> outs, looks;
    for (Index t = 0; t < T; ++t) {
      const Tensor h = next(from_words[static_cast<std::size_t>(t)], of_last, state);
      const Attended seen = look(unsqueeze(h, 1), state, of_step(terms, t, T));
      state.fed = combined(squeeze(seen.context, 1), h);
      ++state.t;
      outs.push_back(unsqueeze(state.fed, 1));
      if (terms.need_weights) looks.push_back(seen.weights);
    }
    out = {concat(outs, 1), joined(looks, 1)};
  }
  out.output = forwarded(zero_elsewhere(kOp, out.output, lengths));
  given = std::move(state);
  return out;
}

StackOutput LuongDecoder::operator()(const Tensor& words, const Tensor& source,
                                     const std::vector<Index>& source_lengths, const Terms& terms,
                                     const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  State state = start(source, source_lengths);
  return run(words, state, terms, lengths);
}

}  // namespace heed::attention
