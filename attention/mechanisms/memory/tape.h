// A tape of rows that grows step by step, for mechanisms that attend to their own past: the rows so
// far are one tensor, and appending one does not copy those before it. (A concat at every step
// would copy T^2 / 2 rows.)
#pragma once

#include <memory>

#include "../../../autograd/tensor.h"

namespace heed::attention {

class Tape {
 public:
  Tape() = default;
  /// That has these rows already, [B, n, d]. Throws ShapeError.
  explicit Tape(const Tensor& rows);
  /// row [B, d]. A copy of a tape may go another way: whoever appends second gets memory of its
  /// own. Throws ShapeError, DTypeError for a row that does not fit those before it.
  void append(const Tensor& row);
  Index size() const { return count_; }
  /// [B, n, d]: the last `most` rows, or all of them where there are no more (-1: all). Undefined
  /// when empty.
  Tensor rows(Index most = -1) const;
  /// Carries on with these rows of the batch, i64 [R].
  void reorder(const Tensor& rows);

 private:
  struct Block {
    Array numbers;     // [capacity, B, d]
    Index filled = 0;  // rows that some tape has written
  };
  std::shared_ptr<Block> block_;
  Index count_ = 0;
  Tensor rows_;
};

}  // namespace heed::attention
