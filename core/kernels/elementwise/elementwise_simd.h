// The vector loops behind elementwise.h: over runs of neighbouring elements, on one thread.
#pragma once

#include "elementwise.h"

namespace heed::kernels::simd {

template <class T>
struct ElementKernels {
  /// to[i] = op(x[i]); `to` may be `x`.
  void (*unary)(Unary op, const T* x, T* to, std::size_t n);

  /// to[i] = op(x[i], y[i]); an operand that is not `many` is one element for the whole run. `to`
  /// may be an operand.
  void (*binary)(Binary op, const T* x, bool many_x, const T* y, bool many_y, T* to, std::size_t n);

  /// to[i] = condition[i] ? x[i] : y[i], bit for bit; elements of 4 or of 8 bytes. An operand that
  /// is not `many` is one element for the whole run.
  void (*where)(const bool* condition, const T* x, bool many_x, const T* y, bool many_y, T* to,
                std::size_t n);
};
template <class T>
const ElementKernels<T>& elements();  // f32, f64

}  // namespace heed::kernels::simd
