#include "triangular.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "../../error.h"
#include "../../parallel.h"
#include "../elementwise/copy.h"
#include "gemm.h"

namespace heed::kernels {
namespace {

// Rows solved one after the other; what came before reaches them by one product.
constexpr Index kRows = 16;

void check(const Array& a, const Array& b) {
  if (!a.defined() || !b.defined() || a.dtype() != b.dtype()) {
    throw DTypeError(
        fmt::format("solve_triangular: dtypes differ: a is {}, b is {}", describe(a), describe(b)));
  }
  check_floating("solve_triangular", a.dtype());
  if (a.rank() < 2 || b.rank() < 2 || a.size(-1) != a.size(-2) || a.size(-1) != b.size(-2)) {
    throw ShapeError(
        fmt::format("solve_triangular: a must be [.., n, n] and b [.., n, m], not {} and {}",
                    describe(a), describe(b)));
  }
}

// One matrix, wherever its rows and columns stand.
template <class T>
struct Strided {
  const T* data;
  Index row, column;
  T at(Index i, Index j) const { return data[i * row + j * column]; }
};

// x, which holds b, becomes the solution. `way`: 1 from the first row on, -1 from the last.
template <class T>
void solve(Strided<T> a, T* x, T* negative, Index n, Index m, Index way, bool unit) {
  for (Index done = 0; done < n; done += kRows) {
    const Index count = std::min(kRows, n - done);
    const Index first = way > 0 ? done : n - done - count;  // of this block of rows
    const Index before = way > 0 ? 0 : first + count;       // first of those that are solved
    if (done > 0) {
      for (Index i = 0; i < count; ++i) {
        for (Index j = 0; j < done; ++j) negative[i * done + j] = -a.at(first + i, before + j);
      }
      gemm_here(count, m, done, Matrix<const T>{negative, done, false},
                Matrix<const T>{x + before * m, m, false}, true, x + first * m, m);
    }
    for (Index step = 0; step < count; ++step) {
      const Index i = way > 0 ? first + step : first + count - 1 - step;
      T* to = x + i * m;
      for (Index back = step; back > 0; --back) {
        const Index j = i - way * back;
        const T factor = a.at(i, j);
        const T* from = x + j * m;
        for (Index c = 0; c < m; ++c) to[c] -= factor * from[c];
      }
      if (unit) continue;
      const T diagonal = a.at(i, i);
      for (Index c = 0; c < m; ++c) to[c] /= diagonal;
    }
  }
}

}  // namespace

Array solve_triangular(const Array& a, const Array& b, bool upper, bool unit) {
  check(a, b);
  const Shape batch = broadcast_shapes("solve_triangular", Shape(a.shape().begin(), a.rank() - 2),
                                       Shape(b.shape().begin(), b.rank() - 2));
  const Index n = b.size(-2), m = b.size(-1);
  Shape shape = batch;
  shape.push_back(n);
  shape.push_back(m);
  Array out = Array::empty(shape, b.dtype());
  if (out.numel() == 0) return out;
  copy_into(out, b.expand(shape));
  shape[batch.rank() + 1] = n;
  const Array left = a.expand(shape);
  const Strides& steps = left.strides();
  const Index grain = std::max<Index>(1, (Index{1} << 18) / std::max<Index>(n * n * m, 1));
  visit_floating("solve_triangular", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = left.data<T>();
    T* to = out.mutable_data<T>();
    parallel_for(batch.numel(), grain, [&](Index begin, Index end) {
      std::vector<T> negative(static_cast<std::size_t>(kRows * n));
      for (Index i = begin; i < end; ++i) {
        Index rest = i, offset = 0;
        for (Index axis = batch.rank() - 1; axis >= 0; --axis) {
          offset += rest % batch[axis] * steps[axis];
          rest /= batch[axis];
        }
        const Strided<T> matrix{from + offset, steps[batch.rank()], steps[batch.rank() + 1]};
        solve(matrix, to + i * n * m, negative.data(), n, m, upper ? -1 : 1, unit);
      }
    });
  });
  return out;
}

}  // namespace heed::kernels
