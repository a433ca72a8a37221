#include "bahdanau_decoder.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "bahdanau_decoder";

BahdanauOptions checked(BahdanauOptions options) {
  if (options.word_width <= 0 || options.annotation_width <= 0 || options.state_width <= 0 ||
      options.hidden < 0 || options.readout < 0 || options.start_width < 0) {
    throw ValueError(fmt::format(
        "{}: word_width {}, annotation_width {} and state_width {} must be positive, hidden {}, "
        "readout {} and start_width {} not negative",
        kOp, options.word_width, options.annotation_width, options.state_width, options.hidden,
        options.readout, options.start_width));
  }
  if (options.start_width == 0 && options.annotation_width % 2 == 1) {
    throw ValueError(fmt::format("{}: an annotation_width of {} has no half: give start_width", kOp,
                                 options.annotation_width));
  }
  if (options.start_width == 0) options.start_width = options.annotation_width / 2;
  if (options.layers <= 0) {
    throw ValueError(fmt::format("{}: layers {} must be positive", kOp, options.layers));
  }
  if (options.score != nullptr &&
      (options.score->uses_previous_weights() || options.score->per_feature())) {
    throw ValueError(
        fmt::format("{}: takes no score that looks back, and none for each feature", kOp));
  }
  if (options.hidden == 0) options.hidden = options.state_width;
  if (options.readout == 0) options.readout = options.state_width;
  return options;
}

}  // namespace

BahdanauDecoder::BahdanauDecoder(const BahdanauOptions& options)
    : options_(checked(options)),
      initial(child<nn::Linear>("initial", options_.start_width,
                                Checked(kOp, options_.layers) * options_.state_width, true,
                                options_.dtype)),
      score(options_.score != nullptr
                ? shared_child("score", options_.score)
                : static_cast<Score&>(child<Additive>("score", options_.state_width,
                                                      options_.annotation_width, options_.hidden,
                                                      false, options_.dtype))),
      cell(child<nn::GRUCell>("cell", Checked(kOp, options_.word_width) + options_.annotation_width,
                              options_.state_width, true, options_.dtype)),
      upper(child<nn::ModuleListOf<nn::GRUCell>>("upper")),
      readout(child<nn::Maxout>(
          "readout",
          Checked(kOp, options_.state_width) + options_.word_width + options_.annotation_width,
          options_.readout, 2, options_.dtype)) {
  for (Index i = 1; i < options_.layers; ++i) {
    upper.add(options_.state_width, options_.state_width, true, options_.dtype);
  }
}

// The cells above the first, which has gone on.
void BahdanauDecoder::rise(State& state) const {
  for (std::size_t i = 0; i < upper.size(); ++i) {
    state.layers[i + 1] = upper[i](state.layers[i], state.layers[i + 1]);
  }
}

void BahdanauDecoder::State::reorder(const Tensor& rows, bool sources) {
  const Memory carried = sources ? memory.rows(rows) : memory;  // or it throws
  for (Tensor& state : layers) state = index_select(state, 0, rows);
  memory = carried;
}

BahdanauDecoder::State BahdanauDecoder::start(const Tensor& annotations, const Mask& mask,
                                              const Tensor& summary) const {
  State state{{}, decoder_memory(kOp, score, annotations, annotations, mask)};
  const Index B = annotations.size(0), K = annotations.size(1), width = options_.start_width;
  Tensor from = summary;
  if (from.defined()) {
    check_state(kOp, "the summary", from, Shape{B, width}, cell.weight_ih.dtype());
  } else if (K == 0) {
    from = zeros(Shape{B, width}, cell.weight_ih.dtype());
  } else if (width > options_.annotation_width) {
    throw ShapeError(
        fmt::format("{}: annotations {} have no {} features to start from: give a "
                    "summary",
                    kOp, describe(annotations), width));
  } else {
    from = narrow(select(annotations, 1, 0), 1, options_.annotation_width - width, width);
    const Tensor real = mask.tensor(Shape{B, 1, K}, kOp);
    if (real.defined()) {
      const Tensor first = narrow(expand(real, Shape{B, 1, K}), -1, 0, 1);
      from = where(select(first, 1, 0), from, 0);
    }
  }
  state.layers = split(tanh(initial(from)), options_.state_width, 1);
  return state;
}

StackOutput BahdanauDecoder::step(const Tensor& word, State& state, const Terms& terms) const {
  const Scope scope(*this);
  const Index E = options_.word_width;
  check_layers(kOp, state.layers.size(), upper.size() + 1);
  check_looks_anew(kOp, score, terms.normaliser);
  check_word(kOp, word, state.layers[0].size(0), E, cell.weight_ih.dtype());
  const Tensor before = state.layers.back();
  const Attended seen = named(kOp, [&] { return state.memory.step(before, terms); });
  state.layers[0] = cell(concat({word, seen.context}, 1), state.layers[0]);
  rise(state);
  const Tensor& from = options_.readout_of_state ? state.layers.back() : before;
  return {forwarded(readout(concat({from, word, seen.context}, 1))), weights_of(seen)};
}

StackOutput BahdanauDecoder::run(const Tensor& target, State& state, const Terms& terms,
                                 const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  const Index E = options_.word_width, dk = options_.annotation_width;
  check_layers(kOp, state.layers.size(), upper.size() + 1);
  check_looks_anew(kOp, score, terms.normaliser);
  const Tensor words =
      checked_words(kOp, target, state.layers[0].size(0), E, cell.weight_ih.dtype(), lengths);
  const Index B = words.size(0), T = words.size(1);
  if (T == 0) {
    return nothing_decoded(forwarded(zeros(Shape{B, 0, options_.readout}, cell.weight_ih.dtype())),
                           state.memory, terms);
  }
  // What words give to the gates, and the readout, need not wait for the step before.
  const std::vector<Tensor> from_words = shares_of(words, cell.weight_ih, cell.bias_ih);
  const Tensor of_context = contiguous(narrow(cell.weight_ih, 1, E, dk));
  const RnnWeights weights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
  std::vector<Tensor> states, contexts, looks;
  for (Index t = 0; t < T; ++t) {
    const Tensor query = unsqueeze(state.layers.back(), 1);
    const Attended seen =
        named(kOp, [&] { return state.memory.attend(query, of_step(terms, t, T)); });
    contexts.push_back(seen.context);
    if (terms.need_weights) looks.push_back(seen.weights);
    const Tensor from_x =
        from_words[static_cast<std::size_t>(t)] + linear(squeeze(seen.context, 1), of_context);
    state.layers[0] = gru_cell_from(from_x, state.layers[0], weights);
    rise(state);
    states.push_back(options_.readout_of_state ? unsqueeze(state.layers.back(), 1) : query);
  }
  const Tensor out = readout(concat({concat(states, 1), words, concat(contexts, 1)}, -1));
  return {forwarded(zero_elsewhere(kOp, out, lengths)), joined(looks, 1)};
}

StackOutput BahdanauDecoder::operator()(const Tensor& words, const Tensor& annotations,
                                        const Mask& mask, const Terms& terms,
                                        const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  State state = start(annotations, mask);
  return run(words, state, terms, lengths);
}

}  // namespace heed::attention
