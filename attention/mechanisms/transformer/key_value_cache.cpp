#include "key_value_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"

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

// Of T new steps the first `head` and the last `tail` are held; the `drop` oldest of the window are
// not any more.
struct Change {
  Index head, tail, drop;
};

Change change(const KeyValueCacheOptions& options, Index length, Index T) {
  if (options.window == 0) return {T, 0, 0};
  const Index head = std::min(T, std::max(options.sinks - length, Index{0}));
  const Index tail = std::min(T - head, options.window);
  const Index room = options.sinks + options.window - length - head;
  return {head, tail, std::max(tail - room, Index{0})};
}

// Room for `steps`: at least twice as much as before, so that a sequence is moved O(1) times a
// step. Twice what a rolling cache holds is enough for that.
Index roomier(Index capacity, Index steps, const KeyValueCacheOptions& options) {
  const Index wanted =
      std::max({steps, Index{2 * Checked("key_value_cache", capacity)}, Index{16}});
  const Index most = options.sinks + options.window;
  return options.window > 0 && wanted / 2 >= most ? 2 * most : wanted;
}

void copy_steps(Array& to, Index at, const Array& from, Index begin, Index end) {
  if (begin == end) return;
  Array place = to.slice(kSteps, at, at + end - begin);
  kernels::copy_into(place, from.slice(kSteps, begin, end));
}

// `capacity` steps like those of `fresh`.
Array with_room(const Array& fresh, Index capacity) {
  Shape shape = fresh.shape();
  shape[kSteps] = capacity;
  return Array::empty(shape, fresh.dtype());
}

}  // namespace

KeyValueCache::KeyValueCache(const KeyValueCacheOptions& options) : options_(options) {
  const auto [sinks, window] = options;
  if (sinks < 0 || window < 0 || (sinks > 0 && window == 0)) {
    throw ValueError(fmt::format(
        "key_value_cache: sinks {} and window {}: neither may be negative, and sinks need a window",
        sinks, window));
  }
  static_cast<void>(Checked("key_value_cache", sinks) + window);
}

Index KeyValueCache::sinks_held() const { return std::min(options_.sinks, length_); }

// The numbers of `x`, copied where they are the cache's own, which are about to move.
Array KeyValueCache::own(const Tensor& x) const {
  const Array& numbers = x.array();
  const bool held = numbers.shares_storage(keys_) || numbers.shares_storage(values_);
  return held ? numbers.clone() : numbers;
}

void KeyValueCache::append(const Tensor& keys, const Tensor& values) {
  if (!states_.empty()) throw ValueError("key_value_cache: it holds states, not keys and values");
  check("keys", keys, keys_);
  check("values", values, values_);
  if (keys.size(0) != values.size(0) || keys.size(kSteps) != values.size(kSteps)) {
    throw ShapeError(fmt::format("key_value_cache: keys {} and values {} differ in rows or steps",
                                 describe(keys), describe(values)));
  }
  const Array fresh_keys = own(keys), fresh_values = own(values);
  const Index T = keys.size(kSteps);
  const Index seen = Checked("key_value_cache", seen_) + T;
  const auto [head, tail, drop] = change(options_, length_, T);
  const Index capacity = keys_.defined() ? keys_.size(kSteps) : 0;
  // Copies hold what a window would slide over.
  if (head + tail > capacity - begin_ - length_ || !keys_.defined() || (drop > 0 && is_shared()) ||
      !takes(head + tail)) {
    move(drop, fresh_keys, fresh_values, head + tail);
  } else if (drop > 0) {
    slide(drop);
  }
  const Index end = begin_ + length_;
  const auto add = [&, head = head, tail = tail](Array& held, const Array& fresh) {
    copy_steps(held, end, fresh, 0, head);
    copy_steps(held, end + head, fresh, T - tail, T);
    held.bump_version();
  };
  add(keys_, fresh_keys);
  add(values_, fresh_values);
  length_ += head + tail;
  seen_ = seen;
}

// Whether these steps may be written behind what is held: no copy has written there.
bool KeyValueCache::takes(Index steps) {
  Index end = begin_ + length_;
  return filled_->compare_exchange_strong(end, end + steps);
}

