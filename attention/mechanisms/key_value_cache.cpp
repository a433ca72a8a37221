#include "key_value_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/index.h"
#include "../../core/error.h"
#include "../../core/kernels/copy.h"

namespace heed::attention {
namespace {

constexpr Index kSteps = 2;  // the axis of steps

void check(const char* what, const Tensor& fresh, const Array& held) {
  if (recording() && fresh.requires_grad()) {
    throw GradError(
        fmt::format("key_value_cache: {} require a gradient; decode under NoGrad", what));
  }
  if (fresh.rank() != 4) {
    throw ShapeError(
        fmt::format("key_value_cache: {} must be [B, H, T, D], not {}", what, describe(fresh)));
  }
  if (!held.defined()) return;
  if (fresh.dtype() != held.dtype()) {
    throw DTypeError(fmt::format("key_value_cache: {} are {}, the cache holds {}", what,
                                 describe(fresh), describe(held)));
  }
  for (const Index axis : {Index{0}, Index{1}, Index{3}}) {
    if (fresh.size(axis) == held.size(axis)) continue;
    throw ShapeError(
        fmt::format("key_value_cache: {} are {}, the cache holds {} (all but axis 2 must agree)",
                    what, describe(fresh), describe(held)));
  }
}

// Room for `steps`, at least twice as many as before, so that a sequence is moved O(1) times a
// step.
void reserve(Array& held, const Array& like, Index length, Index steps) {
  if (held.defined() && held.size(kSteps) >= steps) return;
  const Index capacity = std::max({steps, held.defined() ? 2 * held.size(kSteps) : 0, Index{16}});
  Shape shape = like.shape();
  shape[kSteps] = capacity;
  Array grown = Array::empty(shape, like.dtype());
  if (length > 0) {
    Array begin = grown.slice(kSteps, 0, length);
    kernels::copy_into(begin, held.slice(kSteps, 0, length));
  }
  held = grown;
}

}  // namespace

void KeyValueCache::append(const Tensor& keys, const Tensor& values) {
  check("keys", keys, keys_);
  check("values", values, values_);
  if (keys.size(0) != values.size(0) || keys.size(kSteps) != values.size(kSteps)) {
    throw ShapeError(fmt::format("key_value_cache: keys {} and values {} differ in rows or steps",
                                 describe(keys), describe(values)));
  }
  const Index length = length_ + keys.size(kSteps);
  reserve(keys_, keys.array(), length_, length);
  reserve(values_, values.array(), length_, length);
  Array own_keys = keys_.slice(kSteps, length_, length);
  Array own_values = values_.slice(kSteps, length_, length);
  kernels::copy_into(own_keys, keys.array());
  kernels::copy_into(own_values, values.array());
  own_keys.bump_version();
  own_values.bump_version();
  length_ = length;
}

Tensor KeyValueCache::keys() const { return keys_.slice(kSteps, 0, length_); }
Tensor KeyValueCache::values() const { return values_.slice(kSteps, 0, length_); }

void KeyValueCache::reorder(const Tensor& rows) {
  if (!keys_.defined()) return;
  Array fresh_keys = index_select(Tensor(keys_), 0, rows).array();
  values_ = index_select(Tensor(values_), 0, rows).array();
  keys_ = fresh_keys;
}

void KeyValueCache::clear() { *this = KeyValueCache(); }

}  // namespace heed::attention
