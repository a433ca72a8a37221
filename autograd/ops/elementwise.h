// Elementwise operators. f32 and f64, any strides; two operands broadcast as in NumPy and must have
// one dtype (DTypeError), else ShapeError. A number beside a tensor takes the tensor's dtype.
#pragma once

#include "../tensor.h"

namespace heed {

Tensor operator+(const Tensor& x, const Tensor& y);
Tensor operator-(const Tensor& x, const Tensor& y);
Tensor operator*(const Tensor& x, const Tensor& y);
Tensor operator/(const Tensor& x, const Tensor& y);
Tensor operator-(const Tensor& x);

Tensor operator+(const Tensor& x, double y);
Tensor operator-(const Tensor& x, double y);
Tensor operator*(const Tensor& x, double y);
Tensor operator/(const Tensor& x, double y);
Tensor operator+(double x, const Tensor& y);
Tensor operator-(double x, const Tensor& y);
Tensor operator*(double x, const Tensor& y);
Tensor operator/(double x, const Tensor& y);

/// |x|; its gradient at 0 is 0.
Tensor abs(const Tensor& x);
Tensor exp(const Tensor& x);
/// Natural logarithm.
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor square(const Tensor& x);
Tensor reciprocal(const Tensor& x);
Tensor tanh(const Tensor& x);
/// 1 / (1 + exp(-x))
Tensor sigmoid(const Tensor& x);
/// max(x, 0); its gradient at 0 is 0.
Tensor relu(const Tensor& x);
/// The larger, the smaller of two; NaN wins; where equal each gets half of the gradient.
Tensor maximum(const Tensor& x, const Tensor& y);
Tensor minimum(const Tensor& x, const Tensor& y);

/// x where condition (bool, broadcasts) is true, else y. The side not taken gets a zero gradient,
/// NaN or not.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
/// `value` where mask (bool, broadcasts to x) is true, else x.
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

/// Comparisons and logic: bool, no gradient.
Tensor operator==(const Tensor& x, const Tensor& y);
Tensor operator!=(const Tensor& x, const Tensor& y);
Tensor operator<(const Tensor& x, const Tensor& y);
Tensor operator<=(const Tensor& x, const Tensor& y);
Tensor operator>(const Tensor& x, const Tensor& y);
Tensor operator>=(const Tensor& x, const Tensor& y);
Tensor logical_not(const Tensor& x);
Tensor logical_and(const Tensor& x, const Tensor& y);

}  // namespace heed