// The sinks move up to the window that is left, so that what is held stays one block: a step moves
// the sinks alone.
void KeyValueCache::slide(Index drop) {
  const Index sinks = sinks_held();
  const Array first_keys = keys_.slice(kSteps, begin_, begin_ + sinks).clone();
  const Array first_values = values_.slice(kSteps, begin_, begin_ + sinks).clone();
  copy_steps(keys_, begin_ + drop, first_keys, 0, sinks);
  copy_steps(values_, begin_ + drop, first_values, 0, sinks);
  begin_ += drop;
  length_ -= drop;
}

// To the beginning, where there is room for `added` steps. Memory that was twice what is held, is
// full, and no copy's, stays: its two halves do not overlap.
void KeyValueCache::move(Index drop, const Array& keys, const Array& values, Index added) {
  const Index kept = length_ - drop;
  const Index before = keys_.defined() ? keys_.size(kSteps) : 0;
  const bool full = !keys_.defined() || before < begin_ + length_ + added;
  const Index capacity = full ? roomier(before, kept + added, options_) : before;
  const bool stays = full && keys_.defined() && capacity == before && !is_shared();
  Array fresh_keys = stays ? keys_ : with_room(keys, capacity);
  Array fresh_values = stays ? values_ : with_room(values, capacity);
  auto filled = stays ? filled_ : std::make_shared<std::atomic<Index>>();
  const Index sinks = sinks_held();
  const auto carry = [&](Array& to, const Array& from) {
    copy_steps(to, 0, from, begin_, begin_ + sinks);
    copy_steps(to, sinks, from, begin_ + sinks + drop, begin_ + length_);
  };
  carry(fresh_keys, keys_);
  carry(fresh_values, values_);
  keys_ = fresh_keys;
  values_ = fresh_values;
  *filled = kept + added;
  filled_ = std::move(filled);
  begin_ = 0;
  length_ = kept;
}

Index KeyValueCache::length_after(Index steps) const {
  const auto [head, tail, drop] = change(options_, length_, steps);
  return length_ + head + tail - drop;
}

Tensor KeyValueCache::keys() const { return keys_.slice(kSteps, begin_, begin_ + length_); }
Tensor KeyValueCache::values() const { return values_.slice(kSteps, begin_, begin_ + length_); }

Tensor KeyValueCache::positions() const {
  Array out = Array::empty(Shape{length_}, DType::i64);
  auto* places = out.mutable_data<std::int64_t>();
  const Index sinks = sinks_held();
  for (Index i = 0; i < length_; ++i) places[i] = i < sinks ? i : seen_ - length_ + i;
  return out;
}

void KeyValueCache::go_on(std::vector<Tensor> states, Index steps) {
  if (keys_.defined()) throw ValueError("key_value_cache: it holds keys and values, not states");
  for (const Tensor& state : states) {
    if (recording() && state.requires_grad()) {
      throw GradError("key_value_cache: states require a gradient; decode under NoGrad");
    }
  }
  seen_ = Checked("key_value_cache", seen_) + steps;
  length_ = seen_;
  states_ = std::move(states);
}

void KeyValueCache::reorder(const Tensor& rows) {
  for (Tensor& state : states_) state = index_select(state, 0, rows);
  if (!keys_.defined()) return;
  Array fresh_keys = index_select(Tensor(keys_), 0, rows).array();
  Array fresh_values = index_select(Tensor(values_), 0, rows).array();
  filled_ = std::make_shared<std::atomic<Index>>(begin_ + length_);
  keys_ = std::move(fresh_keys);
  values_ = std::move(fresh_values);
}

void KeyValueCache::clear() { *this = KeyValueCache(options_); }

CacheOfCall::CacheOfCall(KeyValueCache* cache) : given_(cache) {
  copied_ = cache != nullptr && cache->options().window == 0;
  if (copied_) own_ = *cache;
}

void CacheOfCall::refuse_rolling(const char* op) const {
  if (!rolls()) return;
  throw ValueError(fmt::format("{}: a rolling cache has no places: give a plain one", op));
}

void CacheOfCall::keep() {
  if (copied_) *given_ = std::move(own_);
}

std::vector<CacheOfCall> caches_of_call(std::vector<KeyValueCache>& past) {
  std::vector<CacheOfCall> out;
  out.reserve(past.size());
  for (KeyValueCache& each : past) out.emplace_back(&each);
  return out;
}

}  // namespace heed::attention
