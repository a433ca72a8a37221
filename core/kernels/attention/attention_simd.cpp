// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention/attention_simd.cpp"
#include "attention_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <limits>

#include "../elementwise/math_simd-inl.h"
#include "../simd_table.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// No more than a tile's padding, whatever the instruction set.
template <class T>
using Lanes = hn::CappedTag<T, static_cast<std::size_t>(kTileLanes<T>)>;
template <class T>
HWY_INLINE Index lanes() {
  return static_cast<Index>(hn::Lanes(Lanes<T>()));
}

template <class T>
void soften_tile(Index keys, Index rows, T* s, T* most, T* sum, T* factor) {
  const Lanes<T> d;
  const auto none = hn::Set(d, -std::numeric_limits<T>::infinity());
  for (Index i = 0; i < rows; i += lanes<T>()) {
    T* const column = s + i;
    const auto before = hn::LoadU(d, most + i);
    auto high = before, other = none;
    Index j = 0;
    for (; j + 2 <= keys; j += 2) {
      high = hn::Max(high, hn::LoadU(d, column + j * rows));
      other = hn::Max(other, hn::LoadU(d, column + (j + 1) * rows));
    }
    if (j < keys) high = hn::Max(high, hn::LoadU(d, column + j * rows));
    high = hn::Max(high, other);
    // Where every score so far is -infinity, all weights are to be 0.
    const auto base = hn::IfThenZeroElse(hn::Eq(high, none), high);
    auto total = hn::Zero(d), second = hn::Zero(d);
    for (j = 0; j + 2 <= keys; j += 2) {
      const auto p = exp_of(d, hn::Sub(hn::LoadU(d, column + j * rows), base));
      const auto q = exp_of(d, hn::Sub(hn::LoadU(d, column + (j + 1) * rows), base));
      hn::StoreU(p, d, column + j * rows);
      hn::StoreU(q, d, column + (j + 1) * rows);
      total = hn::Add(total, p);
      second = hn::Add(second, q);
    }
    if (j < keys) {
      const auto p = exp_of(d, hn::Sub(hn::LoadU(d, column + j * rows), base));
      hn::StoreU(p, d, column + j * rows);
      total = hn::Add(total, p);
    }
    const auto scale = exp_of(d, hn::Sub(before, base));
    hn::StoreU(high, d, most + i);
    hn::StoreU(scale, d, factor + i);
    hn::StoreU(hn::MulAdd(hn::LoadU(d, sum + i), scale, hn::Add(total, second)), d, sum + i);
  }
}

template <class T>
void weigh_tile(Index keys, Index rows, T* s, const T* log_sums, const T* rests) {
  const Lanes<T> d;
  for (Index i = 0; i < rows; i += lanes<T>()) {
    const auto base = hn::LoadU(d, log_sums + i), rest = hn::LoadU(d, rests + i);
    for (Index j = 0; j < keys; ++j) {
      T* const at = s + j * rows + i;
      hn::StoreU(exp_of(d, hn::Sub(hn::Sub(hn::LoadU(d, at), base), rest)), d, at);
    }
  }
}

template <class T>
void slope_tile(Index keys, Index rows, const T* p, const T* delta, T* slope) {
  const Lanes<T> d;
  for (Index i = 0; i < rows; i += lanes<T>()) {
    const auto middle = hn::LoadU(d, delta + i);
    for (Index at = i; at < keys * rows; at += rows) {
      const auto weight = hn::LoadU(d, p + at);
      const auto v = hn::Mul(weight, hn::Sub(hn::LoadU(d, slope + at), middle));
      hn::StoreU(hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), v), d, slope + at);
    }
  }
}

template <class T>
void chain_tile(Index n, const T* HWY_RESTRICT slope, T* HWY_RESTRICT x) {
  const Lanes<T> d;
  for (Index at = 0; at < n; at += lanes<T>()) {
    const auto v = hn::LoadU(d, x + at);
    const auto none = hn::Eq(v, hn::Zero(d));
    hn::StoreU(hn::IfThenZeroElse(none, hn::Mul(v, hn::LoadU(d, slope + at))), d, x + at);
  }
}

template <class T>
void tanh_tile(Index n, const T* x, T* to) {
  const Lanes<T> d;
  for (Index at = 0; at < n; at += lanes<T>()) {
    hn::StoreU(tanh(d, hn::LoadU(d, x + at)), d, to + at);
  }
}

