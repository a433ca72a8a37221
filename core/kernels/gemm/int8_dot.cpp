#include "int8_dot.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#define HEED_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

namespace heed::kernels::simd {
namespace {

constexpr Index kRows = 14;

HEED_VNNI inline __mmask16 first_lanes(Index n) {
  return static_cast<__mmask16>((1u << std::clamp<Index>(n, 0, kInt8Panel)) - 1);
}

// `begin`: of the stretch, whose sum goes to the bias or to those before it.
HEED_VNNI inline void finish(const Int8Product& x, Index row, Index column, Index begin,
                             __m512i sum) {
  const __mmask16 there = first_lanes(x.n - column);
  const __m512i offsets =
      _mm512_maskz_loadu_epi32(there, x.offsets + begin / kInt8Stretch * x.n + column);
  const __m512 scales = _mm512_mul_ps(_mm512_set1_ps(x.row_scales[row]),
                                      _mm512_maskz_loadu_ps(there, x.scales + column));
  __m512 value =
      _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(there, _mm512_sub_epi32(sum, offsets)), scales);
  float* const to = x.to + row * x.n + column;
  if (begin > 0) {
    value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(there, to));
  } else if (x.bias != nullptr) {
    value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(there, x.bias + column));
  }
  _mm512_mask_storeu_ps(to, there, value);
}

// kHeight rows by two panels, the second perhaps beyond the last; all sums of a stretch, the places
// begin .. end, in registers.
template <Index kHeight>
HEED_VNNI void in_registers(const Int8Product& x, Index row, Index panel, bool both, Index begin,
                            Index end) {
  const Index step = x.places * kInt8Place, size = step * kInt8Panel;
  const std::uint8_t* const rows = x.rows + row * step;
  const std::int8_t* const one = x.panels + panel * size;
  const std::int8_t* const two = both ? one + size : one;
  __m512i low[kHeight], high[kHeight];
#pragma GCC unroll 16
  for (Index i = 0; i < kHeight; ++i) low[i] = high[i] = _mm512_setzero_si512();
  for (Index p = begin; p < end; ++p) {
    const __m512i w0 = _mm512_loadu_si512(one + p * kInt8Panel * kInt8Place);
    const __m512i w1 = _mm512_loadu_si512(two + p * kInt8Panel * kInt8Place);
#pragma GCC unroll 16
    for (Index i = 0; i < kHeight; ++i) {
      std::int32_t four;
      std::memcpy(&four, rows + i * step + p * kInt8Place, sizeof four);
      const __m512i numbers = _mm512_set1_epi32(four);
      low[i] = _mm512_dpbusd_epi32(low[i], numbers, w0);
      high[i] = _mm512_dpbusd_epi32(high[i], numbers, w1);
    }
  }
#pragma GCC unroll 16
  for (Index i = 0; i < kHeight; ++i) {
    finish(x, row + i, panel * kInt8Panel, begin, low[i]);
    if (both) finish(x, row + i, (panel + 1) * kInt8Panel, begin, high[i]);
  }
}

template <Index kHeight>
void in_rows(const Int8Product& x, Index row, Index panel, bool both, Index begin, Index end) {
  for (; row + kHeight <= x.m; row += kHeight) {
    in_registers<kHeight>(x, row, panel, both, begin, end);
  }
  if constexpr (kHeight > 1) in_rows<kHeight / 2>(x, row, panel, both, begin, end);
}

}  // namespace

void multiply_int8_dot(const Int8Product& product, Index first, Index last) {
  for (Index panel = first; panel < last; panel += 2) {
    for (Index begin = 0; begin < product.places; begin += kInt8Stretch) {
      in_rows<kRows>(product, 0, panel, panel + 1 < last, begin,
                     std::min(begin + kInt8Stretch, product.places));
    }
  }
}

}  // namespace heed::kernels::simd

#else

namespace heed::kernels::simd {

void multiply_int8_dot(const Int8Product&, Index, Index) {}

}  // namespace heed::kernels::simd

#endif
