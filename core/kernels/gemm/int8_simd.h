// The loops of int8_matrix.h. A panel has the int8s of 16 rows of w, for four successive k at a
// time: [out / 16, places, 16, 4], places = in / 4, both rounded up, zeros beyond. Rows of x are
// [places, 4] numbers 128 + p.
#pragma once

#include <cstdint>

#include "../../shape.h"

namespace heed::kernels::simd {

inline constexpr Index kInt8Panel = 16, kInt8Place = 4;
/// Sums of so many places are integers of 32 bits, and their offsets, too. A longer row is summed
/// in stretches of these, which are added as floats.
inline constexpr Index kInt8Stretch = 131072 / kInt8Place;
static_assert(kInt8Stretch * kInt8Place * 127 * 128 <= INT32_MAX);

/// The product of rows [m, places, 4] and the panels first .. last, as in int8_matrix.h.
struct Int8Product {
  Index m, n, places;
  const std::uint8_t* rows;
  const float* row_scales;  ///< [m]
  const std::int8_t* panels;
  const float* scales;          ///< [n]
  const std::int32_t* offsets;  ///< [stretches, n]: 128 sum_k q
  const float* bias;            ///< [n] or null
  float* to;                    ///< [m, n]
};

struct Int8Kernels {
  /// x [m, k], rounded: 128 + p into to [m, places, 4], scales [m]; NaN for a row that is not
  /// finite.
  void (*round_rows)(Index m, Index k, const float* x, std::uint8_t* to, float* scales);
  void (*multiply)(const Int8Product& product, Index first, Index last);
};
/// With AVX512-VNNI's dot products; elsewhere floats, which hold the same integers exactly.
Int8Kernels int8();

}  // namespace heed::kernels::simd
