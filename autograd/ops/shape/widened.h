// Operands that are held in bf16, for an operator that computes in f32: it calls itself with what
// they hold, and so do its derivatives.
//
//   if (detail::hold_bf16(x, weight)) return prelu(detail::wide(x), detail::wide(weight));
#pragma once

#include "shape.h"

namespace heed::detail {

/// Whether one is in bf16; beside f64 that is for the operator to refuse. Any may be undefined.
template <class... Tensors>
bool hold_bf16(const Tensors&... xs) {
  const auto is = [](const Tensor& x, DType dtype) { return x.defined() && x.dtype() == dtype; };
  return (is(xs, DType::bf16) || ...) && !(is(xs, DType::f64) || ...);
}

/// Whether x is read where numbers are of this dtype: is of it, or in bf16 beside f32.
inline bool reads_as(const Tensor& x, DType dtype) {
  return x.dtype() == dtype || (dtype == DType::f32 && x.dtype() == DType::bf16);
}

/// In f32 what is in bf16, whose gradient is in f32 too; any other itself.
inline Tensor wide(const Tensor& x) {
  return x.defined() && x.dtype() == DType::bf16 ? to(x, DType::f32) : x;
}

}  // namespace heed::detail
