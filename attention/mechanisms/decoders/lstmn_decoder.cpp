#include "lstmn_decoder.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/decoder_checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "LSTMNDecoder";

LSTMNDecoderOptions checked(LSTMNDecoderOptions o) {
  if (o.input <= 0 || o.hidden <= 0 || o.source <= 0 || o.attention < 0) {
    throw ValueError(
        fmt::format("{}: input {}, hidden {} and source {} must be positive, attention {} not "
                    "negative",
                    kName, o.input, o.hidden, o.source, o.attention));
  }
  if (o.span == 0 || o.span < -1) {
    throw ValueError(fmt::format("{}: a span of {} steps; -1 is no bound", kName, o.span));
  }
  if (o.fusion == Fusion::deep && o.source != o.hidden) {
    throw ValueError(
        fmt::format("{}: deep fusion adds a memory of the source's width {} to one of {}", kName,
                    o.source, o.hidden));
  }
  if (o.attention == 0) o.attention = o.hidden;
  return o;
}

LSTMNOptions cell_options(const LSTMNDecoderOptions& o) {
  return {.input = Checked(kName, o.input) + (o.fusion == Fusion::shallow ? o.source : 0),
          .hidden = o.hidden,
          .attention = o.attention,
          .span = o.span,
          .dtype = o.dtype};
}

// A state of a decoder of another width or another fusion, whose score's widths may fit all the
// same.
void check_own(const LSTMNDecoder::State& state, const LSTMNDecoderOptions& o) {
  check_defined(kName, state.last, "the state");
  const bool deep = o.fusion == Fusion::deep;
  const Index last = deep ? o.source : o.hidden, values = (deep ? 2 : 1) * o.source;
  if (state.last.size(-1) == last && state.memory.values().size(-1) == values) return;
  throw ShapeError(fmt::format(
      "{}: the state is of another decoder: its last look or h must be [B, {}], not {}, and its "
      "memory's values [B, S, {}], not {}",
      kName, last, describe(state.last), values, describe(state.memory.values())));
}

}  // namespace

LSTMNDecoder::LSTMNDecoder(const LSTMNDecoderOptions& options)
    : options_(checked(options)),
      cell(child<LSTMNCell>("cell", cell_options(options_))),
      score(child<Additive>("score",
                            options.fusion == Fusion::deep
                                ? Index{Checked(kName, options.input) + options.source}
                                : options.hidden,
                            options.source, options_.attention, false, options.dtype)),
      fusion_gate(options.fusion == Fusion::deep
                      ? &child<nn::Linear>("fusion_gate",
                                           Checked(kName, options.source) + options.input,
                                           options.hidden, true, options.dtype)
                      : nullptr) {}

LSTMNDecoder::State LSTMNDecoder::start(const Tensor& hidden, const Tensor& memory,
                                        const Mask& mask) const {
  const bool deep = options_.fusion == Fusion::deep;
  const DType dtype = score.score_vector.dtype();
  check_batch(kName, "the source's hidden tape", hidden);
  check_rows(kName, "the source's hidden tape", hidden, options_.source, dtype);
  Tensor values = hidden;
  if (deep) {
    check_batch(kName, "the source's memory tape", memory);
    check_rows(kName, "the source's memory tape", memory, options_.source, dtype);
    if (memory.shape() != hidden.shape()) {
      throw ShapeError(fmt::format("{}: the source's tapes differ: {} and {}", kName,
                                   describe(hidden), describe(memory)));
    }
    values = concat({hidden, memory}, -1);
  }
  return {named(kName, [&] { return Memory(score, hidden, values, mask); }),
          {},
          zeros({hidden.size(0), deep ? options_.source : options_.hidden}, dtype)};
}

void LSTMNDecoder::State::reorder(const Tensor& rows, bool sources) {
  const Memory carried = sources ? memory.rows(rows) : memory;  // or it throws
  last = index_select(last, 0, rows);
  own.reorder(rows);
  memory = carried;
}

LSTMNDecoderOutput LSTMNDecoder::step(const Tensor& x, State& state, const Terms& terms) const {
  const Scope scope(*this);
  check_defined(kName, x, "x");
  check_own(state, options_);
  check_state(kName, "a step's x", x, Shape{state.last.size(0), options_.input},
              score.score_vector.dtype());
  const bool deep = options_.fusion == Fusion::deep;
  const Attended seen = named(kName, [&] {
    return state.memory.step(deep ? concat({x, state.last}, 1) : state.last, terms);
  });
  LSTMNDecoderOutput out;
  out.weights = weights_of(seen);
  Tensor* const intra = terms.need_weights ? &out.intra_weights : nullptr;
  if (!deep) {
    state.last = cell(concat({x, seen.context}, 1), state.own, intra).h;
    out.output = forwarded(state.last);
    return out;
  }
  const auto source = split(seen.context, options_.source, 1);  // gammatilde, alphatilde
  const LstmState own = cell.summarise(x, cell.input_attention(x), state.own, intra);
  const auto gates = split(heed::linear(x, cell.gates.weight_ih, cell.gates.bias_ih) +
                               heed::linear(own.h, cell.gates.weight_hh, cell.gates.bias_hh),
                           options_.hidden, 1);  // i, f, g, o
  const Tensor r = sigmoid((*fusion_gate)(concat({source[0], x}, 1)));
  LstmState after;
  after.c = r * source[1] + sigmoid(gates[1]) * own.c + sigmoid(gates[0]) * tanh(gates[2]);
  after.h = sigmoid(gates[3]) * tanh(after.c);
  cell.remember(after, state.own);
  state.last = source[0];
  out.output = forwarded(after.h);
  return out;
}

LSTMNDecoderOutput LSTMNDecoder::run(const Tensor& x, State& state, const Terms& terms,
                                     const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  check_batch(kName, "x", x);
  check_rows(kName, "x", x, options_.input, score.score_vector.dtype());
  check_own(state, options_);
  const Index B = x.size(0), T = x.size(1);
  if (state.last.size(0) != B) {
    throw ShapeError(
        fmt::format("{}: {} rows of x and {} of the source", kName, B, state.last.size(0)));
  }
  const MaskedSequence read = masked_sequence(kName, "x", x, lengths);
  std::vector<Tensor> outputs, weights, intra;
  for (Index t = 0; t < T; ++t) {
    const LSTMNDecoderOutput now = step(select(read.x, 1, t), state, terms);
    outputs.push_back(now.output);
    if (!terms.need_weights) continue;
    weights.push_back(now.weights.front());
    intra.push_back(now.intra_weights);
  }
  const auto whole = [&](const Tensor& all) { return zero_elsewhere(all, read.real); };
  LSTMNDecoderOutput out;
  out.output =
      forwarded(whole(T == 0 ? zeros({B, 0, options_.hidden}, x.dtype()) : stack(outputs, 1)));
  if (terms.need_weights) {
    const Index S = state.memory.keys().size(1);
    out.weights = {whole(T == 0 ? zeros({B, 0, S}, x.dtype()) : stack(weights, 1))};
    out.intra_weights = whole(past_weights(intra, B, x.dtype()));
  }
  return out;
}

LSTMNDecoderOutput LSTMNDecoder::operator()(const Tensor& x, const Tensor& hidden,
                                            const Tensor& memory, const Mask& mask,
                                            const Terms& terms,
                                            const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  State state = start(hidden, memory, mask);
  return run(x, state, terms, lengths);
}

}  // namespace heed::attention
