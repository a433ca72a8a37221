// Row flex: attention with a score map and a mask rule, forward and backward, f32; blocks and loss
// as in row sdpa_T, but queries so long that the cap counts:
//
//   s = q . k / sqrt(D),  score = cap tanh(s / cap) - slope_h (q - k)
//
// where key k is at q or before it, and in the window, or among the first ones, or in q's document.
#pragma once

#include <algorithm>
#include <cmath>

#include "attention.h"

namespace bench::flex {

using sdpa::kHeads, sdpa::kWidth;

inline constexpr std::int64_t kSteps = 2048, kWindow = 256, kFirst = 4, kDocument = 512;
inline constexpr double kCap = 20;

/// Queries, keys, values and the block in the loss: four times f32[1, H, T, D], number 0 .. 3.
inline void fill_block(float* to, std::uint64_t number) {
  fill(to, kHeads * kSteps * kWidth, 1 + number, number == 0 ? 20.0f : 1.0f);
}
/// f32[H]: 1/2, 1/4, ... as ALiBi has them (Press et al. 2022).
inline void fill_slopes(float* to) {
  for (std::int64_t h = 0; h < kHeads; ++h) to[h] = std::ldexp(1.0f, -static_cast<int>(h) - 1);
}

constexpr bool allowed(std::int64_t q, std::int64_t k) {
  return k <= q && (q - k < kWindow || k < kFirst || q / kDocument == k / kDocument);
}

/// Rows and columns of the tiles by whose number the row is judged.
inline constexpr std::int64_t kTile = 64;

/// The part of all [rows, columns] tiles in which any place is allowed; of places where both are 1.
constexpr double share(std::int64_t rows, std::int64_t columns) {
  std::int64_t visited = 0, tiles = 0;
  for (std::int64_t q = 0; q < kSteps; q += rows) {
    for (std::int64_t k = 0; k < kSteps; k += columns, ++tiles) {
      // The rows of a tile have one range of allowed keys each, and the first ones.
      bool any = false;
      for (std::int64_t i = q; i < std::min(q + rows, kSteps) && !any; ++i) {
        const std::int64_t nearest = std::min(i, k + columns - 1);
        any = (k <= i && allowed(i, nearest)) || allowed(i, k);
      }
      visited += any ? 1 : 0;
    }
  }
  return static_cast<double>(visited) / static_cast<double>(tiles);
}

/// Of the products at the places that are allowed.
inline double flops() { return sdpa::flops(kSteps) * share(1, 1); }

}  // namespace bench::flex
