// Pairs of floats as AVX512-BF16's dot products take them: two of them, rounded to bf16, in the
// place of one float. Only where has_bf16_dot().
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include "../shape.h"

#define HEED_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16")))

namespace heed::kernels::simd {
namespace {

constexpr Index kPairLanes = 16, kPair = 2;

/// Pairs of so many.
constexpr Index places(Index depth) { return (depth + 1) / kPair; }

HEED_BF16 inline __mmask16 first(Index n) {
  return static_cast<__mmask16>((1u << std::clamp<Index>(n, 0, kPairLanes)) - 1);
}

/// Those of neighbours in `low`, then in `high`.
HEED_BF16 inline __m512 paired(__m512 low, __m512 high) {
  return reinterpret_cast<__m512>(_mm512_cvtne2ps_pbh(high, low));
}

/// The pairs of `depth` floats that lie side by side, a zero behind an odd one.
HEED_BF16 inline void pairs_of(const float* from, Index depth, float* to) {
  constexpr Index kStep = 2 * kPairLanes;
  for (; depth >= kStep; depth -= kStep, from += kStep, to += kPairLanes) {
    _mm512_storeu_ps(to, paired(_mm512_loadu_ps(from), _mm512_loadu_ps(from + kPairLanes)));
  }
  if (depth == 0) return;
  const __m512 low = _mm512_maskz_loadu_ps(first(depth), from);
  const __m512 high = _mm512_maskz_loadu_ps(first(depth - kPairLanes), from + kPairLanes);
  _mm512_mask_storeu_ps(to, first(places(depth)), paired(low, high));
}

/// The pairs of low[i] and high[i].
HEED_BF16 inline __m512i joined(__m512 low, __m512 high) {
  alignas(64) static constexpr std::uint16_t kOrder[32] = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return _mm512_permutexvar_epi16(_mm512_load_si512(kOrder),
                                  _mm512_castps_si512(paired(low, high)));
}

}  // namespace
}  // namespace heed::kernels::simd
