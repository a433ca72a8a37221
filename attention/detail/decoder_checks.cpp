#include "decoder_checks.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "checks.h"
#include "named.h"

namespace heed::attention {

Memory decoder_memory(const char* op, const Score& score, const Tensor& keys, const Tensor& values,
                      const Mask& mask) {
  check_batch(op, "keys", keys);
  check_batch(op, "values", values);
  if (keys.size(0) != values.size(0) || keys.size(1) != values.size(1)) {
    throw ShapeError(fmt::format("{}: keys {} and values {} differ in rows or places", op,
                                 describe(keys), describe(values)));
  }
  mask.tensor(Shape{keys.size(0), 1, keys.size(1)}, op);  // throws where it does not fit
  // Through places of their own on the tape: so keys and values, often one tensor, sum their
  // gradients in the same order whether something is not finite or not.
  const auto own = [](const Tensor& x) { return reshape(x, x.shape()); };
  return named(op, [&] { return Memory(score, own(keys), own(values), mask); });
}

std::vector<Tensor> weights_of(const Attended& seen) {
  return seen.weights.defined() ? std::vector{seen.weights} : std::vector<Tensor>();
}

std::vector<Tensor> joined(const std::vector<Tensor>& steps, Index axis) {
  return steps.empty() ? steps : std::vector{concat(steps, axis)};
}

std::vector<Tensor> stacked(const std::vector<Tensor>& steps) {
  return steps.empty() ? steps : std::vector{stack(steps, 1)};
}

Terms of_step(const Terms& terms, Index t, Index steps) {
  const Tensor& bias = terms.bias;
  if (!bias.defined() || bias.rank() < 2 || bias.size(-2) != steps) return terms;
  Terms own = terms;
  own.bias = narrow(bias, -2, t, 1);
  return own;
}

StackOutput nothing_decoded(const Tensor& output, const Memory& memory, const Terms& terms) {
  StackOutput out{output};
  if (!terms.need_weights) return out;
  const Tensor& keys = memory.keys();
  out.weights = {zeros(Shape{keys.size(0), 0, keys.size(1)}, output.dtype())};
  return out;
}

Tensor checked_words(const char* op, const Tensor& words, Index rows, Index width, DType dtype,
                     const std::vector<Index>& lengths) {
  check_batch(op, "words", words);
  check_rows(op, "words", words, width, dtype);
  if (words.size(0) != rows) {
    throw ShapeError(
        fmt::format("{}: {} rows of words and {} of the source", op, words.size(0), rows));
  }
  return zero_elsewhere(op, words, lengths);
}

// Step by step in memory, and cut in one operator: its gradient is one, too.
std::vector<Tensor> shares_of(const Tensor& words, const Tensor& weight_ih, const Tensor& bias) {
  const Tensor all =
      linear(transpose(words, 0, 1), narrow(weight_ih, 1, 0, words.size(2)), bias);  // [T, B, G H]
  std::vector<Tensor> out = split(all, 1, 0);
  for (Tensor& each : out) each = squeeze(each, 0);
  return out;
}

void check_word(const char* op, const Tensor& word, Index rows, Index width, DType dtype) {
  check_defined(op, word, "word");
  check_state(op, "a step's word", word, Shape{rows, width}, dtype);
}

void check_looks_anew(const char* op, const Score& score, const Normaliser* normaliser) {
  const bool goes_on = normaliser != nullptr && normaliser->is_stateful();
  if (!goes_on && !score.uses_previous_weights()) return;
  throw ValueError(fmt::format("{}: takes no {} that {}: each step looks anew", op,
                               goes_on ? "normaliser" : "score",
                               goes_on ? "goes on from query to query" : "looks back"));
}

void check_layers(const char* op, std::size_t of_state, std::size_t of_decoder) {
  if (of_state == of_decoder) return;
  throw ValueError(
      fmt::format("{}: the state has {} layers, the decoder {}", op, of_state, of_decoder));
}

void check_state(const char* op, const char* what, const Tensor& x, const Shape& shape,
                 DType dtype) {
  if (x.shape() != shape) {
    throw ShapeError(
        fmt::format("{}: {} must be {}, not {}", op, what, heed::to_string(shape), describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(fmt::format("{}: {} must be {}, not {}", op, what, name(dtype), describe(x)));
  }
}

void check_window_terms(const char* op, const Terms& terms) {
  const auto refuse = [&](bool given, const char* what) {
    if (given) throw ValueError(fmt::format("{}: takes no {}: its window moves", op, what));
  };
  refuse(!terms.mask.all(), "mask");
  refuse(terms.bias.defined(), "bias");
  refuse(terms.offset_bias.defined(), "offset_bias");
  refuse(terms.position_bias != nullptr, "position_bias");
  refuse(terms.relative != nullptr, "relative positions");
  refuse(terms.map.defined(), "score map");
  refuse(terms.sinks.defined(), "sinks");
  refuse(terms.need_statistics, "statistics");
  refuse(terms.need_log_sums, "log_sums");
  refuse(terms.normaliser != nullptr && terms.normaliser->is_stateful(),
         "normaliser that goes on from query to query");
}

}  // namespace heed::attention
