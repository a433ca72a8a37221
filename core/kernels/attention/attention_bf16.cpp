#include "attention_bf16.h"

#include "attention_rows_simd.h"

#if defined(__x86_64__)

#include <algorithm>

#include "../bf16_pairs-inl.h"

namespace heed::kernels::simd {
namespace {

// What is laid out at once, in pairs, stays in the nearest cache.
constexpr Index kDepth = 128, kRows = 48, kColumns = 64;

// A block of a or b, as pairs of its elements for neighbouring k: element (i, p) stands at
// i step + p place.
struct Pairs {
  const float* data;
  Index step, place;
};

// Of lines whose elements for one k lie side by side.
HEED_BF16 void join(Index count, Index depth, const float* from, Index from_step, Index width,
                    float* to) {
  for (Index p = 0; p < depth; p += kPair, from += kPair * from_step, to += width) {
    const bool lone = p + 1 == depth;
    const float* const next = from + (lone ? 0 : from_step);
    Index i = 0;
    for (; i + kPairLanes <= count && !lone; i += kPairLanes) {
      _mm512_storeu_si512(to + i, joined(_mm512_loadu_ps(from + i), _mm512_loadu_ps(next + i)));
    }
    for (; i < count; i += kPairLanes) {
      const __mmask16 there = first(count - i);
      const __m512 high = _mm512_maskz_loadu_ps(lone ? __mmask16{0} : there, next + i);
      _mm512_storeu_si512(to + i, joined(_mm512_maskz_loadu_ps(there, from + i), high));
    }
  }
}

// Sums of kHeight rows by kVectors vectors stay in registers.
template <int kHeight, int kVectors>
HEED_BF16 void block(Index count, const Pairs& a, const float* b, bool add, float* c,
                     Index c_step) {
  __m512 sum[kHeight][kVectors];
#pragma GCC unroll 16
  for (int row = 0; row < kHeight; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sum[row][v] = _mm512_setzero_ps();
  }
  const float* left = a.data;
  for (Index p = 0; p < count; ++p, left += a.place, b += kColumns) {
    __m512bh right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      right[v] = reinterpret_cast<__m512bh>(_mm512_load_ps(b + v * kPairLanes));
    }
#pragma GCC unroll 16
    for (int row = 0; row < kHeight; ++row) {
      const auto factor = reinterpret_cast<__m512bh>(_mm512_set1_ps(left[row * a.step]));
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sum[row][v] = _mm512_dpbf16_ps(sum[row][v], factor, right[v]);
      }
    }
  }
#pragma GCC unroll 16
  for (int row = 0; row < kHeight; ++row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* const to = c + row * c_step + v * kPairLanes;
      const __m512 x = sum[row][v];
      _mm512_storeu_ps(to, add ? _mm512_add_ps(_mm512_loadu_ps(to), x) : x);
    }
  }
}

// As many rows at once as the registers take, then fewer.
template <int kHeight, int kVectors>
void blocks(Index rows, Index count, Pairs a, const float* b, bool add, float* c, Index c_step) {
  for (; rows >= kHeight; rows -= kHeight) {
    block<kHeight, kVectors>(count, a, b, add, c, c_step);
    a.data += kHeight * a.step;
    c += kHeight * c_step;
  }
  if constexpr (kHeight > 1) {
    if (rows > 0) blocks<kHeight / 2, kVectors>(rows, count, a, b, add, c, c_step);
  }
}

}  // namespace

void multiply_bf16(Index m, Index n, Index k, const float* a, Index a_row, Index a_column,
                   const float* b, Index b_step, bool add, float* c, Index c_step) {
  alignas(64) float left[kRows * kDepth / kPair], right[kColumns * kDepth / kPair];
  for (Index from = 0; from < k; from += kDepth, add = true) {
    const Index depth = std::min(kDepth, k - from);
    for (Index j = 0; j < n; j += kColumns) {
      const Index columns = std::min(kColumns, n - j);
      join(columns, depth, b + from * b_step + j, b_step, kColumns, right);
      for (Index i = 0; i < m; i += kRows) {
        const Index rows = std::min(kRows, m - i);
        const float* const at = a + i * a_row + from * a_column;
        Pairs pairs{left, 1, kRows};
        if (a_row == 1) {
          join(rows, depth, at, a_column, kRows, left);
        } else {
          pairs = {left, kDepth / kPair, 1};
          for (Index row = 0; row < rows; ++row) {
            pairs_of(at + row * a_row, depth, left + row * pairs.step);
          }
        }
        float* const to = c + i * c_step + j;
        switch (columns / kPairLanes) {
          case 1: blocks<12, 1>(rows, places(depth), pairs, right, add, to, c_step); break;
          case 2: blocks<12, 2>(rows, places(depth), pairs, right, add, to, c_step); break;
          case 3: blocks<6, 3>(rows, places(depth), pairs, right, add, to, c_step); break;
          default: blocks<6, 4>(rows, places(depth), pairs, right, add, to, c_step); break;
        }
      }
    }
  }
}

}  // namespace heed::kernels::simd

#else

namespace heed::kernels::simd {

void multiply_bf16(Index m, Index n, Index k, const float* a, Index a_row, Index a_column,
                   const float* b, Index b_step, bool add, float* c, Index c_step) {
  rows<float>().multiply(m, n, k, a, a_row, a_column, b, b_step, add, c, c_step);
}

}  // namespace heed::kernels::simd

#endif
