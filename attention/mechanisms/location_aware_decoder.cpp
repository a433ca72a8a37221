#include "location_aware_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "../../autograd/ops/cumulative.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/index.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/pad.h"
#include "../../autograd/ops/shape.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "../finite.h"

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
  if (options.normaliser != nullptr && options.normaliser->goes_on()) {
    throw ValueError(fmt::format("{}: takes no normaliser that goes on from query to query", kOp));
  }
  if (options.hidden == 0) options.hidden = options.state_width;
  if (options.readout == 0) options.readout = options.state_width;
  return options;
}

// [B, K, d] -> [B K, d].
Tensor rows_of(const Tensor& x) { return reshape(x, Shape{x.size(0) * x.size(1), x.size(2)}); }

// The places p - w .. p + w - 1 of each row, as many for all: where an end of the source cuts them
// off, others fill up, which are not inside.
struct Window {
  std::vector<Index> first;  // place of each row
  Tensor rows;               // i64 [B, W]: among rows of [B K, ..]
  Tensor inside;             // bool [B, W]: and the source's mask allows it
};

// The place where half of a row's weights, [B, W] from first[b] on, is reached.
std::vector<Index> medians(const Tensor& weights, const std::vector<Index>& first, Index B) {
  std::vector<Index> out(static_cast<std::size_t>(B), 0);
  if (!weights.defined()) return out;
  const auto all = weights.array().to(DType::f64).to_vector<double>();
  const Index W = weights.size(1);
  for (std::size_t b = 0; b < out.size(); ++b) {
    const double* row = all.data() + static_cast<Index>(b) * W;
    const double total = std::accumulate(row, row + W, 0.0);
    double sum = 0;
    for (Index j = 0; j < W && total > 0; ++j) {  // NaN and weights of 0 leave it at 0
      sum += row[j];
      out[b] = first[b] + j;
      if (sum >= total / 2) break;
    }
  }
  return out;
}

// `allowed`: bool [B, K] or undefined.
Window around(const std::vector<Index>& middles, Index w, Index K, const Tensor& allowed) {
  const auto B = static_cast<Index>(middles.size());
  const Index half = std::min(w, K), W = std::min(2 * half, K);
  const bool* may = allowed.defined() ? allowed.array().data<bool>() : nullptr;
  Window out;
  Array rows = Array::empty(Shape{B, W}, DType::i64);
  Array inside = Array::empty(Shape{B, W}, DType::boolean);
  for (Index b = 0, n = 0; b < B; ++b) {
    const Index middle = middles[static_cast<std::size_t>(b)];
    out.first.push_back(std::clamp<Index>(middle - half, 0, K - W));
    for (Index place = out.first.back(); place < out.first.back() + W; ++place, ++n) {
      rows.mutable_data<Index>()[n] = b * K + place;
      inside.mutable_data<bool>()[n] =
          place >= middle - half && place < middle + half && (may == nullptr || may[b * K + place]);
    }
  }
  out.rows = rows;
  out.inside = inside;
  return out;
}

// What a row's last weights, [B, W] from `before` on and 0 elsewhere, are at `count` places from
// `first` - `margin` on.
Tensor moved(const Tensor& last, const std::vector<Index>& before, const std::vector<Index>& first,
             Index margin, Index count) {
  const Index B = last.size(0), W = last.size(1);
  Array index = Array::empty(Shape{B, count}, DType::i64);
  for (Index b = 0, n = 0; b < B; ++b) {
    const auto row = static_cast<std::size_t>(b);
    for (Index i = 0; i < count; ++i, ++n) {
      const Index place = first[row] - margin + i - before[row];
      index.mutable_data<Index>()[n] = place >= 0 && place < W ? place : W;
    }
  }
  return gather(pad(last, {0, 1}), 1, Tensor(index));
}

}  // namespace

LocationAwareDecoder::LocationAwareDecoder(const LocationAwareDecoderOptions& options)
    : options_(checked(options)),
      score(
          child<LocationAware>("score", LocationAwareOptions{.query_width = options_.state_width,
                                                             .key_width = options_.annotation_width,
                                                             .hidden = options_.hidden,
                                                             .filters = options_.filters,
                                                             .kernel = options_.kernel,
                                                             .dtype = options_.dtype})),
      cell(child<nn::GRUCell>("cell", Checked(kOp, options_.word_width) + options_.annotation_width,
                              options_.state_width, true, options_.dtype)),
      readout(child<nn::Maxout>("readout",
                                Checked(kOp, options_.state_width) + options_.annotation_width,
                                options_.readout, 2, options_.dtype)) {}

void LocationAwareDecoder::State::reorder(const Tensor& rows, bool sources) {
  hidden = index_select(hidden, 0, rows);
  context = index_select(context, 0, rows);
  if (weights.defined()) weights = index_select(weights, 0, rows);
  if (!first.empty()) {
    std::vector<Index> picked;
    for (const Index row : rows.array().to_vector<Index>()) {
      picked.push_back(first[static_cast<std::size_t>(row)]);
    }
    first = picked;
  }
  if (!sources) return;
  source.reorder(rows);
  if (!keys.defined()) return;
  keys = rows_of(source.keys);
  values = rows_of(source.values);
}

