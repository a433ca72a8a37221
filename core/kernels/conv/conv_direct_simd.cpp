// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/conv/conv_direct_simd.cpp"
#include "conv_direct_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../elementwise/each_vector_simd-inl.h"
#include "../simd_table.h"

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

// Sums of kHeight channels at kCount vectors of places, over all taps.
template <Index kCount, class T>
HWY_INLINE void tile(const ConvBand& band, const T* HWY_RESTRICT from, const T* HWY_RESTRICT weight,
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
    const T* at = from + band.offsets[k];
    hn::Vec<Tag<T>> x[kCount];
#pragma GCC unroll 3
    for (Index v = 0; v < kCount; ++v) x[v] = hn::LoadU(d, at + v * kLanes);
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
  const Index count = (band.rows - 1) * band.pitch + band.width;
  const Index step = band.rows * band.pitch + kConvSlack;
  Index i = 0;
  for (; i + (kVectors - 1) * kLanes < count; i += kVectors * kLanes) {
    tile<kVectors>(band, from + i, weight, start, room + i, step);
  }
  for (; i < count; i += kLanes) tile<1>(band, from + i, weight, start, room + i, step);
  const Tag<T> d;
  for (Index o = 0; o < band.channels; ++o) {
    for (Index r = 0; r < band.rows; ++r) {
      const T* sums = room + o * step + r * band.pitch;
      T* places = to + o * channel_step + r * band.width;
      each_vector(d, static_cast<std::size_t>(band.width),
                  [&](std::size_t, const auto& load, const auto& store)
                      HWY_ATTR { store(load(sums), places); });
    }
  }
}

// Sums of products of kHeight rows of g with what kCount taps read.
template <Index kCount, class T>
HWY_INLINE void weight_tile(const ConvBand& band, const Index* offsets, const T* HWY_RESTRICT from,
                            const T* HWY_RESTRICT g, Index g_step, T* HWY_RESTRICT to) {
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
  const Index count = (band.rows - 1) * band.pitch + band.width;
  for (Index i = 0; i < count; i += kLanes) {
    hn::Vec<Tag<T>> x[kCount];
#pragma GCC unroll 3
    for (Index k = 0; k < kCount; ++k) x[k] = hn::LoadU(d, from + offsets[k] + i);
#pragma GCC unroll 8
    for (Index o = 0; o < kHeight; ++o) {
      const auto h = hn::LoadU(d, g + o * g_step + i);
#pragma GCC unroll 3
      for (Index k = 0; k < kCount; ++k) sums[k][o] = hn::MulAdd(h, x[k], sums[k][o]);
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
void weight_of(const ConvBand& band, const T* from, const T* g, Index g_step, T* sums) {
  constexpr Index kEach = kHeight * static_cast<Index>(hn::MaxLanes(Tag<T>()));
  Index k = 0;
  for (; k + kVectors <= band.depth; k += kVectors) {
    weight_tile<kVectors>(band, band.offsets + k, from, g, g_step, sums + k * kEach);
  }
  for (; k < band.depth; ++k) {
    weight_tile<1>(band, band.offsets + k, from, g, g_step, sums + k * kEach);
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
                {.band = band_of<T>, .sums = sums_of<T>, .weight = weight_of<T>, .join = join<T>})

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
