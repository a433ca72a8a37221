// The vector loops behind activation.h: over runs of neighbouring elements, on one thread.
#pragma once

#include "activation.h"

namespace heed::kernels::simd {

/// to[i] = op(x[i])
void activation(Activation op, const float* x, float* to, std::size_t n, float a, float b);
void activation(Activation op, const double* x, double* to, std::size_t n, double a, double b);

/// to[i] = g[i] op'(x[i])
void activation_grad(Activation op, const float* g, const float* x, float* to, std::size_t n,
                     float a, float b);
void activation_grad(Activation op, const double* g, const double* x, double* to, std::size_t n,
                     double a, double b);

}  // namespace heed::kernels::simd
