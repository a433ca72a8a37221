#include "bf16_dot.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "../bf16_pairs-inl.h"

namespace heed::kernels::simd {
namespace {

// As f32's panels with AVX-512, whose kernels turn pairs as if they were floats.
constexpr Index kRows = 14, kColumns = 32, kLanes = kPairLanes;

// Of lines that lie `step` apart, each with its elements for successive k side by side.
template <Index kWidth>
void turn_panels(const float* from, Index step, Index count, Index depth, float* to) {
  constexpr Index kStretch = 64;  // places: all lines of them stay in the nearest cache
  alignas(64) float joint[kWidth * kStretch];
  const auto pack = kWidth == kRows ? gemm<float>().pack_rows : gemm<float>().pack_columns;
  for (Index line = 0; line < count; line += kWidth) {
    const Index width = std::min(kWidth, count - line);
    for (Index p = 0; p < depth; p += kPair * kStretch) {
      const Index own = std::min(depth - p, kPair * kStretch);
      for (Index i = 0; i < width; ++i) {
        pairs_of(from + (line + i) * step + p, own, joint + i * kStretch);
      }
      pack({joint, kStretch, kWidth != kRows}, 0, width, 0, places(own), to);
      to += places(own) * kWidth;
    }
  }
}

// Of lines whose elements for one k lie side by side: all panels of a pair of k at once, as they
// lie in memory.
template <Index kWidth>
HEED_BF16 void join_panels(const float* from, Index step, Index count, Index depth, float* to) {
  constexpr Index kAhead = 8;  // rows far apart, which the hardware does not foresee
  for (Index p = 0; p < depth; p += kPair, from += kPair * step) {
    const bool lone = p + 1 == depth;
    if (p + kAhead + 1 < depth) {
      for (Index i = 0; i < count; i += kLanes) {
        _mm_prefetch(reinterpret_cast<const char*>(from + kAhead * step + i), _MM_HINT_T0);
        _mm_prefetch(reinterpret_cast<const char*>(from + (kAhead + 1) * step + i), _MM_HINT_T0);
      }
    }
    for (Index begin = 0; begin < count; begin += kWidth) {
      float* const at = to + begin * places(depth) + p / kPair * kWidth;
      for (Index i = 0; i < kWidth; i += kLanes) {
        const __mmask16 there = first(count - begin - i);
        const __m512 low = _mm512_maskz_loadu_ps(there, from + begin + i);
        const __m512 high =
            lone ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(there, from + step + begin + i);
        _mm512_mask_storeu_epi32(at + i, first(kWidth - i), joined(low, high));
      }
    }
  }
}

void pack_rows(Matrix<const float> a, Index begin, Index end, Index from, Index depth, float* to) {
  if (a.transposed) {
    join_panels<kRows>(a.data + from * a.step + begin, a.step, end - begin, depth, to);
  } else {
    turn_panels<kRows>(a.data + begin * a.step + from, a.step, end - begin, depth, to);
  }
}

void pack_columns(Matrix<const float> b, Index begin, Index end, Index from, Index depth,
                  float* to) {
  if (b.transposed) {
    turn_panels<kColumns>(b.data + begin * b.step + from, b.step, end - begin, depth, to);
  } else {
    join_panels<kColumns>(b.data + from * b.step + begin, b.step, end - begin, depth, to);
  }
}

// A few as they are, then on in doubles.
HEED_BF16 void panel_sums(const float* panels, Index rows, Index depth, bool add, double* sums) {
  constexpr Index kFew = 4;
  for (Index row = 0; row < rows; row += kRows) {
    double total[kRows] = {};
    for (Index begin = 0; begin < places(depth); begin += kFew) {
      float part[kRows] = {};
      for (Index p = begin; p < std::min(places(depth), begin + kFew); ++p, panels += kRows) {
        std::uint32_t pairs[kRows], upper[kRows];
        float low[kRows], high[kRows];
        std::memcpy(pairs, panels, sizeof pairs);
        for (Index i = 0; i < kRows; ++i) upper[i] = pairs[i] & 0xFFFF0000u;
        for (Index i = 0; i < kRows; ++i) pairs[i] <<= 16;
        std::memcpy(low, pairs, sizeof low);
        std::memcpy(high, upper, sizeof high);
        for (Index i = 0; i < kRows; ++i) part[i] += low[i] + high[i];
      }
      for (Index i = 0; i < kRows; ++i) total[i] += static_cast<double>(part[i]);
    }
    for (Index i = 0; i < std::min(kRows, rows - row); ++i) {
      sums[row + i] = add ? sums[row + i] + total[i] : total[i];
    }
  }
}

// A panel of rows by a panel of columns, all sums in registers. `rows` and `columns` count, the
// rest is padding.
template <bool kPartial>
HEED_BF16 __attribute__((noinline)) void panel_product(Index rows, Index columns, Index depth,
                                                       const float* a, const float* b, bool add,
                                                       const float* bias, float* c, Index c_step) {
  const Index height = kPartial ? rows : kRows;
  const __mmask16 first_lanes = first(kPartial ? columns : kLanes);
  const __mmask16 last_lanes = first(kPartial ? columns - kLanes : kLanes);
#pragma GCC unroll 16
  for (Index row = 0; row < height; ++row) {
    _mm_prefetch(reinterpret_cast<const char*>(c + row * c_step), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(c + row * c_step + columns - 1), _MM_HINT_T0);
  }
  __m512 low[kRows], high[kRows];
#pragma GCC unroll 16
  for (Index row = 0; row < kRows; ++row) low[row] = high[row] = _mm512_setzero_ps();
  for (Index p = 0; p < places(depth); ++p) {
    const auto b0 = reinterpret_cast<__m512bh>(_mm512_load_ps(b + p * kColumns));
    const auto b1 = reinterpret_cast<__m512bh>(_mm512_load_ps(b + p * kColumns + kLanes));
#pragma GCC unroll 16
    for (Index row = 0; row < kRows; ++row) {
      const auto factor = reinterpret_cast<__m512bh>(_mm512_set1_ps(a[p * kRows + row]));
      low[row] = _mm512_dpbf16_ps(low[row], factor, b0);
      high[row] = _mm512_dpbf16_ps(high[row], factor, b1);
    }
  }
  const bool biased = bias != nullptr;
  const __m512 bias0 = biased ? _mm512_maskz_loadu_ps(first_lanes, bias) : _mm512_setzero_ps();
  const __m512 bias1 =
      biased ? _mm512_maskz_loadu_ps(last_lanes, bias + kLanes) : _mm512_setzero_ps();
#pragma GCC unroll 16
  for (Index row = 0; row < kRows; ++row) {
    if (row >= height) break;
    float* const to = c + row * c_step;
    __m512 v0 = _mm512_add_ps(low[row], bias0), v1 = _mm512_add_ps(high[row], bias1);
    if (add) {
      v0 = _mm512_add_ps(_mm512_maskz_loadu_ps(first_lanes, to), v0);
      v1 = _mm512_add_ps(_mm512_maskz_loadu_ps(last_lanes, to + kLanes), v1);
    }
    _mm512_mask_storeu_ps(to, first_lanes, v0);
    _mm512_mask_storeu_ps(to + kLanes, last_lanes, v1);
  }
}

// Along the rows of C, so far as the panels of B that this takes stay in the second cache.
void tile(Index rows, Index columns, Index depth, const float* a, const float* b, bool add,
          const float* bias, float* c, Index c_step) {
  const Index near = bytes_near() / 4;  // places of B
  const Index stretch = std::max<Index>(near / places(depth) / kColumns, 1) * kColumns;
  for (Index begin = 0; begin < columns; begin += stretch) {
    const Index end = std::min(columns, begin + stretch);
    for (Index i = 0; i < rows; i += kRows) {
      for (Index j = begin; j < end; j += kColumns) {
        const Index height = std::min(kRows, rows - i), width = std::min(kColumns, columns - j);
        const auto product =
            height == kRows && width == kColumns ? panel_product<false> : panel_product<true>;
        product(height, width, depth, a + i * places(depth), b + j * places(depth), add,
                bias == nullptr ? nullptr : bias + j, c + i * c_step + j, c_step);
      }
    }
  }
}

}  // namespace

GemmKernels<float> bf16_dot_kernels() {
  return {{kRows, kColumns}, pack_rows, pack_columns, panel_sums, tile, kPair};
}

}  // namespace heed::kernels::simd

#else

namespace heed::kernels::simd {

GemmKernels<float> bf16_dot_kernels() { return gemm<float>(); }

}  // namespace heed::kernels::simd

#endif
