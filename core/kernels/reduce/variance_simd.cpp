// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/reduce/variance_simd.cpp"
#include "variance_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "../simd_table.h"
#include "long_sum_simd-inl.h"
#include "partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// About the mean of x[0 .. n), of equal numbers that number: what is left of it is told by deviations
// from this. Of halves, whose differences are never too large.
template <class T>
T mean_of_block(const T* x, Index n) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const T first = *x / 2;
  const auto start = hn::Set(d, first), half = hn::Set(d, T{0.5});
  const auto part = hn::Set(d, T{1} / static_cast<T>(n));
  const auto off = [&](auto v) HWY_ATTR { return hn::MulSub(v, half, start); };
  auto a = hn::Zero(d), b = a;
  Index i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    a = hn::MulAdd(off(hn::LoadU(d, x + i)), part, a);
    b = hn::MulAdd(off(hn::LoadU(d, x + i + lanes)), part, b);
  }
  for (; i < n; i += lanes) {
    const Index rest = std::min(lanes, n - i);
    const auto v = off(load_first(d, x + i, rest));
    const auto held = hn::FirstN(d, static_cast<std::size_t>(rest));
    a = hn::MulAdd(hn::IfThenElseZero(held, v), part, a);
  }
  return 2 * (first + hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b))));
}

// Deviations too large to be squared in floats are made this much smaller.
constexpr double kSmaller = 0x1p-32;

struct Deviations {
  double sum = 0, squares = 0;
};

// Of x[0 .. n) from `about`: as they are, or `smaller`.
template <bool smaller, class T>
Deviations deviations(const T* x, Index n, T about) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto scale = hn::Set(d, static_cast<T>(kSmaller));
  const auto shift = hn::Set(d, smaller ? about * static_cast<T>(kSmaller) : about);
  const auto off = [&](auto v) HWY_ATTR {
    return smaller ? hn::MulSub(v, scale, shift) : hn::Sub(v, shift);
  };
  LongSum sums, squares;
  Index i = 0;
  while (i + 2 * lanes <= n) {
    auto a = hn::Zero(d), b = a, aa = a, bb = a;
    const Index end = std::min(n, i + 2 * kChain * lanes);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      const auto u = off(hn::LoadU(d, x + i));
      const auto v = off(hn::LoadU(d, x + i + lanes));
      a = hn::Add(a, u);
      b = hn::Add(b, v);
      aa = hn::MulAdd(u, u, aa);
      bb = hn::MulAdd(v, v, bb);
    }
    sums.add(hn::Add(a, b));
    squares.add(hn::Add(aa, bb));
  }
  for (; i < n; i += lanes) {
    const Index rest = std::min(lanes, n - i);
    const auto all = off(load_first(d, x + i, rest));
    const auto u = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(rest)), all);
    sums.add(u);
    squares.add(hn::Mul(u, u));
  }
  return {sums.total(), squares.total()};
}

template <class T>
Spread spread_of_block(const T* x, Index n) {
  const double count = static_cast<double>(n);
  const T about = mean_of_block(x, n);
  Deviations all = deviations<false>(x, n, about);
  double scale = 1;
  if (std::isinf(all.squares)) {
    all = deviations<true>(x, n, about);
    scale = 1 / kSmaller;
  }
  if (std::isinf(all.squares)) return {count, static_cast<double>(about), all.squares};
  const double off = all.sum / count;
  const double left = (all.squares - off * off * count) * scale * scale;
  return {count, static_cast<double>(about) + off * scale, left < 0 ? 0 : left};
}

template <class T>
Spread spread_any(const T* x, Index n) {
  constexpr Index kBlock = 8192 / static_cast<Index>(sizeof(T));
  Spread out;
  for (Index i = 0; i < n; i += kBlock) out.add(spread_of_block(x + i, std::min(kBlock, n - i)));
  return out;
}

HEED_SIMD_TABLE(variances, VarianceKernels, {.spread = spread_any<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(variances, VarianceKernels)

}  // namespace heed::kernels::simd
#endif
