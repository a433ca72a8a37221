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

template <class T>
struct TileKernels {
  /// s = exp(s - most) where most, of each row, has taken in the scores s; sum takes in the new
  /// weights, and factor is what the row's older results have to be scaled by. A score of -infinity
  /// has weight 0.
  void (*soften)(Index keys, Index rows, T* s, T* most, T* sum, T* factor);

  /// s = exp(s - log_sum - rest), both of its row: the weights.
  void (*weigh)(Index keys, Index rows, T* s, const T* log_sums, const T* rests);

  /// The scores' gradient: d = p (d - delta of its row), 0 where p is 0.
  void (*slope)(Index keys, Index rows, const T* p, const T* delta, T* d);

  /// d = d slope, 0 where d is 0; n is a multiple of kTileLanes.
  void (*chain)(Index n, const T* slope, T* d);

  /// tanh as in `additive`; n is a multiple of kTileLanes, `to` may be x.
  void (*tanh)(Index n, const T* x, T* to);

  /// x = x scale where its number is below the bound, else 0; n is a multiple of kTileLanes.
  void (*drop)(Index n, const std::uint16_t* numbers, std::uint32_t bound, T scale, T* x);

  /// s [j, i] = sum over h of w_h tanh(q_ih + k_jh), for `rows` queries and `keys` keys whose rows
  /// are `width` long (a multiple of kTileLanes); keeps the tanh, [keys, rows, width], unless
  /// `kept` is null.
  void (*additive)(Index rows, Index keys, Index width, const T* q, const T* k, const T* w, T* s,
                   Index s_step, T* kept);

  /// From the gradient d of such scores, where it is not 0: gq and gk += d (1 - tanh^2), both still
  /// without the factor w; gw += d tanh.
  void (*additive_slope)(Index rows, Index keys, Index width, const T* kept, const T* d,
                         Index d_step, T* gq, T* gk, T* gw);
};
template <class T>
const TileKernels<T>& tiles();  // f32, f64

}  // namespace simd
}  // namespace heed::kernels
