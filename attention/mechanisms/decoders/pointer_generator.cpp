#include "pointer_generator.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/losses/cross_entropy.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/decoder_checks.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "pointer_generator";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

PointerGeneratorOptions checked(PointerGeneratorOptions options) {
  if (options.word_width <= 0 || options.annotation_width <= 0 || options.state_width <= 0 ||
      options.vocabulary <= 0 || options.hidden < 0) {
    throw ValueError(
        fmt::format("{}: word_width {}, annotation_width {}, state_width {} and vocabulary {} must "
                    "be positive, hidden {} not negative",
                    kOp, options.word_width, options.annotation_width, options.state_width,
                    options.vocabulary, options.hidden));
  }
  if (options.hidden == 0) options.hidden = options.state_width;
  return options;
}

void check_ids(const char* what, const Tensor& ids, const Shape& shape) {
  check_defined(kOp, ids, what);
  check_state(kOp, what, ids, shape, DType::i64);
}

// ids with 0 where nobody may look.
Tensor real_ids(const Tensor& ids, const Tensor& real) {
  Array out = ids.array().contiguous().clone();
  Index* to = out.mutable_data<Index>();
  std::vector<bool> may(static_cast<std::size_t>(out.numel()), true);
  if (real.defined()) {
    may = expand(real, ids.shape()).array().to_vector<bool>();
  }
  for (Index i = 0; i < out.numel(); ++i) {
    if (!may[static_cast<std::size_t>(i)]) {
      to[i] = 0;
    } else if (to[i] < 0) {
      throw IndexError(fmt::format("{}: id {} of the source is below 0", kOp, to[i]));
    }
  }
  return out;
}

}  // namespace

Tensor PointerGeneratorOutput::distribution(Index extended) const {
  const Index V = output.size(-1), B = ids.size(0);
  if (extended < V) {
    throw ValueError(
        fmt::format("{}: an extended vocabulary of {} is less than {}", kOp, extended, V));
  }
  const Index T = output.rank() == 3 ? output.size(1) : 1;
  const auto by_step = [&](const Tensor& x, Index last) { return reshape(x, Shape{B, T, last}); };
  const Tensor z = by_step(gate, 1);
  const Tensor written = sigmoid(z) * softmax(by_step(output, V), -1);
  const Tensor beyond = zeros(Shape{B, T, extended - V}, output.dtype());
  const Tensor copied = sigmoid(-z) * by_step(weights.front(), ids.size(1));
  const Tensor out = named(kOp, [&] {
    return scatter_add(concat({written, beyond}, -1), -1, expand(unsqueeze(ids, 1), copied.shape()),
                       copied);
  });
  return output.rank() == 3 ? out : squeeze(out, 1);
}

Tensor PointerGeneratorOutput::log_likelihood(const Tensor& targets) const {
  check_ids("targets", targets, gate.shape());
  const Index V = output.size(-1);
  Array known = targets.array().contiguous().clone();  // -1 where the vocabulary has no such word
  Array copied = Array::zeros(weights.front().shape(), DType::boolean);
  const auto source = ids.array().to_vector<Index>();
  const Index K = ids.size(1), steps = known.numel() / std::max<Index>(ids.size(0), 1);
  for (Index i = 0; i < known.numel(); ++i) {
    const Index wanted = known.data<Index>()[i];
    for (Index k = 0; k < K; ++k) {
      copied.mutable_data<bool>()[i * K + k] =
          source[static_cast<std::size_t>(i / steps * K + k)] == wanted;
    }
    if (wanted < 0 || wanted >= V) known.mutable_data<Index>()[i] = -1;
  }
  const Tensor counts = targets >= 0, in_vocabulary = Tensor(known) >= 0;
  const Tensor written = -cross_entropy(reshape(output, Shape{gate.numel(), V}),
                                        reshape(Tensor(known), Shape{gate.numel()}),
                                        {.ignore_index = -1, .reduction = Reduction::none});
  const Tensor log_written = where(in_vocabulary, reshape(written, gate.shape()), -kInfinity);
  const Tensor share = sum(where(Tensor(copied), weights.front(), 0), {-1});
  const Tensor none = share == 0;
  const Tensor log_copied = where(none, -kInfinity, log(where(none, 1, share)));
  // In logarithms all the way: neither way to the word may be so unlikely that it has no gradient.
  const Tensor both = stack({log_sigmoid(gate) + log_written, log_sigmoid(-gate) + log_copied}, -1);
  return where(counts, logsumexp(both, {-1}), 0);
}

