// Elementwise operators. f32 and f64, any strides; two operands broadcast as in NumPy and must have
// one dtype (DTypeError), else ShapeError. A number beside a tensor takes the tensor's dtype.
//
// + - * and /, neg, abs, sign, square, maximum and minimum also take i64, which wraps around where
// it overflows; + and * also bool: or, and. As in PyTorch / of integers is f32, and a number with a
// point beside integers, an integer beside bools, makes the whole f32, i64.
#pragma once

#include "../../tensor.h"
#include "compare.h"

namespace heed {

Tensor operator+(const Tensor& x, const Tensor& y);
Tensor operator-(const Tensor& x, const Tensor& y);
Tensor operator*(const Tensor& x, const Tensor& y);
Tensor operator/(const Tensor& x, const Tensor& y);
Tensor operator-(const Tensor& x);

Tensor operator+(const Tensor& x, Scalar y);
Tensor operator-(const Tensor& x, Scalar y);
Tensor operator*(const Tensor& x, Scalar y);
Tensor operator/(const Tensor& x, Scalar y);
Tensor operator+(Scalar x, const Tensor& y);
Tensor operator-(Scalar x, const Tensor& y);
Tensor operator*(Scalar x, const Tensor& y);
Tensor operator/(Scalar x, const Tensor& y);

/// Writes into x where nothing is to be recorded, as PyTorch does; else x becomes the new tensor,
/// and other handles of the old one keep the old numbers. Throws GradError for a leaf that requires
/// a gradient while recording, ShapeError where x would grow, DTypeError.
Tensor& operator+=(Tensor& x, const Tensor& y);
Tensor& operator-=(Tensor& x, const Tensor& y);
Tensor& operator*=(Tensor& x, const Tensor& y);
Tensor& operator/=(Tensor& x, const Tensor& y);
Tensor& operator+=(Tensor& x, Scalar y);
Tensor& operator-=(Tensor& x, Scalar y);
Tensor& operator*=(Tensor& x, Scalar y);
Tensor& operator/=(Tensor& x, Scalar y);
/// Of a part, `x[0] += y`: always in place. Throw as add_() and the others.
Tensor operator+=(Tensor&& x, const Tensor& y);
Tensor operator-=(Tensor&& x, const Tensor& y);
Tensor operator*=(Tensor&& x, const Tensor& y);
Tensor operator/=(Tensor&& x, const Tensor& y);
Tensor operator+=(Tensor&& x, Scalar y);
Tensor operator-=(Tensor&& x, Scalar y);
Tensor operator*=(Tensor&& x, Scalar y);
Tensor operator/=(Tensor&& x, Scalar y);

/// |x|; its gradient at 0 and at NaN is 0.
Tensor abs(const Tensor& x);
/// -1, 0 or 1; NaN of NaN. Its gradient is 0 everywhere.
Tensor sign(const Tensor& x);
Tensor exp(const Tensor& x);
/// exp(x) - 1, exact near 0.
Tensor expm1(const Tensor& x);
/// Natural logarithm.
Tensor log(const Tensor& x);
/// log(1 + x), exact near 0.
Tensor log1p(const Tensor& x);
/// Logarithms to the bases 2 and 10, whole numbers of their powers.
Tensor log2(const Tensor& x);
Tensor log10(const Tensor& x);
Tensor sqrt(const Tensor& x);
/// 1 / sqrt(x)
Tensor rsqrt(const Tensor& x);
/// Of radians.
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
/// 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
Tensor erf(const Tensor& x);
Tensor square(const Tensor& x);
Tensor reciprocal(const Tensor& x);
Tensor tanh(const Tensor& x);
/// 1 / (1 + exp(-x))
Tensor sigmoid(const Tensor& x);
/// max(x, 0); its gradient at 0 is 0. NaN comes out as NaN and keeps the gradient.
Tensor relu(const Tensor& x);
/// The larger, the smaller of two; NaN wins. Where equal each gets half of the gradient, where
/// either is NaN both get all of it.
Tensor maximum(const Tensor& x, const Tensor& y);
Tensor minimum(const Tensor& x, const Tensor& y);
Tensor maximum(const Tensor& x, Scalar y);
Tensor minimum(const Tensor& x, Scalar y);

/// x where condition (bool, broadcasts) is true, else y. The side not taken gets a zero gradient,
/// NaN or not.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
Tensor where(const Tensor& condition, const Tensor& x, Scalar y);
Tensor where(const Tensor& condition, Scalar x, const Tensor& y);
/// `value` where mask (bool, broadcasts to x) is true, else x. Throws ValueError for a value that
/// an x of i64 does not hold.
Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);

/// From x (weight 0) to y (weight 1) in a straight line: (1 - weight) x + weight y. All broadcast.
Tensor lerp(const Tensor& x, const Tensor& y, const Tensor& weight);
Tensor lerp(const Tensor& x, const Tensor& y, double weight);

}  // namespace heed
