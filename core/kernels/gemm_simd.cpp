// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm_simd.cpp"
#include "gemm_simd.h"

#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>

#include "partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(D()));
// Two vectors of sums a row; as many rows as leave registers for the operands.
constexpr Index kRows = kLanes == 16 ? 14 : 6;
constexpr Index kColumns = 2 * kLanes;

GemmPanels panels() {
  if (kLanes < 8) return {0, 0};
  return {kRows, kColumns};
}

// Panels of kWidth of `count` lines whose elements for one k lie side by side: all panels of a k at
// once, as they lie in memory; zeros beyond `count`.
template <Index kWidth>
HWY_INLINE void copy_panels(const float* from, Index step, Index count, Index depth, float* to) {
  const D d;
  constexpr Index kAhead = 8;  // rows far apart, which the hardware does not foresee
  for (Index p = 0; p < depth; ++p, from += step) {
    if (p + kAhead < depth) {
      for (Index i = 0; i < count; i += 16) hwy::Prefetch(from + kAhead * step + i);
    }
    for (Index begin = 0; begin < count; begin += kWidth) {
      float* const at = to + begin * depth + p * kWidth;
      if (begin + kWidth <= count) {
#pragma GCC unroll 4
        for (Index i = 0; i < kWidth; i += kLanes) {
          const Index n = std::min(kLanes, kWidth - i);
          const auto v =
              n == kLanes ? hn::LoadU(d, from + begin + i) : load_first(d, from + begin + i, n);
          if (n == kLanes) {
            hn::StoreU(v, d, at + i);
          } else {
            store_first(v, d, at + i, n);
          }
        }
      } else {
        for (Index i = 0; i < kWidth; ++i) at[i] = begin + i < count ? from[begin + i] : 0.0f;
      }
    }
  }
}

// Four by four: to[j][i] = from[i][j].
HWY_INLINE void turn_four(const float* from, Index step, float* to, Index to_step) {
#if HWY_TARGET == HWY_SCALAR
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) to[j * to_step + i] = from[i * step + j];
  }
#else
  const hn::FixedTag<float, 4> d;
  const auto x0 = hn::LoadU(d, from), x1 = hn::LoadU(d, from + step);
  const auto x2 = hn::LoadU(d, from + 2 * step), x3 = hn::LoadU(d, from + 3 * step);
  const auto low01 = hn::InterleaveLower(d, x0, x1), high01 = hn::InterleaveUpper(d, x0, x1);
  const auto low23 = hn::InterleaveLower(d, x2, x3), high23 = hn::InterleaveUpper(d, x2, x3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, to);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, to + to_step);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, to + 2 * to_step);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, to + 3 * to_step);
#endif
}

// The same of lines that lie `step` apart, each with its elements for successive k side by side.
template <Index kWidth>
HWY_INLINE void turn_panels(const float* from, Index step, Index count, Index depth, float* to) {
  for (Index line = 0; line < count; line += kWidth, from += kWidth * step) {
    const Index width = std::min(kWidth, count - line);
    Index p = 0;
    constexpr Index kLine = 16;  // of a cache: read whole before the next, which may displace it
    for (; width == kWidth && p + kLine <= depth; p += kLine, to += kLine * kWidth) {
      if (line + 2 * kWidth <= count) {
        for (Index i = kWidth; i < 2 * kWidth; ++i) hwy::Prefetch(from + i * step + p);
      }
      for (Index i = 0; i < kWidth; i += 4) {
        const Index group = std::min(i, kWidth - 4);  // the last may overlap the one before
#pragma GCC unroll 4
        for (Index q = 0; q < kLine; q += 4) {
          turn_four(from + group * step + p + q, step, to + q * kWidth + group, kWidth);
        }
      }
    }
    for (; p < depth; ++p, to += kWidth) {
      for (Index i = 0; i < kWidth; ++i) to[i] = i < width ? from[i * step + p] : 0.0f;
    }
  }
}

void pack_rows(const float* a, Index step, bool transposed, Index begin, Index end, Index from,
               Index depth, float* to) {
  if (transposed) {
    copy_panels<kRows>(a + from * step + begin, step, end - begin, depth, to);
  } else {
    turn_panels<kRows>(a + begin * step + from, step, end - begin, depth, to);
  }
}

void pack_columns(const float* b, Index step, bool transposed, Index begin, Index end, Index from,
                  Index depth, float* to) {
  if (transposed) {
    turn_panels<kColumns>(b + begin * step + from, step, end - begin, depth, to);
  } else {
    copy_panels<kColumns>(b + from * step + begin, step, end - begin, depth, to);
  }
}

void panel_sums(const float* panels, Index rows, Index depth, bool add, float* sums) {
  constexpr Index kChains = 4;
  for (Index row = 0; row < rows; row += kRows, panels += kRows * depth) {
    float parts[kChains][kRows] = {};
    for (Index p = 0; p < depth; ++p) {
      float* const part = parts[p % kChains];
      for (Index i = 0; i < kRows; ++i) part[i] += panels[p * kRows + i];
    }
    for (Index i = 0; i < std::min(kRows, rows - row); ++i) {
      const float sum = (parts[0][i] + parts[1][i]) + (parts[2][i] + parts[3][i]);
      sums[row + i] = add ? sums[row + i] + sum : sum;
    }
  }
}