LocationAwareDecoder::State LocationAwareDecoder::start(const Tensor& annotations,
                                                        const Mask& mask) const {
  State state;
  state.source = prepare_source(kOp, score, annotations, annotations, mask);
  const Index B = annotations.size(0), K = annotations.size(1);
  if (options_.window > 0 && K > 0) {
    state.keys = rows_of(state.source.keys);
    state.values = rows_of(state.source.values);
    const Tensor allowed = mask.tensor(Shape{B, 1, K}, kOp);
    if (allowed.defined()) {  // made once, that no step is asked for it
      const Tensor each = expand(allowed, Shape{B, 1, K});
      state.source.mask = Mask::key_padding(contiguous(squeeze(each, 1)));
    }
  }
  state.hidden = zeros(Shape{B, options_.state_width}, options_.dtype);
  state.context = zeros(Shape{B, options_.annotation_width}, options_.dtype);
  return state;
}

Attended LocationAwareDecoder::look_at_all(const State& state) const {
  Look look{.normaliser = options_.normaliser, .need_weights = true};
  if (state.weights.defined()) look.last = unsqueeze(state.weights, 1);
  return look_at(kOp, score, state.source, unsqueeze(state.hidden, 1), look);
}

// The same with a mask that allows the window alone, but what it hides is never touched. Gradients
// of picked rows are held as those rows until the last step's is added.
Attended LocationAwareDecoder::look_around(State& state) const {
  const Index B = state.hidden.size(0), K = state.source.keys.size(1);
  const Tensor allowed = state.source.mask.tensor(Shape{B, K}, kOp);
  const Window now = around(medians(state.weights, state.first, B), options_.window, K, allowed);
  Tensor query = unsqueeze(state.hidden, 1);
  Look look{.normaliser = options_.normaliser, .need_weights = true};
  if (state.weights.defined()) {
    const FinitePart past = finite_part(state.weights);
    if (past.bad.defined()) query = with_bad_rows(query, unsqueeze(past.bad, 1));
    const Index W = now.rows.size(1), kernel = options_.kernel;
    look.last = unsqueeze(moved(past.x, state.first, now.first, kernel / 2, W + kernel - 1), 1);
  }
  state.first = now.first;
  const DecoderSource near{embedding(state.keys, now.rows, true),
                           embedding(state.values, now.rows, true), Mask::key_padding(now.inside)};
  return look_at(kOp, score, near, query, look);
}

// [B, K], as they stand in the source.
Tensor LocationAwareDecoder::whole_weights(const State& state) const {
  if (!state.keys.defined()) return state.weights;
  const Index B = state.weights.size(0), W = state.weights.size(1);
  Array places = Array::empty(Shape{B, W}, DType::i64);
  for (Index n = 0; n < B * W; ++n) {
    places.mutable_data<Index>()[n] = state.first[static_cast<std::size_t>(n / W)] + n % W;
  }
  const Tensor none = zeros(Shape{B, state.source.keys.size(1)}, options_.dtype);
  return scatter_add(none, 1, Tensor(places), state.weights);
}

// The state after the word, and where it looks.
void LocationAwareDecoder::advance(const Tensor& from_word, const Tensor& of_context,
                                   State& state) const {
  const RnnWeights weights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
  state.hidden =
      gru_cell_from(from_word + linear(state.context, of_context), state.hidden, weights);
  const Attended seen = state.keys.defined() ? look_around(state) : look_at_all(state);
  state.context = squeeze(seen.context, 1);
  state.weights = squeeze(seen.weights, 1);
}

Attended LocationAwareDecoder::step(const Tensor& word, State& state, bool need_weights) const {
  const Index E = options_.word_width;
  check_word(kOp, word, state.hidden.size(0), E, options_.dtype);
  advance(linear(word, narrow(cell.weight_ih, 1, 0, E), cell.bias_ih),
          narrow(cell.weight_ih, 1, E, options_.annotation_width), state);
  const Tensor out = readout(concat({state.hidden, state.context}, 1));
  return {forwarded(out), need_weights ? whole_weights(state) : Tensor()};
}

Attended LocationAwareDecoder::run(const Tensor& target, State& state, bool need_weights,
                                   const std::vector<Index>& lengths) const {
  const Index E = options_.word_width;
  const Tensor words = checked_words(kOp, target, state.hidden.size(0), E, options_.dtype, lengths);
  const Index B = words.size(0), T = words.size(1);
  if (T == 0) {
    return {
        forwarded(zeros(Shape{B, 0, options_.readout}, options_.dtype)),
        need_weights ? zeros(Shape{B, 0, state.source.keys.size(1)}, options_.dtype) : Tensor()};
  }
  const std::vector<Tensor> from_words = shares_of(words, cell.weight_ih, cell.bias_ih);
  const Tensor of_context = contiguous(narrow(cell.weight_ih, 1, E, options_.annotation_width));
  std::vector<Tensor> seen, looks;
  for (Index t = 0; t < T; ++t) {
    advance(from_words[static_cast<std::size_t>(t)], of_context, state);
    seen.push_back(concat({state.hidden, state.context}, 1));
    if (need_weights) looks.push_back(whole_weights(state));
  }
  const Tensor out = readout(stack(seen, 1));
  return {forwarded(zero_padding(kOp, out, lengths)), need_weights ? stack(looks, 1) : Tensor()};
}

Attended LocationAwareDecoder::operator()(const Tensor& words, const Tensor& annotations,
                                          const Mask& mask, bool need_weights,
                                          const std::vector<Index>& lengths) const {
  State state = start(annotations, mask);
  return run(words, state, need_weights, lengths);
}

}  // namespace heed::attention
