#include "memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "../autograd/check_defined.h"
#include "../autograd/ops/elementwise/compare.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/index/index.h"
#include "../autograd/ops/shape/shape.h"
#include "../autograd/ops/shape/widened.h"
#include "../core/error.h"
#include "../core/kernels/reduce/finite.h"
#include "../core/traced.h"
#include "detail/checks.h"
#include "detail/nan_guard.h"

namespace heed::attention {
namespace {

const ScaledDot& scaled_dot() {
  static const ScaledDot score;
  return score;
}

void check_sources(const Tensor& keys, const Tensor& values) {
  check_defined("attend", keys, "keys", values, "values");
  const bool held = heed::detail::hold_bf16(keys, values);  // to be read as f32
  const auto dtype = [&](const Tensor& x) { return held ? widened(x.dtype()) : x.dtype(); };
  check_floating("attend", dtype(keys));
  if (keys.rank() < 2 || values.rank() < 2 || keys.size(-2) != values.size(-2)) {
    throw ShapeError(
        fmt::format("attend: keys must be [.., K, dk] and values [.., K, dv], not {} "
                    "and {}",
                    describe(keys), describe(values)));
  }
  if (dtype(values) != dtype(keys)) {
    throw DTypeError(fmt::format("attend: keys and values differ in dtype: {} and {}",
                                 describe(keys), describe(values)));
  }
}

// Of places [B, ..] in rows of K places each, their rows among all: i64. Throws IndexError.
Tensor rows_of_places(const Tensor& index, Index K) {
  const Index B = index.size(0);
  if (traced()) {  // by operators that can be followed
    Shape each_row = Shape::filled(index.rank(), 1);
    each_row[0] = B;
    return index + reshape(arange(B) * K, each_row);
  }
  Array rows = index.array().contiguous().clone();
  Index* const to = rows.mutable_data<Index>();
  const Index each = rows.numel() / std::max<Index>(B, 1);
  for (Index n = 0; n < rows.numel(); ++n) {
    if (to[n] < 0 || to[n] >= K) {
      throw IndexError(fmt::format("memory: place {} is out of range [0, {})", to[n], K));
    }
    to[n] += n / each * K;
  }
  return rows;
}

// For rows of any number.
Mask first_keys(Index count, Index keys) {
  if (traced()) {
    return Mask::key_padding(unsqueeze(arange(keys) < static_cast<double>(count), 0));
  }
  Array first = Array::zeros(Shape{1, keys}, DType::boolean);
  std::fill_n(first.mutable_data<bool>(), count, true);
  return Mask::key_padding(Tensor(first));
}

// Of places that were gathered, i64 [.., n], those before `reach`, for scores [.., Q, n].
Mask places_before(Index reach, const Tensor& index) {
  const Tensor inside = index < static_cast<double>(reach);
  return index.rank() == 2 ? Mask::key_padding(inside) : Mask(unsqueeze(inside, -2));
}

Tensor rows_of(const Tensor& x, const Tensor& index) {
  return x.defined() ? index_select(x, 0, index) : x;
}

}  // namespace

void Past::reorder(const Tensor& rows) {
  weights = rows_of(weights, rows);
  state = rows_of(state, rows);
  spoiled = rows_of(spoiled, rows);
}

Memory::Memory(const Tensor& keys, const Tensor& values, const Mask& mask)
    : Memory(scaled_dot(), keys, values, mask) {}

Memory::Memory(const Score& score, const Tensor& keys, const Tensor& values, const Mask& mask)
    : score_(&score), keys_(keys), values_(values), mask_(mask) {
  check_sources(keys, values);
  keys_ = heed::detail::wide(keys);
  values_ = heed::detail::wide(values);
  keys_ =
      guarded(keys_, score.prepares(), [&](const Tensor& finite) { return score.prepare(finite); });
}

Memory Memory::rows(const Tensor& index) const {
  Memory out = *this;
  out.keys_ = index_select(keys_, 0, index);
  out.values_ = index_select(values_, 0, index);
  out.mask_ = mask_.spread(keys_.size(0)).select_rows(index, keys_.rank());
  if (flat_keys_.defined()) out.lay_out_places();
  return out;
}

Memory Memory::with(const Tensor& keys, const Tensor& values) const {
  check_sources(keys, values);
  Memory out = *this;
  out.keys_ = heed::detail::wide(keys);
  out.values_ = heed::detail::wide(values);
  out.flat_keys_ = out.flat_values_ = Tensor();
  return out;
}

Memory Memory::beside_groups() const { return with(unsqueeze(keys_, -3), unsqueeze(values_, -3)); }

Memory Memory::masked(const Mask& mask) const {
  Memory out = *this;
  out.mask_ = mask;
  return out;
}

// One that traces is to know the bound also where it hides nothing.
Mask Memory::within_reach() const {
  const Index reach = out_of_place_ ? -1 : score_->reach(), keys = keys_.size(-2);
  const bool bounded = reach >= 0 && (reach < keys || traced());
  return bounded ? first_keys(reach, keys) : Mask();
}

Memory Memory::out_of_place() const {
  Memory out = *this;
  out.out_of_place_ = true;
  return out;
}

void Memory::lay_out_places() {
  check_batch("memory", "keys", keys_);
  check_batch("memory", "values", values_);
  const auto flat = [](const Tensor& x) { return reshape(x, {x.size(0) * x.size(1), x.size(2)}); };
  flat_keys_ = flat(keys_);
  flat_values_ = flat(values_);
}

// What is not finite is put back afterwards: the factor is not to meet it.
Memory Memory::weighted(const Tensor& factor) const {
  Memory out = *this;
  const FinitePart finite = shared_ ? finite_part(values_) : FinitePart{values_, Tensor()};
  out.values_ = finite.x * factor;
  if (finite.bad.defined()) out.values_ = with_bad(out.values_, finite.bad);
  out.flat_keys_ = out.flat_values_ = Tensor();
  return out;
}

// Of one window a row, as a step's, the gradient is held as its rows until the last step's is
// added.
Memory Memory::places(const Tensor& index, const Mask& mask) const {
  if (!flat_keys_.defined()) {
    Memory own = *this;
    own.lay_out_places();
    return own.places(index, mask);
  }
  const Index B = keys_.size(0), K = keys_.size(1);
  if (index.dtype() != DType::i64 || index.rank() < 1 || index.size(0) != B) {
    throw ShapeError(fmt::format("memory: places {} of keys {} must be i64 [{}, ..]",
                                 describe(index), describe(keys_), B));
  }
  const Tensor rows = rows_of_places(index, K);
  Memory out;
  out.score_ = score_;
  const bool few = index.rank() == 2;
  out.keys_ = embedding(flat_keys_, rows, few);
  out.values_ = embedding(flat_values_, rows, few);
  const bool bounded = !within_reach().all();
  out.mask_ = bounded ? mask & places_before(score_->reach(), index) : mask;
  out.out_of_place_ = true;
  out.shared_ = !kernels::all_finite(keys_.array()) || !kernels::all_finite(values_.array());
  return out;
}

}  // namespace heed::attention