Tensor PointerGeneratorOutput::copies(const Tensor& targets) const {
  check_ids("targets", targets, gate.shape());
  const Tensor places = gate.rank() == 2 ? unsqueeze(ids, 1) : ids;
  const Tensor share = unsqueeze(sigmoid(-gate), -1) * weights.front();
  return where(unsqueeze(targets, -1) == places, share, 0);
}

PointerGenerator::PointerGenerator(const PointerGeneratorOptions& options)
    : options_(checked(options)),
      cell(child<nn::LSTMCell>("cell",
                               Checked(kOp, options_.word_width) + options_.annotation_width,
                               options_.state_width, true, options_.dtype)),
      attend(child<Coverage>("attend", options_.state_width, options_.annotation_width,
                             options_.hidden, options_.dtype)),
      inner(child<nn::Linear>("inner",
                              Checked(kOp, options_.state_width) + options_.annotation_width,
                              options_.state_width, true, options_.dtype)),
      vocabulary(child<nn::Linear>("vocabulary", options_.state_width, options_.vocabulary, true,
                                   options_.dtype)),
      gate(child<nn::Linear>(
          "gate",
          Checked(kOp, options_.annotation_width) + options_.state_width + options_.word_width, 1,
          true, options_.dtype)) {}

void PointerGenerator::State::reorder(const Tensor& rows, bool sources) {
  const Memory carried = sources ? memory.rows(rows) : memory;  // or it throws
  for (Tensor* x : {&lstm.h, &lstm.c, &context}) *x = index_select(*x, 0, rows);
  past.reorder(rows);
  if (!sources) return;
  ids = index_select(ids, 0, rows);
  if (copies.defined()) copies = index_select(copies, 0, rows);
  memory = carried;
}

PointerGenerator::State PointerGenerator::start(const Tensor& annotations, const Tensor& ids,
                                                const Mask& mask, const LstmState& begin) const {
  check_batch(kOp, "annotations", annotations);
  check_rows(kOp, "annotations", annotations, options_.annotation_width, gate.weight.dtype());
  const Index B = annotations.size(0), K = annotations.size(1);
  check_ids("ids", ids, Shape{B, K});
  const Tensor real = mask.tensor(Shape{B, 1, K}, kOp);
  State state;
  if (real.defined()) state.copies = expand(any(real, {-1}), Shape{B, 1});
  if (K == 0) state.copies = zeros(Shape{B, 1}) > 0;
  state.ids = real_ids(ids, real.defined() ? squeeze(expand(real, Shape{B, 1, K}), 1) : real);
  state.memory = named(kOp, [&] { return attend.prepare(annotations, annotations, mask); });
  const Shape shape{B, options_.state_width};
  state.lstm = begin;
  for (Tensor* x : {&state.lstm.h, &state.lstm.c}) {
    if (!x->defined()) *x = zeros(shape, gate.weight.dtype());
    check_state(kOp, "the first state", *x, shape, gate.weight.dtype());
  }
  state.context = zeros(Shape{B, options_.annotation_width}, gate.weight.dtype());
  return state;
}

// The state after the word, and what it looks at.
CoverageOutput PointerGenerator::advance(const Tensor& from_word, const Tensor& of_context,
                                         State& state, const Terms& terms) const {
  const RnnWeights weights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
  state.lstm = lstm_cell_from(from_word + linear(state.context, of_context), state.lstm, weights);
  if (!options_.coverage) {  // what a normaliser goes on from is another matter
    state.past.weights = Tensor();
    if (!state.past.state.defined()) state.past.spoiled = Tensor();
  }
  CoverageOutput seen =
      named(kOp, [&] { return attend.step(state.lstm.h, state.memory, state.past, terms); });
  state.context = seen.context;
  return seen;
}

