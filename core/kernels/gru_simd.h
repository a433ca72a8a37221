// The gates of one row of a GRU at one step, in one vectorised pass. H is the state's width; a row
// of gates holds r, z, n and m = W_hn h + b_hn, H numbers each.
#pragma once

#include "../shape.h"

namespace heed::kernels::simd {

/// gates: on entry W_ir x, W_iz x, W_in x; on return r, z, n, m. recurrent [3H] = W_hh h; bias [4H]
/// = b_ir + b_hr, b_iz + b_hz, b_in, b_hn. Steps h on, and copies it to `out`.
void gru_step(float* gates, const float* recurrent, const float* bias, float* h, float* out,
              Index H);
void gru_step(double* gates, const double* recurrent, const double* bias, double* h, double* out,
              Index H);

/// The way back. dh [H]: on entry the gradient of the state after this step without that of the
/// output, which is g; on return z times their sum, what the next state hands to h along its
/// straight path. d [4H]: the gradients of the sums inside n, r and z, and of m; added to `sums`
/// [4H], and its last three parts, those of W_hh h, copied to `recurrent` [3H].
void gru_step_grad(const float* gates, const float* h, const float* g, float* dh, float* d,
                   float* recurrent, float* sums, Index H);
void gru_step_grad(const double* gates, const double* h, const double* g, double* dh, double* d,
                   double* recurrent, double* sums, Index H);

}  // namespace heed::kernels::simd