// A panel of rows by a panel of columns, all sums in registers. `rows` and `columns` count, the
// rest is padding.
template <bool kPartial>
HWY_NOINLINE void panel_product(Index rows, Index columns, Index depth, const float* HWY_RESTRICT a,
                                const float* HWY_RESTRICT b, bool add, const float* bias,
                                float* HWY_RESTRICT c, Index c_step) {
  const D d;
  const Index height = kPartial ? rows : kRows;
#pragma GCC unroll 16
  for (Index row = 0; row < kRows; ++row) {
    if (row < height) {
      hwy::Prefetch(c + row * c_step);
      hwy::Prefetch(c + row * c_step + columns - 1);
    }
  }
  hn::Vec<D> low[kRows], high[kRows];
#pragma GCC unroll 16
  for (Index row = 0; row < kRows; ++row) low[row] = high[row] = hn::Zero(d);
  for (Index p = 0; p < depth; ++p) {
    const auto b0 = hn::Load(d, b + p * kColumns);
    const auto b1 = hn::Load(d, b + p * kColumns + kLanes);
#pragma GCC unroll 16
    for (Index row = 0; row < kRows; ++row) {
      const auto factor = hn::Set(d, a[p * kRows + row]);
      low[row] = hn::MulAdd(factor, b0, low[row]);
      high[row] = hn::MulAdd(factor, b1, high[row]);
    }
  }
  const Index first = std::min(columns, kLanes);
  const Index second = columns - first;
  const auto bias0 = bias == nullptr ? hn::Zero(d)
                     : kPartial      ? load_first(d, bias, first)
                                     : hn::LoadU(d, bias);
  const auto bias1 = bias == nullptr ? hn::Zero(d)
                     : kPartial      ? load_first(d, bias + kLanes, second)
                                     : hn::LoadU(d, bias + kLanes);
#pragma GCC unroll 16
  for (Index row = 0; row < kRows; ++row) {
    if (row >= height) break;
    float* const to = c + row * c_step;
    auto v0 = low[row], v1 = high[row];
    if (bias != nullptr) {
      v0 = hn::Add(v0, bias0);
      v1 = hn::Add(v1, bias1);
    }
    if constexpr (kPartial) {
      if (add) {
        v0 = hn::Add(load_first(d, to, first), v0);
        v1 = second > 0 ? hn::Add(load_first(d, to + kLanes, second), v1) : v1;
      }
      store_first(v0, d, to, first);
      if (second > 0) store_first(v1, d, to + kLanes, second);
    } else {
      if (add) {
        v0 = hn::Add(hn::LoadU(d, to), v0);
        v1 = hn::Add(hn::LoadU(d, to + kLanes), v1);
      }
      hn::StoreU(v0, d, to);
      hn::StoreU(v1, d, to + kLanes);
    }
  }
}

// Along the rows of C, so far as the panels of B that this takes stay in the second cache.
void tile(Index rows, Index columns, Index depth, const float* a, const float* b, bool add,
          const float* bias, float* c, Index c_step) {
  constexpr Index kNear = 196608;  // floats of B
  const Index stretch = std::max<Index>(kNear / depth / kColumns, 1) * kColumns;
  for (Index begin = 0; begin < columns; begin += stretch) {
    const Index end = std::min(columns, begin + stretch);
    for (Index i = 0; i < rows; i += kRows) {
      const Index height = std::min(kRows, rows - i);
      for (Index j = begin; j < end; j += kColumns) {
        const Index width = std::min(kColumns, columns - j);
        const float* const own_bias = bias == nullptr ? nullptr : bias + j;
        const auto product =
            height == kRows && width == kColumns ? panel_product<false> : panel_product<true>;
        product(height, width, depth, a + i * depth, b + j * depth, add, own_bias,
                c + i * c_step + j, c_step);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(panels);
HWY_EXPORT(pack_rows);
HWY_EXPORT(pack_columns);
HWY_EXPORT(panel_sums);
HWY_EXPORT(tile);

GemmPanels gemm_panels() { return HWY_DYNAMIC_DISPATCH(panels)(); }
void gemm_pack_rows(Matrix<const float> a, Index begin, Index end, Index from, Index depth,
                    float* to) {
  HWY_DYNAMIC_DISPATCH(pack_rows)(a.data, a.step, a.transposed, begin, end, from, depth, to);
}
void gemm_pack_columns(Matrix<const float> b, Index begin, Index end, Index from, Index depth,
                       float* to) {
  HWY_DYNAMIC_DISPATCH(pack_columns)(b.data, b.step, b.transposed, begin, end, from, depth, to);
}
void gemm_panel_sums(const float* panels, Index rows, Index depth, bool add, float* sums) {
  HWY_DYNAMIC_DISPATCH(panel_sums)(panels, rows, depth, add, sums);
}
void gemm_tile(Index rows, Index columns, Index depth, const float* a, const float* b, bool add,
               const float* bias, float* c, Index c_step) {
  HWY_DYNAMIC_DISPATCH(tile)(rows, columns, depth, a, b, add, bias, c, c_step);
}

}  // namespace heed::kernels::simd
#endif
