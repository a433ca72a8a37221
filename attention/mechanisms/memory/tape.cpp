#include "tape.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/slicing.h"
#include "../../../autograd/record.h"
#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/traced.h"

namespace heed::attention {

Tape::Tape(const Tensor& rows) {
  check_defined("tape", rows, "rows");
  if (rows.rank() != 3) {
    throw ShapeError(fmt::format("tape: rows must be [B, n, d], not {}", describe(rows)));
  }
  count_ = rows.size(1);
  rows_ = rows;
}

void Tape::append(const Tensor& row) {
  check_defined("tape", row, "row");
  if (row.rank() != 2) {
    throw ShapeError(fmt::format("tape: a row must be [B, d], not {}", describe(row)));
  }
  const Index B = row.size(0), d = row.size(1);
  if (count_ > 0 && (rows_.size(0) != B || rows_.size(2) != d)) {
    throw ShapeError(
        fmt::format("tape: {} does not fit the rows {}", describe(row), describe(rows_)));
  }
  if (count_ > 0 && rows_.dtype() != row.dtype()) {
    throw DTypeError(
        fmt::format("tape: {} does not fit the rows {}", describe(row), describe(rows_)));
  }
  if (traced()) {  // by an operator that can be followed
    const Tensor last = unsqueeze(row, 1);
    rows_ = count_ > 0 ? concat({rows_, last}, 1) : last;
    block_ = nullptr;
    ++count_;
    return;
  }
  if (!block_ || block_->filled != count_ || block_->numbers.size(0) == count_) {
    auto larger = std::make_shared<Block>();
    larger->numbers = Array::empty({std::max<Index>(16, 2 * count_), B, d}, row.dtype());
    if (count_ > 0) {
      Array same = larger->numbers.slice(0, 0, count_);
      kernels::copy_into(same, rows_.array().transpose(0, 1));
    }
    block_ = std::move(larger);
  }
  // Rows that are part of a tensor already stay as they are: nothing that was kept changes.
  Array place = block_->numbers.select(0, count_);
  kernels::copy_into(place, row.array());
  block_->numbers.storage()->forget_finite();  // which may have been noted of what was there before
  block_->filled = count_ + 1;
  const Array all = block_->numbers.slice(0, 0, count_ + 1).transpose(0, 1);  // [B, n, d]
  const Tensor before = count_ > 0 ? rows_ : Tensor();
  const auto rule = [n = count_](const Gradients& g, const std::vector<bool>& needs) {
    Gradients to(2);
    if (needs[0]) to[0] = narrow(g[0], 1, 0, n);
    if (needs[1]) to[1] = select(g[0], 1, n);
    return to;
  };
  rows_ = record_joint("tape", {all}, {before, row}, rule)[0];
  ++count_;
}

void Tape::reorder(const Tensor& rows) {
  if (count_ == 0) return;
  rows_ = index_select(rows_, 0, rows);
  block_ = nullptr;
}

Tensor Tape::rows(Index most) const {
  if (most < 0 || most >= count_) return rows_;
  return narrow(rows_, 1, count_ - most, most);
}

}  // namespace heed::attention
