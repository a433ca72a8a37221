// The keys and values of the steps so far, for decoding step by step: each step adds its own and
// attends to all, which costs O(T d) a step and copies nothing that was there.
//
// A rolling cache (Xiao et al. 2023, "Efficient streaming language models with attention sinks")
// holds the first `sinks` steps and the last `window`, so that memory and the cost of a step stay
// flat for ever. Positions are then those within the cache, 0 .. length - 1: append keys that have
// no position yet, and turn them as they are read:
//
//   cache.append(keys, values);                      // T steps, not turned
//   const Tensor k = rotary(cache.keys());           // [B, H, length, D]
//   const Tensor q = rotary(query, cache.length() - T);
//
// Keys turned before append() keep places of their own, which must then go on from seen(), not from
// length(). An append() of several steps drops what its last step has no room for, which its first
// steps might still have attended to.
//
// A copy costs nothing and may go another way: it shares the memory of what both hold, and whoever
// appends second gets memory of its own.
//
// What sums up its past in a state (mechanisms/linear) keeps that here in the place of keys and
// values: states(), which cost the same after any number of steps.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "../../../autograd/tensor.h"

namespace heed::attention {

struct KeyValueCacheOptions {
  Index sinks = 0;   ///< steps held from the beginning on, besides the window (the paper: 4)
  Index window = 0;  ///< the last steps; 0: all of them are held
};

class KeyValueCache {
 public:
  /// Empty; grows as it needs.
  KeyValueCache() = default;

  /// Rolling where a window is given. Throws ValueError for negative sizes and sinks without a
  /// window, ShapeError where their sum leaves 64 bits.
  explicit KeyValueCache(const KeyValueCacheOptions& options);

  const KeyValueCacheOptions& options() const { return options_; }
  /// Steps held.
  Index length() const { return length_; }
  /// Steps ever appended.
  Index seen() const { return seen_; }

  /// Steps held once `steps` more were appended.
  Index length_after(Index steps) const;

  /// Adds keys [B, H, T, D] and values [B, H, T, Dv]. Throws ShapeError for another batch, number
  /// of heads or width than those held, DTypeError, GradError while recording what requires a
  /// gradient: a cache is for decoding.
  void append(const Tensor& keys, const Tensor& values);

  /// The steps held, [B, H, length, D] and [B, H, length, Dv], as views that hold until the next
  /// append().
  Tensor keys() const;
  Tensor values() const;

  /// Which of the steps seen, counted from 0, are held: i64 [length].
  Tensor positions() const;

  /// The states behind the steps seen, their rows those of the batch; none at the beginning.
  const std::vector<Tensor>& states() const { return states_; }
  /// Those behind `steps` more. Throws GradError while recording what requires a gradient,
  /// ValueError where there are keys.
  void go_on(std::vector<Tensor> states, Index steps);

  /// The rows `rows` (i64 [R]) of the batch from here on: beam search carries on with some, and
  /// with some twice. Throws IndexError, ShapeError.
  void reorder(const Tensor& rows);
  /// Empty again, with the same options.
  void clear();

 private:
  Array own(const Tensor& x) const;
  bool is_shared() const { return filled_.use_count() > 1; }
  bool takes(Index steps);
  void slide(Index drop);
  void move(Index drop, const Array& keys, const Array& values, Index added);
  Index sinks_held() const;

  KeyValueCacheOptions options_;
  Array keys_, values_;                         // [B, H, capacity, width]
  std::shared_ptr<std::atomic<Index>> filled_;  // steps of these that some copy has written
  std::vector<Tensor> states_;
  Index begin_ = 0;  // the steps held are begin_ .. begin_ + length_
  Index length_ = 0;
  Index seen_ = 0;
};

/// The cache with which a call works: a copy, which the caller's becomes by keep(), so that what
/// throws on the way leaves that as it was. One that rolls is the caller's own, of which a copy
/// would cost its window: who appends to it checks first, see check_terms().
class CacheOfCall {
 public:
  /// Null: there is none.
  explicit CacheOfCall(KeyValueCache* cache);
  explicit operator bool() const { return given_ != nullptr; }
  KeyValueCache* get() { return copied_ ? &own_ : given_; }
  KeyValueCache* operator->() { return get(); }
  bool rolls() const { return given_ != nullptr && !copied_; }
  /// Throws ValueError in `op`'s name for one that rolls: for places that are counted from the
  /// beginning.
  void refuse_rolling(const char* op) const;
  void keep();

 private:
  KeyValueCache* given_;
  bool copied_;
  KeyValueCache own_;
};

/// Those of a stack's layers, which its state keeps once all layers are through.
std::vector<CacheOfCall> caches_of_call(std::vector<KeyValueCache>& past);

}  // namespace heed::attention
