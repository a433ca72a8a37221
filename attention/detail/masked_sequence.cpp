#include "masked_sequence.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../score.h"
#include "checks.h"
#include "named.h"

namespace heed::attention {

Tensor real_places(const char* op, const char* what, const Mask& mask, Index batch, Index places) {
  if (mask.left() >= 0 || mask.right() >= 0 || !mask.blocks().empty() ||
      !mask.segment_offsets().empty() || mask.places() != nullptr) {
    throw ShapeError(
        fmt::format("{}: the mask of {} is one of places: no window, no block", op, what));
  }
  const Shape shape{batch, places};
  const Tensor real = mask.tensor(shape, op);
  return real.defined() ? expand(real, shape) : real;
}

MaskedSequence masked_sequence(const char* op, const char* what, const Tensor& x, Index width,
                               DType dtype, const Mask& mask) {
  check_batch(op, what, x);
  check_rows(op, what, x, width, dtype);
  const Tensor real = real_places(op, what, mask, x.size(0), x.size(1));
  return {zero_elsewhere(x, real), real};
}

MaskedSequence masked_sequence(const char* op, const char* what, const Tensor& x,
                               const std::vector<Index>& lengths) {
  const Mask mask = first_places(op, what, x, lengths);
  const Tensor real = real_places(op, what, mask, x.size(0), x.size(1));
  return {zero_elsewhere(x, real), real};
}

Tensor zero_elsewhere(const Tensor& x, const Tensor& real) {
  if (!real.defined()) return x;
  Shape shape = real.shape();
  while (shape.rank() < x.rank()) shape.push_back(1);
  return where(reshape(real, shape), x, 0);
}

Tensor zero_elsewhere(const char* op, const Tensor& x, const std::vector<Index>& lengths) {
  if (lengths.empty()) return x;
  const Shape steps{x.size(0), x.size(1)};
  return zero_elsewhere(
      x, named(op, [&] { return Mask::lengths(lengths, x.size(1)).tensor(steps, op); }));
}

Mask of_places(const Tensor& real) { return real.defined() ? Mask::key_padding(real) : Mask(); }

Mask first_places(const char* op, const char* what, const Tensor& x,
                  const std::vector<Index>& lengths) {
  if (lengths.empty()) return Mask();
  if (static_cast<Index>(lengths.size()) != x.size(0)) {
    throw ShapeError(
        fmt::format("{}: {} lengths for {} rows of {}", op, lengths.size(), x.size(0), what));
  }
  return named(op, [&] { return Mask::lengths(lengths, x.size(1)); });
}

Tensor real_ids(const char* op, const char* what, const Tensor& ids, Index count,
                const Tensor& real) {
  check_defined(op, ids, what);
  if (ids.dtype() != DType::i64) {
    throw DTypeError(fmt::format("{}: {} must be i64, not {}", op, what, describe(ids)));
  }
  if (ids.rank() != 2 || (real.defined() && real.shape() != ids.shape())) {
    throw ShapeError(fmt::format("{}: {} must be {}, not {}", op, what,
                                 real.defined() ? heed::to_string(real.shape()) : "[B, n]",
                                 describe(ids)));
  }
  auto numbers = ids.array().to_vector<Index>();
  const auto counts = real.defined() ? real.array().to_vector<bool>() : std::vector<bool>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!counts.empty() && !counts[i]) {
      numbers[i] = 0;
    } else if (numbers[i] < 0 || numbers[i] >= count) {
      throw IndexError(
          fmt::format("{}: id {} of {} is not in [0, {})", op, numbers[i], what, count));
    }
  }
  return reshape(Tensor(Array::from(numbers)), ids.shape());
}

void check_rows_of_batch(const char* op, const char* what, const Tensor& x, Index batch) {
  if (x.size(0) == batch) return;
  throw ShapeError(
      fmt::format("{}: {} must have {} rows, not {}: {}", op, what, batch, x.size(0), describe(x)));
}

}  // namespace heed::attention
