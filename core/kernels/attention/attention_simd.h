// The inner loops of tiled attention, on blocks that lie in the nearest caches. A tile of scores is
// [keys, rows]: a row is one query and has a column of its own, so that what is done for every
// query (its largest score, its sum) is done for a whole vector of them. `rows` is a multiple of
// kTileLanes, as is every step; what stands beyond the real rows is computed and never looked at.
#pragma once

#include <cstdint>

#include "../../shape.h"

namespace heed::kernels {

/// Elements of 64 bytes: rows and widths inside of tiles are padded to a multiple.
template <class T>
inline constexpr Index kTileLanes = 64 / static_cast<Index>(sizeof(T));

template <class T>
constexpr Index padded(Index n) {
  return (n + kTileLanes<T> - 1) / kTileLanes<T> * kTileLanes<T>;
}

namespace simd {

/// c [m, n] = a [m, k] b [k, n], or += with `add`. a's element (i, at) stands at
/// i a_row + at a_column; b and c have dense rows; n is a multiple of kTileLanes.
void multiply_tile(Index m, Index n, Index k, const float* a, Index a_row, Index a_column,
                   const float* b, Index b_step, bool add, float* c, Index c_step);
void multiply_tile(Index m, Index n, Index k, const double* a, Index a_row, Index a_column,
                   const double* b, Index b_step, bool add, double* c, Index c_step);

/// to [columns, rows] = from [rows, columns] turned; rows is a multiple of kTileLanes.
void turn_tile(Index rows, Index columns, const float* from, Index from_step, float* to);
void turn_tile(Index rows, Index columns, const double* from, Index from_step, double* to);

/// The scores of so few queries (at most kFew) that turning them does not pay: s_ji = k_j . q_i for
/// n-wide rows; those of q are padded with zeros to whole vectors.
inline constexpr Index kFew = 4;
void multiply_few(Index keys, Index rows, Index n, const float* k, Index k_step, const float* q,
                  Index q_step, float* s, Index s_step);
void multiply_few(Index keys, Index rows, Index n, const double* k, Index k_step, const double* q,
                  Index q_step, double* s, Index s_step);

/// s = exp(s - most) where most, of each row, has taken in the scores s; sum takes in the new
/// weights, and factor is what the row's older results have to be scaled by. A score of -infinity
/// has weight 0.
void soften_tile(Index keys, Index rows, float* s, float* most, float* sum, float* factor);
void soften_tile(Index keys, Index rows, double* s, double* most, double* sum, double* factor);

/// s = exp(s - log_sum of its row): the weights.
void weigh_tile(Index keys, Index rows, float* s, const float* log_sums);
void weigh_tile(Index keys, Index rows, double* s, const double* log_sums);

/// The scores' gradient: d = p (d - delta of its row), 0 where p is 0.
void slope_tile(Index keys, Index rows, const float* p, const float* delta, float* d);
void slope_tile(Index keys, Index rows, const double* p, const double* delta, double* d);

/// d = d slope, 0 where d is 0; n is a multiple of kTileLanes.
void chain_tile(Index n, const float* slope, float* d);
void chain_tile(Index n, const double* slope, double* d);

/// tanh as in additive_tile(); n is a multiple of kTileLanes, `to` may be x.
void tanh_tile(Index n, const float* x, float* to);
void tanh_tile(Index n, const double* x, double* to);

/// x = x scale where its number is below the bound, else 0; n is a multiple of kTileLanes.
void drop_tile(Index n, const std::uint16_t* numbers, std::uint32_t bound, float scale, float* x);
void drop_tile(Index n, const std::uint16_t* numbers, std::uint32_t bound, double scale, double* x);

/// to_i = factors[i factor_step] from_i, n wide, with zeros up to `width`.
void scale_rows(Index rows, Index n, const float* from, Index from_step, const float* factors,
                Index factor_step, float* to, Index to_step, Index width);
void scale_rows(Index rows, Index n, const double* from, Index from_step, const double* factors,
                Index factor_step, double* to, Index to_step, Index width);

/// to[i] = the sum of x_i y_i, n wide.
void dot_rows(Index rows, Index n, const float* x, Index x_step, const float* y, Index y_step,
              float* to);
void dot_rows(Index rows, Index n, const double* x, Index x_step, const double* y, Index y_step,
              double* to);

/// s [j, i] = sum over h of w_h tanh(q_ih + k_jh), for `rows` queries and `keys` keys whose rows
/// are `width` long (a multiple of kTileLanes); keeps the tanh, [keys, rows, width], unless `kept`
/// is null.
void additive_tile(Index rows, Index keys, Index width, const float* q, const float* k,
                   const float* w, float* s, Index s_step, float* kept);
void additive_tile(Index rows, Index keys, Index width, const double* q, const double* k,
                   const double* w, double* s, Index s_step, double* kept);

/// From the gradient d of such scores, where it is not 0: gq and gk += d (1 - tanh^2), both still
/// without the factor w; gw += d tanh.
void additive_slope_tile(Index rows, Index keys, Index width, const float* kept, const float* d,
                         Index d_step, float* gq, float* gk, float* gw);
void additive_slope_tile(Index rows, Index keys, Index width, const double* kept, const double* d,
                         Index d_step, double* gq, double* gk, double* gw);

}  // namespace simd
}  // namespace heed::kernels
