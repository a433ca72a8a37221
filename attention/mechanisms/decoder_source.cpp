#include "decoder_source.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/index.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../finite.h"
#include "../scores/prepared_score.h"
#include "named.h"

namespace heed::attention {

void DecoderSource::reorder(const Tensor& rows) {
  keys = index_select(keys, 0, rows);
  values = index_select(values, 0, rows);
  mask = mask.select_rows(rows);
}

DecoderSource prepare_source(const char* op, const Score& score, const Tensor& keys,
                             const Tensor& values, const Mask& mask) {
  check_batch(op, "keys", keys);
  check_batch(op, "values", values);
  if (keys.size(0) != values.size(0) || keys.size(1) != values.size(1)) {
    throw ShapeError(fmt::format("{}: keys {} and values {} differ in rows or places", op,
                                 describe(keys), describe(values)));
  }
  mask.tensor(Shape{keys.size(0), 1, keys.size(1)}, op);  // throws where it does not fit
  // Through places of their own on the tape: so keys and values, often one tensor, sum their
  // gradients in the same order whether something is not finite or not.
  const FinitePart finite = finite_part(reshape(keys, keys.shape()));
  Tensor prepared = named(op, [&] { return score.prepare(finite.x); });
  if (finite.bad.defined()) prepared = with_bad_rows(prepared, finite.bad);
  return {prepared, reshape(values, values.shape()), mask};
}

Attended look_at(const char* op, const Score& score, const DecoderSource& source,
                 const Tensor& query, const Look& look) {
  // Last weights that are not finite are met by no parameter: such a row sees as a query does that
  // is not finite itself.
  Tensor q = query, last = look.last;
  if (last.defined()) {
    const FinitePart past = finite_part(last);
    last = past.x;
    if (past.bad.defined()) q = with_bad_rows(q, past.bad);
  }
  const PreparedScore prepared(score, last);
  return named(op, [&] {
    return attend(q, source.keys, source.values,
                  {.score = &prepared,
                   .normaliser = look.normaliser,
                   .mask = source.mask & look.mask,
                   .need_weights = look.need_weights});
  });
}

Tensor zero_padding(const char* op, const Tensor& x, const std::vector<Index>& lengths) {
  if (lengths.empty()) return x;
  const Shape steps{x.size(0), x.size(1)};
  const Tensor real =
      named(op, [&] { return Mask::lengths(lengths, x.size(1)).tensor(steps, op); });
  return where(unsqueeze(real, -1), x, 0);
}

Tensor checked_words(const char* op, const Tensor& words, Index rows, Index width, DType dtype,
                     const std::vector<Index>& lengths) {
  check_batch(op, "words", words);
  check_rows(op, "words", words, width, dtype);
  if (words.size(0) != rows) {
    throw ShapeError(
        fmt::format("{}: {} rows of words and {} of the source", op, words.size(0), rows));
  }
  return zero_padding(op, words, lengths);
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

}  // namespace heed::attention
