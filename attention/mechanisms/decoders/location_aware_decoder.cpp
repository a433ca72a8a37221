#include "location_aware_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../../../autograd/factories.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "location_aware_decoder";

LocationAwareDecoderOptions checked(LocationAwareDecoderOptions options) {
  if (options.word_width <= 0 || options.annotation_width <= 0 || options.state_width <= 0 ||
      options.filters <= 0 || options.hidden < 0 || options.readout < 0 || options.window < 0) {
    throw ValueError(fmt::format(
        "{}: word_width {}, annotation_width {}, state_width {} and filters {} must be positive, "
        "hidden {}, readout {} and window {} not negative",
        kOp, options.word_width, options.annotation_width, options.state_width, options.filters,
        options.hidden, options.readout, options.window));
  }
  if (options.kernel <= 0 || options.kernel % 2 == 0) {
    throw ValueError(fmt::format("{}: kernel {} must be positive and odd", kOp, options.kernel));
  }
  if (options.score != nullptr && options.score->per_feature()) {
    throw ValueError(fmt::format("{}: takes no score for each feature", kOp));
  }
  if (options.window > 0 && options.normaliser != nullptr && options.normaliser->is_stateful()) {
    throw ValueError(
        fmt::format("{}: with a window takes no normaliser that goes on from query to query", kOp));
  }
  if (options.window > 0 && options.score != nullptr && !options.score->uses_previous_weights()) {
    throw ValueError(fmt::format("{}: a window wants a score that uses previous weights", kOp));
  }
  if (options.window > 0 && options.score != nullptr) {
    // Weights are laid out for its kernel.
    const auto* own = dynamic_cast<const LocationAware*>(options.score.get());
    if (own == nullptr) throw ValueError(fmt::format("{}: a window wants LocationAware", kOp));
    options.kernel = own->location.weight.size(2);
  }
  if (options.hidden == 0) options.hidden = options.state_width;
  if (options.readout == 0) options.readout = options.state_width;
  return options;
}

// The places p - w .. p + w - 1 of each row, as many for all: where an end of the source cuts them
// off, others fill up, which are not inside.
struct Window {
  Tensor first;   // i64 [B]: place of each row
  Tensor places;  // i64 [B, W]
  Tensor inside;  // bool [B, W]: and the source's mask allows it
};

// The place where half of a row's weights, [B, W] from first[b] on, is reached: i64 [B]. NaN and
// weights of 0 leave it at 0.
Tensor medians(const Tensor& weights, const Tensor& first, Index B) {
  if (!weights.defined()) return zeros(Shape{B}, DType::i64);
  const NoGrad off;
  const Tensor sums = cumsum(to(weights.detach(), DType::f64), 1);
  const Tensor total = narrow(sums, 1, weights.size(1) - 1, 1);  // [B, 1]
  const Tensor before = sum(to(sums < total / 2, DType::i64), {1});
  return where(squeeze(total, 1) > 0.0, first + before, 0);
}

// `allowed`: bool [B, K] or undefined.
Window around(const Tensor& middles, Index w, Index K, const Tensor& allowed) {
  const Index half = std::min(w, K), W = std::min(2 * half, K);
  Window out;
  out.first = minimum(maximum(middles - half, tensor(Index{0})), tensor(K) - W);
  out.places = unsqueeze(out.first, 1) + arange(W);
  const Tensor from = unsqueeze(middles, 1) - half;
  out.inside = logical_and(out.places >= from, out.places < from + 2 * half);
  if (allowed.defined()) {
    const Tensor rows = expand(allowed, Shape{middles.size(0), K});
    out.inside = logical_and(out.inside, gather(rows, 1, out.places));
  }
  return out;
}

// A state that has made steps with a window, and a decoder without, or the other way round.
void check_own(const LocationAwareDecoder::State& state, bool windowed) {
  if (!state.past.weights.defined() || state.first.defined() == windowed) return;
  throw ValueError(fmt::format("{}: the state is of a decoder {} a window, this one is {}", kOp,
                               windowed ? "without" : "with", windowed ? "with" : "without"));
}

// What a row's last weights, [B, W] from `before` on and 0 elsewhere, are at `count` places from
// `first` - `margin` on.
Tensor moved(const Tensor& last, const Tensor& before, const Tensor& first, Index margin,
             Index count) {
  const Index W = last.size(1);
  const Tensor place = unsqueeze(first - before - margin, 1) + arange(count);
  const Tensor kept = logical_and(place >= tensor(Index{0}), place < tensor(W));
  return gather(pad(last, {0, 1}), 1, where(kept, place, tensor(W)));
}

}  // namespace

LocationAwareDecoder::LocationAwareDecoder(const LocationAwareDecoderOptions& options)
    : options_(checked(options)),
      score(options_.score != nullptr
                ? shared_child("score", options_.score)
                : static_cast<Score&>(child<LocationAware>(
                      "score", LocationAwareOptions{.query_width = options_.state_width,
                                                    .key_width = options_.annotation_width,
                                                    .hidden = options_.hidden,
                                                    .filters = options_.filters,
                                                    .kernel = options_.kernel,
                                                    .dtype = options_.dtype}))),
      cell(child<nn::GRUCell>("cell", Checked(kOp, options_.word_width) + options_.annotation_width,
                              options_.state_width, true, options_.dtype)),
      readout(child<nn::Maxout>("readout",
                                Checked(kOp, options_.state_width) + options_.annotation_width,
                                options_.readout, 2, options_.dtype)) {
  // One that adds noise in training hears of the mode.
  if (options_.normaliser != nullptr) shared_child("normaliser", options_.normaliser);
}

