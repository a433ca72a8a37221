// The vector loops behind elementwise.h: over runs of neighbouring elements, on one thread.
#pragma once

#include "elementwise.h"

namespace heed::kernels::simd {

/// to[i] = op(x[i]); `to` may be `x`.
void unary(Unary op, const float* x, float* to, std::size_t n);
void unary(Unary op, const double* x, double* to, std::size_t n);

/// to[i] = op(x[i], y[i]); an operand that is not `many` is one element for the whole run. `to` may
/// be an operand.
void binary(Binary op, const float* x, bool many_x, const float* y, bool many_y, float* to,
            std::size_t n);
void binary(Binary op, const double* x, bool many_x, const double* y, bool many_y, double* to,
            std::size_t n);

/// to[i] = condition[i] ? x[i] : y[i], bit for bit; elements of 4 or of 8 bytes. An operand that is
/// not `many` is one element for the whole run.
void where(const bool* condition, const float* x, bool many_x, const float* y, bool many_y,
           float* to, std::size_t n);
void where(const bool* condition, const double* x, bool many_x, const double* y, bool many_y,
           double* to, std::size_t n);

}  // namespace heed::kernels::simd
