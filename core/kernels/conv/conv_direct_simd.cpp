// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/conv/conv_direct_simd.cpp"
#include "conv_direct_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>

#include "../elementwise/each_vector_simd-inl.h"
#include "../simd_table.h"

// GCC reads a vector anew for each of its products, where that takes no instruction more; but a
// processor that reads one vector a cycle waits for it.
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86
#define HEED_LOADED_ONCE(v) asm("" : "+v"((v).raw))
#else
#define HEED_LOADED_ONCE(v)
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;

// With 32 registers 24 sums, else 12.
constexpr Index kHeight = hn::MaxLanes(Tag<float>()) == 16 ? 8 : 4;
constexpr Index kVectors = 3;

Index height() { return kHeight; }

// The vectors of a band: some in each line; lines begin band.pitch apart in its input, `row` in its
// sums.
struct Lines {
  Index count, vectors, row;
};
template <class T>
Lines lines_of(const ConvBand& band) {
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag<T>()));
  const Index in_row = (band.width - 1) / kLanes + 1;
  if (in_row * kLanes <= band.pitch) return {band.rows, in_row, in_row * kLanes};
  return {1, ((band.rows - 1) * band.pitch + band.width - 1) / kLanes + 1, band.pitch};
}

// Sums of kHeight channels at kCount vectors of places, over all taps.
template <Index kCount, class T>
HWY_INLINE void tile(const ConvBand& band, const T* const* from, const T* HWY_RESTRICT weight,
                     const T* start, T* HWY_RESTRICT to, Index step) {
  const Tag<T> d;
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag<T>()));
  hn::Vec<Tag<T>> sums[kHeight][kCount];
#pragma GCC unroll 8
  for (Index o = 0; o < kHeight; ++o) {
#pragma GCC unroll 3
    for (Index v = 0; v < kCount; ++v) sums[o][v] = hn::Set(d, start[o]);
  }
  for (Index k = 0; k < band.depth; ++k, weight += kHeight) {
    const Index tap = band.offsets[k];
    hn::Vec<Tag<T>> x[kCount];
#pragma GCC unroll 3
    for (Index v = 0; v < kCount; ++v) x[v] = hn::LoadU(d, from[v] + tap);
#pragma GCC unroll 8
    for (Index o = 0; o < kHeight; ++o) {
      const auto w = hn::Set(d, weight[o]);
#pragma GCC unroll 3
      for (Index v = 0; v < kCount; ++v) sums[o][v] = hn::MulAdd(w, x[v], sums[o][v]);
    }
  }
#pragma GCC unroll 8
  for (Index o = 0; o < kHeight; ++o) {
#pragma GCC unroll 3
    for (Index v = 0; v < kCount; ++v) hn::StoreU(sums[o][v], d, to + o * step + v * kLanes);
  }
}

template <class T>
void band_of(const ConvBand& band, const T* from, const T* weight, const T* bias, T* room, T* to,
             Index channel_step) {
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag<T>()));
  T start[kHeight] = {};
  for (Index o = 0; bias && o < band.channels; ++o) start[o] = bias[o];
  const Lines lines = lines_of<T>(band);
  const Index row = lines.row, step = band.rows * row + kConvSlack;
  const Index count = lines.count * lines.vectors;
  for (Index i = 0; i < count; i += kVectors) {
    const T* at[kVectors];
    const Index some = std::min(kVectors, count - i);
    for (Index v = 0; v < some; ++v) {
      const Index n = i + v;
      at[v] = from + n / lines.vectors * band.pitch + n % lines.vectors * kLanes;
    }
    T* const sums = room + i * kLanes;
    if (some == 3) tile<3>(band, at, weight, start, sums, step);
    if (some == 2) tile<2>(band, at, weight, start, sums, step);
    if (some == 1) tile<1>(band, at, weight, start, sums, step);
  }
  const Tag<T> d;
  for (Index o = 0; o < band.channels; ++o) {
    for (Index r = 0; r < band.rows; ++r) {
      const T* sums = room + o * step + r * row;
      T* places = to + o * channel_step + r * band.width;
      each_vector(d, static_cast<std::size_t>(band.width),
                  [&](std::size_t, const auto& load, const auto& store)
                      HWY_ATTR { store(load(sums), places); });
    }
  }
}

template <class T>
Index packed_of(const ConvBand& band) {
  constexpr Index kEach = kHeight * static_cast<Index>(hn::MaxLanes(Tag<T>()));
  const Lines lines = lines_of<T>(band);
  return lines.count * lines.vectors * kEach;
}