void LocationAwareDecoder::State::reorder(const Tensor& rows, bool sources) {
  const Memory carried = sources ? memory.rows(rows) : memory;  // or it throws
  hidden = index_select(hidden, 0, rows);
  context = index_select(context, 0, rows);
  past.reorder(rows);
  if (first.defined()) first = index_select(first, 0, rows);
  memory = carried;
}

LocationAwareDecoder::State LocationAwareDecoder::start(const Tensor& annotations,
                                                        const Mask& mask) const {
  check_batch(kOp, "keys", annotations);
  State state;
  const Index B = annotations.size(0), K = annotations.size(1);
  Mask keys = mask;
  if (options_.window > 0) {
    const Tensor allowed = mask.tensor(Shape{B, 1, K}, kOp);
    if (allowed.defined()) {  // made once, that no step is asked for it
      keys = Mask::key_padding(contiguous(squeeze(expand(allowed, Shape{B, 1, K}), 1)));
    }
  }
  state.memory = decoder_memory(kOp, score, annotations, annotations, keys);
  if (options_.window > 0) state.memory.lay_out_places();
  state.hidden = zeros(Shape{B, options_.state_width}, cell.weight_ih.dtype());
  state.context = zeros(Shape{B, options_.annotation_width}, cell.weight_ih.dtype());
  return state;
}

// As if by a mask that allows the window alone, but what it hides is never touched.
Attended LocationAwareDecoder::look_around(State& state, const Terms& terms) const {
  check_window_terms(kOp, terms);
  const Index B = state.hidden.size(0), K = state.memory.keys().size(1);
  const Tensor last = state.past.weights.defined() ? squeeze(state.past.weights, 1) : Tensor();
  const Tensor allowed = state.memory.mask().tensor(Shape{B, K}, kOp);
  Tensor seen = last;  // of a look that gave NaN nobody knows where it led
  if (last.defined() && state.past.spoiled.defined()) {
    seen = with_bad(last, squeeze(state.past.spoiled, 1));
  }
  const Window now = around(medians(seen, state.first, B), options_.window, K, allowed);
  if (last.defined()) {
    const Index W = now.places.size(1), kernel = options_.kernel;
    state.past.weights =
        unsqueeze(moved(last, state.first, now.first, kernel / 2, W + kernel - 1), 1);
  }
  state.first = now.first;
  const Memory near = state.memory.places(now.places, Mask::key_padding(now.inside));
  Attended out = near.step(state.hidden, state.past, terms);
  if (terms.need_weights) {  // as they stand in the source
    out.weights =
        scatter_add(zeros(Shape{B, K}, cell.weight_ih.dtype()), 1, now.places, out.weights);
  }
  return out;
}

// The state after the word, and where it looks.
Attended LocationAwareDecoder::advance(const Tensor& from_word, const Tensor& of_context,
                                       State& state, const Terms& given) const {
  const RnnWeights weights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
  const bool windowed = options_.window > 0 && state.memory.keys().size(1) > 0;
  check_own(state, windowed);
  state.hidden =
      gru_cell_from(from_word + linear(state.context, of_context), state.hidden, weights);
  Terms terms = given;
  if (terms.normaliser == nullptr) terms.normaliser = options_.normaliser.get();
  Attended seen = named(kOp, [&] {
    return windowed ? look_around(state, terms)
                    : state.memory.step(state.hidden, state.past, terms);
  });
  state.context = seen.context;
  return seen;
}

StackOutput LocationAwareDecoder::step(const Tensor& word, State& given, const Terms& terms) const {
  const Scope scope(*this);
  const Index E = options_.word_width;
  check_word(kOp, word, given.hidden.size(0), E, cell.weight_ih.dtype());
  State state = given;  // as it was where a look throws
  const Attended seen =
      advance(linear(word, narrow(cell.weight_ih, 1, 0, E), cell.bias_ih),
              narrow(cell.weight_ih, 1, E, options_.annotation_width), state, terms);
  const Tensor out = forwarded(readout(concat({state.hidden, seen.context}, 1)));
  given = std::move(state);
  return {out, weights_of(seen)};
}

StackOutput LocationAwareDecoder::run(const Tensor& target, State& given, const Terms& terms,
                                      const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  const Index E = options_.word_width;
  const Tensor words =
      checked_words(kOp, target, given.hidden.size(0), E, cell.weight_ih.dtype(), lengths);
  const Index B = words.size(0), T = words.size(1);
  if (T == 0) {
    return nothing_decoded(forwarded(zeros(Shape{B, 0, options_.readout}, cell.weight_ih.dtype())),
                           given.memory, terms);
  }
  const std::vector<Tensor> from_words = shares_of(words, cell.weight_ih, cell.bias_ih);
  const Tensor of_context = contiguous(narrow(cell.weight_ih, 1, E, options_.annotation_width));
  State state = given;  // as it was where a look throws
  std::vector<Tensor> seen, looks;
  for (const Tensor& from_word : from_words) {
    const Attended now = advance(from_word, of_context, state, terms);
    seen.push_back(concat({state.hidden, now.context}, 1));
    if (terms.need_weights) looks.push_back(now.weights);
  }
  const Tensor out = forwarded(zero_elsewhere(kOp, readout(stack(seen, 1)), lengths));
  given = std::move(state);
  return {out, stacked(looks)};
}

StackOutput LocationAwareDecoder::operator()(const Tensor& words, const Tensor& annotations,
                                             const Mask& mask, const Terms& terms,
                                             const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  State state = start(annotations, mask);
  return run(words, state, terms, lengths);
}

}  // namespace heed::attention
