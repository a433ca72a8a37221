// Operators that read and write at places named by i64 indices, which get no gradient. All throw
// IndexError for an index out of range, DTypeError for indices that are not i64.
#pragma once

#include "../../tensor.h"

namespace heed {

/// Rows of `weight` [V, ...] named by `ids` (any shape): ids' shape plus the row's. With `sparse`
/// the gradient of weight holds only the rows used, each once. The row `padding`, unless -1, gets
/// no gradient. Of a weight in bf16 the rows are f32. The two may come in PyTorch's order, ids first,
/// where their dtypes tell which is which. Throws ValueError for a padding outside [-1, V).
Tensor embedding(const Tensor& weight, const Tensor& ids, bool sparse = false, Index padding = -1);

/// Places of one axis, in the order of `index` (i64 [n]), repeats allowed.
Tensor index_select(const Tensor& x, Index axis, const Tensor& index);

/// x with `values` added along `axis` at `index` (i64 [n]): x[index[i]] += values[i].
Tensor index_add(const Tensor& x, Index axis, const Tensor& index, const Tensor& values);

/// out[i][j].. = x[index[i][j]..][j].. along `axis`; shaped as index.
Tensor gather(const Tensor& x, Index axis, const Tensor& index);

/// x plus values[i][j].. at index[i][j].. along `axis`; the inverse of gather.
Tensor scatter_add(const Tensor& x, Index axis, const Tensor& index, const Tensor& values);

/// gather after broadcasting x and index (of one rank) on all other axes: NumPy's take_along_axis.
Tensor take_along(const Tensor& x, const Tensor& index, Index axis);

/// 1 at the place that each of `ids` names on a new last axis of `classes` (-1: the largest id and
/// one more), else 0. No gradient. Throws ValueError for other classes below 1.
Tensor one_hot(const Tensor& ids, Index classes = -1, DType dtype = DType::i64);

}  // namespace heed
