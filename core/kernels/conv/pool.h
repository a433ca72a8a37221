// Pooling over planes [planes, H, W]: the largest element of each window, or weighted sums of
// rectangles that cover averages of every kind. f32 and f64; sizes are the caller's to check. In
// parallel over planes.
#pragma once

#include "../../array.h"
#include "window.h"

namespace heed::kernels {

struct Pooled {
  Array values;   ///< [planes, OH, OW]
  Array indices;  ///< i64: where in its plane each was, h W + w
};

/// Every window must hold a real place. NaN wins; the first of equals.
Pooled max_pool(const WindowAxis& y, const WindowAxis& x, const Array& planes);

/// [planes, H, W]: each of g [planes, OH, OW] added at its index.
Array max_pool_grad(const Array& g, const Array& indices, Index height, Index width);

/// The sum over the places [begin, end) of an axis, to be divided by `count`.
struct Span {
  Index begin, end, count;
};

/// What each output place of one axis averages.
struct AverageAxis {
  WindowAxis window;
  bool count_padding = true;  ///< in the divisor
  bool adaptive = false;      ///< pieces of `in` instead of windows: only in and out count

  Span operator[](Index place) const;
};

/// out[p][i][j] = the mean over the rectangle y[i] x x[j] of plane p.
Array avg_pool(const AverageAxis& y, const AverageAxis& x, const Array& planes);

/// The adjoint: [planes, H, W] from g [planes, OH, OW].
Array avg_pool_grad(const AverageAxis& y, const AverageAxis& x, const Array& g);

}  // namespace heed::kernels
