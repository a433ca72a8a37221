// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm/gemm_simd.cpp"
#include "gemm_simd.h"

#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>
#include <unistd.h>

#include <algorithm>

#include "../elementwise/square_simd-inl.h"
#include "../reduce/partial_simd-inl.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Lanes<T>()));
// Two vectors of sums a row; as many rows as leave registers for the operands.
template <class T>
constexpr Index kRows = kLanes<T> * sizeof(T) == 64 ? 14 : 6;
template <class T>
constexpr Index kColumns = 2 * kLanes<T>;
template <class T>
constexpr GemmPanels kPanels = sizeof(T) == 4 && kLanes<T> < 8 ? GemmPanels{0, 0}
                                                               : GemmPanels{kRows<T>, kColumns<T>};

// Panels of kWidth of `count` lines whose elements for one k lie side by side: all panels of a k at
// once, as they lie in memory; zeros beyond `count`.
template <Index kWidth, class T>
HWY_INLINE void copy_panels(const T* from, Index step, Index count, Index depth, T* to) {
  const Lanes<T> d;
  constexpr Index kEach = kLanes<T>;
  constexpr Index kLine = 64 / sizeof(T);
  constexpr Index kAhead = 8;  // rows far apart, which the hardware does not foresee
  for (Index p = 0; p < depth; ++p, from += step) {
    if (p + kAhead < depth) {
      for (Index i = 0; i < count; i += kLine) hwy::Prefetch(from + kAhead * step + i);
    }
    for (Index begin = 0; begin < count; begin += kWidth) {
      T* const at = to + begin * depth + p * kWidth;
      if (begin + kWidth <= count) {
#pragma GCC unroll 4
        for (Index i = 0; i < kWidth; i += kEach) {
          const Index n = std::min(kEach, kWidth - i);
          const auto v =
              n == kEach ? hn::LoadU(d, from + begin + i) : load_first(d, from + begin + i, n);
          if (n == kEach) {
            hn::StoreU(v, d, at + i);
          } else {
            store_first(v, d, at + i, n);
          }
        }
      } else {
        for (Index i = 0; i < kWidth; ++i) at[i] = begin + i < count ? from[begin + i] : T{0};
      }
    }
  }
}

// The same of lines that lie `step` apart, each with its elements for successive k side by side.
template <Index kWidth, class T>
HWY_INLINE void turn_panels(const T* from, Index step, Index count, Index depth, T* to) {
  constexpr Index kEach = kSquare<T>;
  for (Index line = 0; line < count; line += kWidth, from += kWidth * step) {
    const Index width = std::min(kWidth, count - line);
    Index p = 0;
    // Of a cache: read whole before the next, which may displace it.
    constexpr Index kLine = 64 / sizeof(T);
    for (; width == kWidth && p + kLine <= depth; p += kLine, to += kLine * kWidth) {
      if (line + 2 * kWidth <= count) {
        for (Index i = kWidth; i < 2 * kWidth; ++i) hwy::Prefetch(from + i * step + p);
      }
      for (Index i = 0; i < kWidth; i += kEach) {
        const Index group = std::min(i, kWidth - kEach);  // the last may overlap the one before
#pragma GCC unroll 4
        for (Index q = 0; q < kLine; q += kEach) {
          turn_square(from + group * step + p + q, step, to + q * kWidth + group, kWidth);
        }
      }
    }
    for (; p < depth; ++p, to += kWidth) {
      for (Index i = 0; i < kWidth; ++i) to[i] = i < width ? from[i * step + p] : T{0};
    }
  }
}

template <class T>
void pack_rows(Matrix<const T> a, Index begin, Index end, Index from, Index depth, T* to) {
  if (a.transposed) {
    copy_panels<kRows<T>>(a.data + from * a.step + begin, a.step, end - begin, depth, to);
  } else {
    turn_panels<kRows<T>>(a.data + begin * a.step + from, a.step, end - begin, depth, to);
  }
}

template <class T>
void pack_columns(Matrix<const T> b, Index begin, Index end, Index from, Index depth, T* to) {
  if (b.transposed) {
    turn_panels<kColumns<T>>(b.data + begin * b.step + from, b.step, end - begin, depth, to);
  } else {
    copy_panels<kColumns<T>>(b.data + from * b.step + begin, b.step, end - begin, depth, to);
  }
}

// A few as they are, then on in doubles.
template <class T>
void panel_sums(const T* panels, Index rows, Index depth, bool add, double* sums) {
  constexpr Index kFew = 8, kHeight = kRows<T>;
  for (Index row = 0; row < rows; row += kHeight) {
    double total[kHeight] = {};
    for (Index first = 0; first < depth; first += kFew) {
      T part[kHeight] = {};
      for (Index p = first; p < std::min(depth, first + kFew); ++p, panels += kHeight) {
        for (Index i = 0; i < kHeight; ++i) part[i] += panels[i];
      }
      for (Index i = 0; i < kHeight; ++i) total[i] += static_cast<double>(part[i]);
    }
    for (Index i = 0; i < std::min(kHeight, rows - row); ++i) {
      sums[row + i] = add ? sums[row + i] + total[i] : total[i];
    }
  }
}