template <class T>
void drop_tile(Index n, const std::uint16_t* HWY_RESTRICT numbers, std::uint32_t bound, T scale,
               T* HWY_RESTRICT x) {
  if constexpr (sizeof(T) == 4) {
    const Lanes<T> d;
    const hn::RebindToUnsigned<Lanes<T>> du;
    const hn::Rebind<std::uint16_t, Lanes<T>> narrow;
    const auto most = hn::Set(du, bound);
    const auto factor = hn::Set(d, scale);
    for (Index at = 0; at < n; at += lanes<T>()) {
      const auto number = hn::PromoteTo(du, hn::LoadU(narrow, numbers + at));
      const auto keep = hn::RebindMask(d, hn::Lt(number, most));
      hn::StoreU(hn::IfThenElseZero(keep, hn::Mul(hn::LoadU(d, x + at), factor)), d, x + at);
    }
  } else {
    for (Index at = 0; at < n; ++at) x[at] = numbers[at] < bound ? x[at] * scale : T{0};
  }
}

// kRows queries against one key.
template <int kRows, class T>
HWY_INLINE void additive_rows(Index width, const T* HWY_RESTRICT q, const T* HWY_RESTRICT k,
                              const T* HWY_RESTRICT w, T* HWY_RESTRICT s, T* HWY_RESTRICT kept) {
  const Lanes<T> d;
  hn::Vec<Lanes<T>> sum[kRows];
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) sum[row] = hn::Zero(d);
  for (Index h = 0; h < width; h += lanes<T>()) {
    const auto key = hn::LoadU(d, k + h);
    const auto weight = hn::LoadU(d, w + h);
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) {
      const auto t = tanh(d, hn::Add(hn::LoadU(d, q + row * width + h), key));
      if (kept) hn::StoreU(t, d, kept + row * width + h);
      sum[row] = hn::MulAdd(weight, t, sum[row]);
    }
  }
#pragma GCC unroll 4
  for (int row = 0; row < kRows; ++row) s[row] = hn::GetLane(hn::SumOfLanes(d, sum[row]));
}

template <class T>
void additive_tile(Index rows, Index keys, Index width, const T* q, const T* k, const T* w, T* s,
                   Index s_step, T* kept) {
  for (Index j = 0; j < keys; ++j) {
    const auto from = [&](Index i) { return kept ? kept + (j * rows + i) * width : nullptr; };
    Index i = 0;
    for (; i + 4 <= rows; i += 4) {
      additive_rows<4>(width, q + i * width, k + j * width, w, s + j * s_step + i, from(i));
    }
    for (; i < rows; ++i) {
      additive_rows<1>(width, q + i * width, k + j * width, w, s + j * s_step + i, from(i));
    }
  }
}

template <int kRows, class T>
HWY_INLINE void additive_slopes(Index width, const T* HWY_RESTRICT kept, const T* slope,
                                T* HWY_RESTRICT gq, T* HWY_RESTRICT gk, T* HWY_RESTRICT gw) {
  const Lanes<T> d;
  const auto one = hn::Set(d, T{1});
  for (Index h = 0; h < width; h += lanes<T>()) {
    auto to_key = hn::LoadU(d, gk + h);
    auto to_weight = hn::LoadU(d, gw + h);
#pragma GCC unroll 4
    for (int row = 0; row < kRows; ++row) {
      const auto t = hn::LoadU(d, kept + row * width + h);
      const auto by = hn::Set(d, slope[row]);
      const auto u = hn::Mul(by, hn::NegMulAdd(t, t, one));
      T* const to_query = gq + row * width + h;
      hn::StoreU(hn::Add(hn::LoadU(d, to_query), u), d, to_query);
      to_key = hn::Add(to_key, u);
      to_weight = hn::MulAdd(by, t, to_weight);
    }
    hn::StoreU(to_key, d, gk + h);
    hn::StoreU(to_weight, d, gw + h);
  }
}

// A place without a gradient is left out: what stands there may be NaN.
template <class T>
void additive_slope_tile(Index rows, Index keys, Index width, const T* kept, const T* slope,
                         Index d_step, T* gq, T* gk, T* gw) {
  for (Index j = 0; j < keys; ++j) {
    const T* const by = slope + j * d_step;
    for (Index i = 0; i < rows;) {
      const T* const from = kept + (j * rows + i) * width;
      const bool four =
          i + 4 <= rows && by[i] != 0 && by[i + 1] != 0 && by[i + 2] != 0 && by[i + 3] != 0;
      if (four) {
        additive_slopes<4>(width, from, by + i, gq + i * width, gk + j * width, gw);
      } else if (by[i] != 0) {
        additive_slopes<1>(width, from, by + i, gq + i * width, gk + j * width, gw);
      }
      i += four ? 4 : 1;
    }
  }
}

HEED_SIMD_TABLE(tiles, TileKernels,
                {.soften = soften_tile<T>,
                 .weigh = weigh_tile<T>,
                 .slope = slope_tile<T>,
                 .chain = chain_tile<T>,
                 .tanh = tanh_tile<T>,
                 .drop = drop_tile<T>,
                 .additive = additive_tile<T>,
                 .additive_slope = additive_slope_tile<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(tiles, TileKernels)

}  // namespace heed::kernels::simd
#endif