// Of a step or of all of them.
PointerGeneratorOutput PointerGenerator::write(const Tensor& words, const Tensor& states,
                                               const CoverageOutput& seen,
                                               const State& state) const {
  const Scope scope(*this);
  PointerGeneratorOutput out;
  out.output = forwarded(vocabulary(inner(concat({states, seen.context}, -1))));
  out.gate = squeeze(gate(concat({seen.context, states, words}, -1)), -1);
  if (!options_.copy) {
    out.gate = full(out.gate.shape(), kInfinity, gate.weight.dtype());
  } else if (state.copies.defined()) {
    const Tensor copies = words.rank() == 3 ? state.copies : squeeze(state.copies, 1);
    out.gate = where(copies, out.gate, kInfinity);
  }
  out.weights = {seen.weights};
  out.coverage_loss = seen.loss;
  out.ids = state.ids;
  return out;
}

PointerGeneratorOutput PointerGenerator::step(const Tensor& word, State& given,
                                              const Terms& terms) const {
  const Scope scope(*this);
  const Index E = options_.word_width;
  check_word(kOp, word, given.context.size(0), E, gate.weight.dtype());
  State state = given;  // as it was where a look throws
  const CoverageOutput seen =
      advance(linear(word, narrow(cell.weight_ih, 1, 0, E), cell.bias_ih),
              narrow(cell.weight_ih, 1, E, options_.annotation_width), state, terms);
  PointerGeneratorOutput out = write(word, state.lstm.h, seen, state);
  given = std::move(state);
  return out;
}

PointerGeneratorOutput PointerGenerator::run(const Tensor& target, State& given, const Terms& terms,
                                             const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  const Index E = options_.word_width;
  const Tensor words =
      checked_words(kOp, target, given.context.size(0), E, gate.weight.dtype(), lengths);
  const Index B = words.size(0), T = words.size(1);
  const auto none = [&](Index width) { return zeros(Shape{B, 0, width}, gate.weight.dtype()); };
  if (T == 0) {
    const CoverageOutput nothing{none(options_.annotation_width),
                                 none(given.ids.size(1)),
                                 zeros(Shape{B, 0}, gate.weight.dtype()),
                                 {}};
    return write(words, none(options_.state_width), nothing, given);
  }
  const std::vector<Tensor> from_words = shares_of(words, cell.weight_ih, cell.bias_ih);
  const Tensor of_context = contiguous(narrow(cell.weight_ih, 1, E, options_.annotation_width));
  State state = given;  // as it was where a look throws
  std::vector<Tensor> states, contexts, weights, losses;
  for (Index t = 0; t < T; ++t) {
    const CoverageOutput seen =
        advance(from_words[static_cast<std::size_t>(t)], of_context, state, terms);
    states.push_back(state.lstm.h);
    contexts.push_back(seen.context);
    weights.push_back(seen.weights);
    losses.push_back(seen.loss);
  }
  const CoverageOutput all{stack(contexts, 1), stack(weights, 1), stack(losses, 1), {}};
  PointerGeneratorOutput out = write(words, stack(states, 1), all, state);
  out.output = zero_elsewhere(kOp, out.output, lengths);
  for (Tensor* x : {&out.gate, &out.coverage_loss}) {
    *x = squeeze(zero_elsewhere(kOp, unsqueeze(*x, -1), lengths), -1);
  }
  given = std::move(state);
  return out;
}

PointerGeneratorOutput PointerGenerator::operator()(const Tensor& words, const Tensor& annotations,
                                                    const Tensor& ids, const Mask& mask,
                                                    const Terms& terms,
                                                    const std::vector<Index>& lengths) const {
  const Scope scope(*this);
  State state = start(annotations, ids, mask);
  return run(words, state, terms, lengths);
}

}  // namespace heed::attention
