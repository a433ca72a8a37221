// Reading and adding at places named by indices.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// Rows of `table` [count, ...] named by `ids` (i64, any shape): ids' shape plus the row's. Throws
/// IndexError for an id outside [0, count).
Array take_rows(const char* op, const Array& table, const Array& ids);

/// `to` [count, ...] += rows of `values` at `ids`; ids' places in order, so that sums have fixed
/// bits.
void add_rows(Array& to, const Array& ids, const Array& values);

/// out[i][j]... = x at index[i][j]... along `axis`; all other places as in index. Throws
/// IndexError, ShapeError.
Array gather(const Array& x, Index axis, const Array& index);

/// to += values[i][j].. at index[i][j].. along `axis`; equal places in order, so that sums have
/// fixed bits. Throws ShapeError, DTypeError; IndexError, `to` having been added to in part.
void scatter_add_into(Array& to, Index axis, const Array& index, const Array& values);

/// Zeros of ids' shape and one axis of `classes` more, with 1 where each id says; ids checked.
Array one_hot(const Array& ids, Index classes, DType dtype);

/// Throws IndexError naming the first of `ids` outside [0, count).
void check_ids(const char* op, const Array& ids, Index count);

}  // namespace heed::kernels
