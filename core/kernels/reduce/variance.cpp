#include "variance.h"

#include <algorithm>

#include "../../parallel.h"
#include "column_moments.h"
#include "reduce.h"
#include "variance_simd.h"

namespace heed::kernels {
namespace {

constexpr Index kPiece = 65536;  // numbers of a row that are one piece

template <class T>
void variance_rows(const T* x, Index rows, Index n, double over, T* to) {
  const auto write = [&](Index row, const simd::Spread& all) {
    to[row] = static_cast<T>(all.squares / over);
  };
  if (n <= kPiece) {
    parallel_for(rows, std::max<Index>(1, kPiece / 2 / n), [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) write(r, simd::variances<T>().spread(x + r * n, n));
    });
    return;
  }
  const Index pieces = (n - 1) / kPiece + 1;
  std::vector<simd::Spread> parts(static_cast<std::size_t>(rows * pieces));
  parallel_for(rows * pieces, 1, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      const Index first = p % pieces * kPiece;
      parts[static_cast<std::size_t>(p)] =
          simd::variances<T>().spread(x + p / pieces * n + first, std::min(kPiece, n - first));
    }
  });
  for (Index r = 0; r < rows; ++r) {
    simd::Spread all;
    for (Index p = 0; p < pieces; ++p) all.add(parts[static_cast<std::size_t>(r * pieces + p)]);
    write(r, all);
  }
}

// Of x [outer, n, columns], dense, over n: each column read as it lies.
template <class T>
void variance_columns(const Array& x, double over, T* to) {
  const Index n = x.size(1), columns = x.size(2);
  parallel_for(x.size(0), std::max<Index>(1, kPiece / 2 / (n * columns)),
               [&](Index begin, Index end) {
                 for (Index i = begin; i < end; ++i) {
                   const ColumnMoments found = column_moments(x.select(0, i), columns);
                   std::transform(found.variances.begin(), found.variances.end(), to + i * columns,
                                  [&](double variance) {
                                    return static_cast<T>(variance * static_cast<double>(n) / over);
                                  });
                 }
               });
}

// x with `axes` behind the others, and its numbers in that order.
Array with_last(const Array& x, const std::vector<Index>& axes) {
  std::vector<Index> order;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  return x.permute(order).contiguous();
}

}  // namespace

Array variance(const Array& x, const std::vector<Index>& axes, double over, bool keepdim) {
  constexpr Index kWide = 64;  // columns that are worth reading in their rows
  const auto count = static_cast<Index>(axes.size());
  const bool together = x.is_contiguous() && axes.back() - axes.front() + 1 == count;
  const Index columns =
      Shape(x.shape().begin() + axes.back() + 1, x.rank() - axes.back() - 1).numel();
  const bool down = together && columns >= kWide;
  return visit_floating("var", x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    Array out = Array::empty(reduced_shape(x.shape(), axes, keepdim), x.dtype());
    T* const to = out.mutable_data<T>();
    const Index n = x.numel() / out.numel();
    if (down) {
      variance_columns(x.reshape({out.numel() / columns, n, columns}), over, to);
    } else {
      const Array rows = together && columns == 1 ? x : with_last(x, axes);
      variance_rows(rows.data<T>(), out.numel(), n, over, to);
    }
    return out;
  });
}

}  // namespace heed::kernels
