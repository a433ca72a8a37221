#include "hard_choice.h"

#include <fmt/format.h>

#include <limits>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "nan_guard.h"

namespace heed::attention {

Tensor chosen_values(const Choice& choice, const Tensor& values) {
  if (!choice.is_hard()) return matmul(choice.weights(), values);
  const Index places = values.size(-2);
  Shape leading(values.shape().begin(), values.rank() - 2);
  Array first = Array::empty(leading.with(leading.rank(), 1), DType::i64);  // row of each sequence
  for (Index n = 0; n < first.numel(); ++n) first.mutable_data<Index>()[n] = n * places;
  const Array index = choice.index().array();
  const Shape shape = broadcast_shapes("a choice", index.shape(), first.shape());
  const Array place = index.expand(shape).contiguous(), from = first.expand(shape).contiguous();
  Array rows = Array::empty(shape, DType::i64);
  for (Index i = 0; i < rows.numel(); ++i) {
    const Index at = place.data<Index>()[i];
    // A wrong one would read another sequence's value.
    if (at < 0 || at >= places) {
      throw IndexError(fmt::format("a choice: place {} of {}", at, places));
    }
    rows.mutable_data<Index>()[i] = from.data<Index>()[i] + at;
  }
  return embedding(reshape(values, {leading.numel() * places, values.size(-1)}), Tensor(rows));
}

void check_sequence(const char* op, const Tensor& keys, const Tensor& values) {
  check_defined(op, keys, "keys", values, "values");
  check_floating(op, keys.dtype());
  if (keys.rank() < 2 || values.rank() < 2 || keys.size(-2) != values.size(-2)) {
    throw ShapeError(
        fmt::format("{}: keys must be [.., K, dk] and values [.., K, dv], not {} and {}", op,
                    describe(keys), describe(values)));
  }
  if (values.dtype() != keys.dtype()) {
    throw DTypeError(fmt::format("{}: keys and values differ in dtype: {} and {}", op,
                                 describe(keys), describe(values)));
  }
}

Shape without_samples(const Shape& scores, Index& rank) {
  if (rank == 0) rank = scores.rank();
  return scores.rank() == rank + 1 ? scores.without(0) : scores;
}

Tensor choosable_scores(const Memory& memory, const Tensor& query, const Tensor& allowed,
                        const Tensor& past) {
  const Score& score = memory.score();
  if (!allowed.defined()) return score.among(query, memory.keys(), allowed, past);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const FinitePart q = finite_part(query), k = finite_part(memory.keys());
  Tensor scores = score.among(q.x, k.x, allowed, past);
  // What may be looked at is refused as it is without a mask.
  if (q.bad.defined()) scores = where(any(q.bad, {-1}, true), kNaN, scores);
  if (k.bad.defined()) scores = where(transpose(any(k.bad, {-1}, true), -2, -1), kNaN, scores);
  return where(allowed, scores, -std::numeric_limits<double>::infinity());
}

}  // namespace heed::attention
