#include "location_aware_decoder.h"

#include <fmt/format.h>

#include "../../autograd/ops/cumulative.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/index.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"

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
      cell(child<nn::GRUCell>("cell", options_.word_width + options_.annotation_width,
                              options_.state_width, true, options_.dtype)),
      readout(child<nn::Maxout>("readout", options_.state_width + options_.annotation_width,
                                options_.readout, 2, options_.dtype)) {}

void LocationAwareDecoder::State::reorder(const Tensor& rows, bool sources) {
  hidden = index_select(hidden, 0, rows);
  context = index_select(context, 0, rows);
  if (weights.defined()) weights = index_select(weights, 0, rows);
  if (sources) source.reorder(rows);
}

LocationAwareDecoder::State LocationAwareDecoder::start(const Tensor& annotations,
                                                        const Mask& mask) const {
  State state;
  state.source = prepare_source(kOp, score, annotations, annotations, mask);
  const Index B = annotations.size(0);
  state.hidden = zeros(Shape{B, options_.state_width}, options_.dtype);
  state.context = zeros(Shape{B, options_.annotation_width}, options_.dtype);
  return state;
}

// bool [B, 1, K]: the places around the median of the last weights.
Mask LocationAwareDecoder::window(const State& state) const {
  const Index K = state.source.keys.size(1), B = state.hidden.size(0);
  if (options_.window == 0 || K == 0) return Mask();
  std::vector<double> last(static_cast<std::size_t>(B * K), 0.0);
  if (state.weights.defined()) last = state.weights.array().to(DType::f64).to_vector<double>();
  Array allowed = Array::zeros(Shape{B, 1, K}, DType::boolean);
  for (Index b = 0; b < B; ++b) {
    const double* row = last.data() + b * K;
    double total = 0, sum = 0;
    for (Index j = 0; j < K; ++j) total += row[j];
    Index median = 0;  // NaN and weights of 0 leave it there
    for (Index j = 0; j < K && total > 0; ++j) {
      sum += row[j];
      median = j;
      if (sum >= total / 2) break;
    }
    for (Index j = std::max<Index>(median - options_.window, 0);
         j < std::min(median + options_.window, K); ++j) {
      allowed.mutable_data<bool>()[b * K + j] = true;
    }
  }
  return Mask(Tensor(allowed));
}

// The state after the word, and where it looks.
void LocationAwareDecoder::advance(const Tensor& from_word, const Tensor& of_context,
                                   State& state) const {
  const RnnWeights weights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
  state.hidden =
      gru_cell_from(from_word + linear(state.context, of_context), state.hidden, weights);
  Look look{.mask = window(state), .normaliser = options_.normaliser, .need_weights = true};
  if (state.weights.defined()) look.last = unsqueeze(state.weights, 1);
  const Attended seen = look_at(kOp, score, state.source, unsqueeze(state.hidden, 1), look);
  state.context = squeeze(seen.context, 1);
  state.weights = squeeze(seen.weights, 1);
}

Attended LocationAwareDecoder::step(const Tensor& word, State& state, bool need_weights) const {
  const Index E = options_.word_width;
  check_word(kOp, word, state.hidden.size(0), E, options_.dtype);
  advance(linear(word, narrow(cell.weight_ih, 1, 0, E), cell.bias_ih),
          narrow(cell.weight_ih, 1, E, options_.annotation_width), state);
  const Tensor out = readout(concat({state.hidden, state.context}, 1));
  return {forwarded(out), need_weights ? state.weights : Tensor()};
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
    looks.push_back(state.weights);
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
