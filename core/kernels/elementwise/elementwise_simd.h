// The vector loops behind elementwise.h: over runs of neighbouring elements, on one thread.
#pragma once

#include "elementwise.h"

namespace heed::kernels::simd {

/// Runs of n elements, from row to row the steps apart. An operand that is not `many` is one
/// element for a whole run.
template <class T>
struct BinaryRows {
  const T* x;
  bool many_x;
  Index x_step;
  const T* y;
  bool many_y;
  Index y_step;
  T* to;
  Index to_step;
  Index rows;
  std::size_t n;

  BinaryRows row(Index i) const {
    return {x + i * x_step, many_x, 0, y + i * y_step, many_y, 0, to + i * to_step, 0, 1, n};
  }
};

template <class T>
struct ElementKernels {
  /// to[i] = op(x[i]); `to` may be `x`.
  void (*unary)(Unary op, const T* x, T* to, std::size_t n);

  /// to[i] = op(x[i], y[i]); an operand that is not `many` is one element for the whole run. `to`
  /// may be an operand.
  void (*binary)(Binary op, const T* x, bool many_x, const T* y, bool many_y, T* to, std::size_t n);

  void (*binary_rows)(Binary op, const BinaryRows<T>& of);

  /// to[i] = condition[i] ? x[i] : y[i], bit for bit; elements of 4 or of 8 bytes. An operand that
  /// is not `many` is one element for the whole run.
  void (*where)(const bool* condition, const T* x, bool many_x, const T* y, bool many_y, T* to,
                std::size_t n);
};
template <class T>
const ElementKernels<T>& elements();  // f32, f64

}  // namespace heed::kernels::simd