// A panel of rows by a panel of columns, all sums in registers; of either only the first half where
// no more counts. `rows` and `columns` count, the rest is padding.
template <Index kTall, Index kVectors, bool kPartial, class T>
HWY_NOINLINE void panel_product(Index rows, Index columns, Index depth, const T* HWY_RESTRICT a,
                                const T* HWY_RESTRICT b, bool add, const T* bias, T* HWY_RESTRICT c,
                                Index c_step) {
  const Lanes<T> d;
  constexpr Index kHeight = kRows<T>, kWidth = kColumns<T>, kEach = kLanes<T>;
  const Index height = kPartial ? rows : kTall;
#pragma GCC unroll 16
  for (Index row = 0; row < height; ++row) {
    hwy::Prefetch(c + row * c_step);
    hwy::Prefetch(c + row * c_step + columns - 1);
  }
  hn::Vec<Lanes<T>> sum[kTall][kVectors];
#pragma GCC unroll 16
  for (Index row = 0; row < kTall; ++row) {
#pragma GCC unroll 2
    for (Index v = 0; v < kVectors; ++v) sum[row][v] = hn::Zero(d);
  }
  for (Index p = 0; p < depth; ++p) {
    hn::Vec<Lanes<T>> factor[kVectors];
#pragma GCC unroll 2
    for (Index v = 0; v < kVectors; ++v) factor[v] = hn::Load(d, b + p * kWidth + v * kEach);
#pragma GCC unroll 16
    for (Index row = 0; row < kTall; ++row) {
      const auto own = hn::Set(d, a[p * kHeight + row]);
#pragma GCC unroll 2
      for (Index v = 0; v < kVectors; ++v) {
        sum[row][v] = hn::MulAdd(own, factor[v], sum[row][v]);
      }
    }
  }
  const auto counted = [columns](Index v) { return std::min(columns - v * kLanes<T>, kLanes<T>); };
  hn::Vec<Lanes<T>> own_bias[kVectors];
#pragma GCC unroll 2
  for (Index v = 0; v < kVectors; ++v) {
    own_bias[v] = bias == nullptr ? hn::Zero(d)
                  : kPartial      ? load_first(d, bias + v * kEach, counted(v))
                                  : hn::LoadU(d, bias + v * kEach);
  }
#pragma GCC unroll 16
  for (Index row = 0; row < kTall; ++row) {
    if (row >= height) break;
#pragma GCC unroll 2
    for (Index v = 0; v < kVectors; ++v) {
      T* const to = c + row * c_step + v * kEach;
      auto total = sum[row][v];
      if (bias != nullptr) total = hn::Add(total, own_bias[v]);
      if constexpr (kPartial) {
        if (add) total = hn::Add(load_first(d, to, counted(v)), total);
        store_first(total, d, to, counted(v));
      } else {
        hn::StoreU(add ? hn::Add(hn::LoadU(d, to), total) : total, d, to);
      }
    }
  }
}

template <class T>
using PanelProduct = void (*)(Index, Index, Index, const T*, const T*, bool, const T*, T*, Index);

// Of so many rows and columns of a panel each.
template <class T>
PanelProduct<T> product_of(Index rows, Index columns) {
  constexpr Index kHeight = kRows<T>, kHalf = kHeight / 2;
  const bool narrow = columns <= kLanes<T>;
  if (rows <= kHalf) {
    return narrow ? panel_product<kHalf, 1, true, T> : panel_product<kHalf, 2, true, T>;
  }
  if (narrow) return panel_product<kHeight, 1, true, T>;
  const bool whole = rows == kHeight && columns == kColumns<T>;
  return whole ? panel_product<kHeight, 2, false, T> : panel_product<kHeight, 2, true, T>;
}

// Along the rows of C, so far as the panels of B that this takes stay in the second cache.
template <class T>
void tile(Index rows, Index columns, Index depth, const T* a, const T* b, bool add, const T* bias,
          T* c, Index c_step) {
  constexpr Index kHeight = kRows<T>, kWidth = kColumns<T>;
  const Index near = bytes_near() / static_cast<Index>(sizeof(T));  // elements of B
  const Index stretch = std::max<Index>(near / depth / kWidth, 1) * kWidth;
  for (Index begin = 0; begin < columns; begin += stretch) {
    const Index end = std::min(columns, begin + stretch);
    for (Index i = 0; i < rows; i += kHeight) {
      const Index height = std::min(kHeight, rows - i);
      for (Index j = begin; j < end; j += kWidth) {
        const Index width = std::min(kWidth, columns - j);
        const T* const own_bias = bias == nullptr ? nullptr : bias + j;
        product_of<T>(height, width)(height, width, depth, a + i * depth, b + j * depth, add,
                                     own_bias, c + i * c_step + j, c_step);
      }
    }
  }
}

HEED_SIMD_TABLE(gemm, GemmKernels,
                {.panels = kPanels<T>,
                 .pack_rows = pack_rows<T>,
                 .pack_columns = pack_columns<T>,
                 .panel_sums = panel_sums<T>,
                 .tile = tile<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(gemm, GemmKernels)

// 256 kB are left to panels of A and to C: tried with caches of 512 kB and of 1 MB and more.
Index bytes_near() {
  static const Index bytes = [] {
#ifdef _SC_LEVEL2_CACHE_SIZE
    const Index cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
    const Index cache = 0;
#endif
    const Index known = cache > 0 ? cache : Index{512} << 10;
    return std::clamp<Index>(known - (Index{256} << 10), Index{128} << 10, Index{768} << 10);
  }();
  return bytes;
}

}  // namespace heed::kernels::simd
#endif
