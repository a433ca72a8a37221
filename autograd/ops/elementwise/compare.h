// Comparisons and logic: the result is bool and has no gradient. Two operands broadcast and must
// have one dtype, any of the four (DTypeError), else ShapeError; a number is compared by its value,
// rounded to f32 beside f32. NaN is unequal to all and on no side of anything.
#pragma once

#include "../../tensor.h"

namespace heed {

Tensor operator==(const Tensor& x, const Tensor& y);
Tensor operator!=(const Tensor& x, const Tensor& y);
Tensor operator<(const Tensor& x, const Tensor& y);
Tensor operator<=(const Tensor& x, const Tensor& y);
Tensor operator>(const Tensor& x, const Tensor& y);
Tensor operator>=(const Tensor& x, const Tensor& y);

Tensor operator==(const Tensor& x, Scalar y);
Tensor operator!=(const Tensor& x, Scalar y);
Tensor operator<(const Tensor& x, Scalar y);
Tensor operator<=(const Tensor& x, Scalar y);
Tensor operator>(const Tensor& x, Scalar y);
Tensor operator>=(const Tensor& x, Scalar y);
Tensor operator==(Scalar x, const Tensor& y);
Tensor operator!=(Scalar x, const Tensor& y);
Tensor operator<(Scalar x, const Tensor& y);
Tensor operator<=(Scalar x, const Tensor& y);
Tensor operator>(Scalar x, const Tensor& y);
Tensor operator>=(Scalar x, const Tensor& y);

/// Of bool operands, which broadcast. Throw DTypeError, ShapeError.
Tensor logical_not(const Tensor& x);
Tensor logical_and(const Tensor& x, const Tensor& y);
Tensor logical_or(const Tensor& x, const Tensor& y);
Tensor logical_xor(const Tensor& x, const Tensor& y);

/// The same: ~x and !x, x & y, x | y, x ^ y.
inline Tensor operator!(const Tensor& x) { return logical_not(x); }
inline Tensor operator~(const Tensor& x) { return logical_not(x); }
inline Tensor operator&(const Tensor& x, const Tensor& y) { return logical_and(x, y); }
inline Tensor operator|(const Tensor& x, const Tensor& y) { return logical_or(x, y); }
inline Tensor operator^(const Tensor& x, const Tensor& y) { return logical_xor(x, y); }

/// Of any dtype; integers and bools are finite.
Tensor isnan(const Tensor& x);
Tensor isinf(const Tensor& x);
Tensor isfinite(const Tensor& x);

}  // namespace heed
