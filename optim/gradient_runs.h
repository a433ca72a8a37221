// The stretches of a parameter that its gradient reaches: all of it, cut into pieces, or the rows
// that a sparse gradient holds. An optimizer is then one loop over a stretch, for both.
#pragma once

#include <algorithm>

#include "../autograd/tensor.h"
#include "../core/parallel.h"

namespace heed::optim {

/// Throws ShapeError, DTypeError, IndexError unless `parameter`'s gradient fits it, `op` in the
/// message; having none is well.
void check_gradient(const char* op, const Tensor& parameter);

/// Calls body(at, g, n): elements at .. at + n of the parameter have the gradients g[0 .. n). In
/// parallel; no two calls overlap. `gradient` is sparse or contiguous.
template <class T, class Body>
void for_each_run(const Tensor& gradient, const Body& body) {
  constexpr Index kGrain = 16384;
  if (!gradient.is_sparse()) {
    const T* g = gradient.array().data<T>();
    parallel_for(gradient.numel(), kGrain,
                 [&](Index begin, Index end) { body(begin, g + begin, end - begin); });
    return;
  }
  const SparseRows& sparse = gradient.sparse_rows();
  if (sparse.values.numel() == 0) return;
  const Index count = sparse.rows.numel();
  const Index width = sparse.values.numel() / count;
  const auto* row = sparse.rows.data<std::int64_t>();
  const T* g = sparse.values.data<T>();
  parallel_for(count, std::max<Index>(1, kGrain / width), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(row[i] * width, g + i * width, width);
  });
}

}  // namespace heed::optim
