// The keys and values of the steps so far, for decoding step by step: each step adds its own and
// attends to all, which costs O(T d) a step and copies nothing that was there.
#pragma once

#include "../../autograd/tensor.h"

namespace heed::attention {

class KeyValueCache {
 public:
  /// Empty; grows as it needs.
  KeyValueCache() = default;

  /// Steps held.
  Index length() const { return length_; }

  /// Adds keys [B, H, T, D] and values [B, H, T, Dv]. Throws ShapeError for another batch, number
  /// of heads or width than those held, DTypeError, GradError while recording what requires a
  /// gradient: a cache is for decoding.
  void append(const Tensor& keys, const Tensor& values);

  /// All steps, [B, H, length, D] and [B, H, length, Dv], as views that hold until the next
  /// append().
  Tensor keys() const;
  Tensor values() const;

  /// The rows `rows` (i64 [R]) of the batch from here on: beam search carries on with some, and
  /// with some twice. Throws IndexError, ShapeError.
  void reorder(const Tensor& rows);
  void clear();

 private:
  Array keys_, values_;  // [B, H, capacity, width]
  Index length_ = 0;
};

}  // namespace heed::attention