template <class T>
void pack(const ConvBand& band, const T* g, Index channel_step, T* to) {
  const Tag<T> d;
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(d));
  const Index row = lines_of<T>(band).row;
  for (Index o = 0; o < band.channels; ++o, g += channel_step, to += kLanes) {
    const T* from = g;
    for (Index r = 0; r < band.rows; ++r) {
      const Index end = r * row + band.width;
      for (Index place = r * row; place < end;) {
        const Index first = place % kLanes, count = std::min(kLanes - first, end - place);
        T* const vector = to + place / kLanes * kHeight * kLanes;
        if (count == kLanes) {
          hn::StoreU(hn::LoadU(d, from), d, vector);
        } else {
          std::copy_n(from, count, vector + first);
        }
        from += count;
        place += count;
      }
    }
  }
}

// Some images' inputs and packed g, and how far they lie apart.
template <class T>
struct Operands {
  Index images;
  const T* from;
  Index from_step;
  const T* g;
  Index g_step;
};

// Sums of products of kHeight channels of g with what kCount taps read.
template <Index kCount, class T>
HWY_INLINE void weight_tile(const Lines& lines, Index pitch, const Operands<T>& of,
                            const Index* offsets, T* HWY_RESTRICT to) {
  const Tag<T> d;
  constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Tag<T>()));
  hn::Vec<Tag<T>> sums[kCount][kHeight];
#pragma GCC unroll 3
  for (Index k = 0; k < kCount; ++k) {
#pragma GCC unroll 8
    for (Index o = 0; o < kHeight; ++o) {
      sums[k][o] = hn::LoadU(d, to + (k * kHeight + o) * kLanes);
    }
  }
  for (Index image = 0; image < of.images; ++image) {
    const T* HWY_RESTRICT from = of.from + image * of.from_step;
    const T* HWY_RESTRICT g = of.g + image * of.g_step;
    for (Index line = 0; line < lines.count; ++line, from += pitch) {
      for (Index i = 0; i < lines.vectors * kLanes; i += kLanes, g += kHeight * kLanes) {
        hn::Vec<Tag<T>> x[kCount];
#pragma GCC unroll 3
        for (Index k = 0; k < kCount; ++k) x[k] = hn::LoadU(d, from + offsets[k] + i);
#pragma GCC unroll 8
        for (Index o = 0; o < kHeight; ++o) {
          auto h = hn::LoadU(d, g + o * kLanes);
          HEED_LOADED_ONCE(h);
#pragma GCC unroll 3
          for (Index k = 0; k < kCount; ++k) sums[k][o] = hn::MulAdd(h, x[k], sums[k][o]);
        }
      }
    }
  }
#pragma GCC unroll 3
  for (Index k = 0; k < kCount; ++k) {
#pragma GCC unroll 8
    for (Index o = 0; o < kHeight; ++o) {
      hn::StoreU(sums[k][o], d, to + (k * kHeight + o) * kLanes);
    }
  }
}

template <class T>
void weight_of(const ConvBand& band, Index images, const T* from, Index from_step, const T* g,
               Index g_step, T* sums) {
  constexpr Index kEach = kHeight * static_cast<Index>(hn::MaxLanes(Tag<T>()));
  const Lines lines = lines_of<T>(band);
  const Operands<T> of{images, from, from_step, g, g_step};
  Index k = 0;
  for (; k + kVectors <= band.depth; k += kVectors) {
    weight_tile<kVectors>(lines, band.pitch, of, band.offsets + k, sums + k * kEach);
  }
  for (; k < band.depth; ++k) {
    weight_tile<1>(lines, band.pitch, of, band.offsets + k, sums + k * kEach);
  }
}

template <class T>
void join(const ConvBand& band, const T* sums, T* to) {
  const Tag<T> d;
  for (Index k = 0; k < band.depth; ++k) {
    for (Index o = 0; o < kHeight; ++o, sums += hn::MaxLanes(d)) {
      const auto sum = hn::SumOfLanes(d, hn::LoadU(d, sums));
      if (o < band.channels) to[o * band.depth + k] = hn::GetLane(sum);
    }
  }
}

template <class T>
Index sums_of(Index depth) {
  return depth * kHeight * static_cast<Index>(hn::MaxLanes(Tag<T>()));
}

HEED_SIMD_TABLE(conv, ConvKernels,
                {.band = band_of<T>,
                 .packed = packed_of<T>,
                 .pack = pack<T>,
                 .sums = sums_of<T>,
                 .weight = weight_of<T>,
                 .join = join<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(height);
Index conv_height() { return HWY_DYNAMIC_DISPATCH(height)(); }
HEED_SIMD_DISPATCH(conv, ConvKernels)

}  // namespace heed::kernels::simd
#endif
