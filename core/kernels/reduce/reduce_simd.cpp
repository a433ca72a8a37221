// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/reduce/reduce_simd.cpp"
#include "reduce_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../elementwise/each_vector_simd-inl.h"
#include "../elementwise/math_simd-inl.h"
#include "../simd_table.h"
#include "long_sum_simd-inl.h"
#include "partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Folds the vectors that load(i) gives for i = 0, lanes, 2 lanes, ... in four chains, then across.
// The tail comes from last(i, count), already filled up with the identity.
template <class D, class Load, class Last, class Step>
HWY_INLINE hn::Vec<D> fold(D d, std::size_t n, hn::Vec<D> start, const Load& load, const Last& last,
                           const Step& step) {
  const std::size_t lanes = hn::Lanes(d);
  auto a = start, b = start, c = start, e = start;
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = step(a, load(i));
    b = step(b, load(i + lanes));
    c = step(c, load(i + 2 * lanes));
    e = step(e, load(i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) a = step(a, load(i));
  if (i < n) b = step(b, last(i, n - i));
  return step(step(a, b), step(c, e));
}

// step over all lanes, by halves.
template <class D, class Step>
HWY_INLINE hn::TFromD<D> across(D d, hn::Vec<D> v, const Step& step) {
#if HWY_HAVE_SCALABLE
  HWY_ALIGN hn::TFromD<D> lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  hn::Store(v, d, lanes);
  for (std::size_t i = 1; i < hn::Lanes(d); ++i) v = step(v, hn::Set(d, lanes[i]));
#else
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  if constexpr (kLanes > 8) v = step(v, hn::Reverse(d, v));
  if constexpr (kLanes > 4) v = step(v, hn::Reverse8(d, v));
  if constexpr (kLanes > 2) v = step(v, hn::Reverse4(d, v));
  if constexpr (kLanes > 1) v = step(v, hn::Reverse2(d, v));
#endif
  return hn::GetLane(v);
}

// Elements of a line of a cache, and how far ahead lines are asked for: a processor by itself looks
// less far ahead than memory is slow.
template <class T>
constexpr std::size_t kLine = 64 / sizeof(T);
template <class T>
constexpr std::size_t kAhead = 128 * kLine<T>;

template <class T>
HWY_INLINE void ask_for(const T* from, std::size_t count) {
  for (std::size_t at = 0; at < count; at += kLine<T>) hwy::Prefetch(from + at);
}

// In blocks of four chains of kChain vectors.
template <class T>
double sum_contiguous(const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t block = 4 * static_cast<std::size_t>(kChain) * lanes;
  LongSum total;
  const bool is_short = n < block;
  for (; n >= block; n -= block) {
    const bool asks = n >= block + kAhead<T>;
    auto a = hn::Zero(d), b = a, c = a, e = a;
    // Unrolled, the loads would be sorted by chain, which is slow where they come from far.
#pragma GCC unroll 1
    for (Index at = 0; at < kChain; ++at, x += 4 * lanes) {
      if (asks) ask_for(x + kAhead<T>, 4 * lanes);
      a = hn::Add(a, hn::LoadU(d, x));
      b = hn::Add(b, hn::LoadU(d, x + lanes));
      c = hn::Add(c, hn::LoadU(d, x + 2 * lanes));
      e = hn::Add(e, hn::LoadU(d, x + 3 * lanes));
    }
    total.add(hn::Add(hn::Add(a, b), hn::Add(c, e)));
  }
  const auto add = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  const auto rest = fold(
      d, n, hn::Zero(d), [&](std::size_t i) HWY_ATTR { return hn::LoadU(d, x + i); },
      [&](std::size_t i, std::size_t count)
          HWY_ATTR { return load_first(d, x + i, static_cast<Index>(count)); },
      add);
  if (is_short) return static_cast<double>(across(d, rest, add));
  total.add(rest);
  return total.total();
}

template <class T>
T larger(T a, T b) {
  return std::isnan(a) || a > b ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return std::isnan(a) || a < b ? a : b;
}

// The largest or the smallest by `pick`, which need not hand on NaN: where there is one, it is that.
template <class T, class Pick>
T extreme_contiguous(const T* x, std::size_t n, T start, const Pick& pick) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto fill = hn::Set(d, start);
  auto a = fill, b = fill, c = fill, e = fill;
  auto nan = hn::IsNaN(fill);
  const auto take = [&](auto& best, auto v) HWY_ATTR {
    best = pick(best, v);
    nan = hn::Or(nan, hn::IsNaN(v));
  };
  const auto take_four = [&](const T* from) HWY_ATTR {
    take(a, hn::LoadU(d, from));
    take(b, hn::LoadU(d, from + lanes));
    take(c, hn::LoadU(d, from + 2 * lanes));
    take(e, hn::LoadU(d, from + 3 * lanes));
  };
  std::size_t i = 0;
  for (; i + kAhead<T> + 4 * lanes <= n; i += 4 * lanes) {
    ask_for(x + i + kAhead<T>, 4 * lanes);
    take_four(x + i);
  }
  for (; i + 4 * lanes <= n; i += 4 * lanes) take_four(x + i);
  for (; i + lanes <= n; i += lanes) take(a, hn::LoadU(d, x + i));
  if (i < n) {
    const auto rest = load_first(d, x + i, static_cast<Index>(n - i));
    take(b, hn::IfThenElse(hn::FirstN(d, n - i), rest, fill));
  }
  if (!hn::AllFalse(d, nan)) return std::numeric_limits<T>::quiet_NaN();
  return across(d, pick(pick(a, b), pick(c, e)), pick);
}

template <class T>
T reduce_contiguous(Reduce op, const T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const T infinity = std::numeric_limits<T>::infinity();
  switch (op) {
    case Reduce::sum: return static_cast<T>(sum_contiguous(x, n));
    case Reduce::max:
      return extreme_contiguous(x, n, -infinity,
                                [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
    case Reduce::min:
      return extreme_contiguous(x, n, infinity,
                                [](auto a, auto b) HWY_ATTR { return hn::Min(a, b); });
    case Reduce::prod: break;
  }
  const auto mul = [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); };
  const auto one = hn::Set(d, T{1});
  const auto product = fold(
      d, n, one, [&](std::size_t i) HWY_ATTR { return hn::LoadU(d, x + i); },
      [&](std::size_t i, std::size_t count) HWY_ATTR {
        return hn::IfThenElse(hn::FirstN(d, count), load_first(d, x + i, static_cast<Index>(count)),
                              one);
      },
      mul);
  return across(d, product, mul);
}

// Calls body(pieces of neighbouring elements, their count) for x[0], x[step], ..., n of them.
template <class T, class Body>
HWY_INLINE void gathered(const T* x, Index step, std::size_t n, const Body& body) {
  T buffer[256];
  for (std::size_t first = 0; first < n; first += 256) {
    const std::size_t count = n - first < 256 ? n - first : 256;
    for (std::size_t i = 0; i < count; ++i) buffer[i] = x[static_cast<Index>(first + i) * step];
    body(buffer, count);
  }
}

template <class T>
double sum_any(const T* x, Index step, std::size_t n) {
  if (step == 1) return sum_contiguous(x, n);
  double out = 0;
  gathered(x, step, n, [&](const T* piece, std::size_t count) HWY_ATTR {
    out += sum_contiguous(piece, count);
  });
  return out;
}

template <class T>
void add_rows_any(const T* x, Index row_step, Index rows, Index n, double* sums) {
  add_columns<1>(hn::ScalableTag<T>(), rows, n, {sums},
                 [&](Index r, const auto& load, auto* parts)
                     HWY_ATTR { parts[0] = hn::Add(parts[0], load(x + r * row_step)); });
}

template <class T>
T reduce_any(Reduce op, const T* x, Index step, std::size_t n) {
  if (op == Reduce::sum) return static_cast<T>(sum_any(x, step, n));
  if (step == 1) return reduce_contiguous(op, x, n);
  T out = reduce_contiguous(op, x, 0);
  gathered(x, step, n, [&](const T* piece, std::size_t count) HWY_ATTR {
    const T part = reduce_contiguous(op, piece, count);
    out = op == Reduce::prod  ? out * part
          : op == Reduce::max ? larger(out, part)
                              : smaller(out, part);
  });
  return out;
}

// Rows of a few elements, as a maxout has them: one place of many rows at a time.
template <class T>
void reduce_narrow_rows(Reduce op, const T* x, Index row_step, Index n, T* to, Index rows) {
  constexpr Index kBlock = 256;
  T column[kBlock];
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index first = 0; first < rows; first += kBlock) {
    const Index count = std::min(kBlock, rows - first);
    const T* const block = x + first * row_step;
    T* const out = to + first;
    for (Index i = 0; i < count; ++i) out[i] = block[i * row_step];
    for (Index place = 1; place < n; ++place) {
      for (Index i = 0; i < count; ++i) column[i] = block[i * row_step + place];
      for (Index i = 0; i < count; i += lanes) {
        const Index part = std::min(lanes, count - i);
        const auto a = load_first(d, out + i, part);
        const auto b = load_first(d, column + i, part);
        const auto both = op == Reduce::sum    ? hn::Add(a, b)
                          : op == Reduce::prod ? hn::Mul(a, b)
                          : op == Reduce::max  ? maximum(d, a, b)
                                               : minimum(d, a, b);
        store_first(both, d, out + i, part);
      }
    }
  }
}

template <class T>
void reduce_rows(Reduce op, const T* x, Index row_step, std::size_t n, T* to, Index to_step,
                 Index rows) {
  if (n > 0 && n < 8 && to_step == 1) {
    return reduce_narrow_rows(op, x, row_step, static_cast<Index>(n), to, rows);
  }
  for (Index i = 0; i < rows; ++i) to[i * to_step] = reduce_contiguous(op, x + i * row_step, n);
}

template <class T>
void softmax_any(const T* x, const bool* mask, T* to, std::size_t n, bool log) {
  const hn::ScalableTag<T> d;
  const T off = -std::numeric_limits<T>::infinity();
  if (mask) {
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) {
      any |= mask[i];
      to[i] = mask[i] ? x[i] : off;
    }
    if (!any) {
      if (!log) std::fill_n(to, n, T{0});
      return;
    }
    x = to;
  }
  const T top = reduce_contiguous(Reduce::max, x, n);
  const std::size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, top);
  auto sum = hn::Zero(d);
  LongSum long_sum;
  std::size_t i = 0;
  while (i + lanes <= n) {
    const std::size_t stop = std::min(n, i + 4 * kChain * lanes);
    for (; i + lanes <= stop; i += lanes) {
      const auto moved = hn::Sub(hn::LoadU(d, x + i), shift);
      const auto e = exp_of(d, moved);
      sum = hn::Add(sum, e);
      hn::StoreU(log ? moved : e, d, to + i);
    }
    long_sum.add(sum);
    sum = hn::Zero(d);
  }
  if (i < n) {
    const auto rest = static_cast<Index>(n - i);
    const auto moved = hn::Sub(load_first(d, x + i, rest), shift);
    const auto e = hn::IfThenElseZero(hn::FirstN(d, n - i), exp_of(d, moved));
    long_sum.add(e);
    store_first(log ? moved : e, d, to + i, rest);
  }
  const T total = static_cast<T>(long_sum.total());
  const T by = log ? std::log(total) : T{1} / total;
  const auto factor = hn::Set(d, by);
  each_vector(d, n, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
    store(log ? hn::Sub(load(to), factor) : hn::Mul(load(to), factor), to);
  });
  if (!mask || !std::isnan(by)) return;  // NaN is of the places that take part
  for (i = 0; i < n; ++i) {
    if (!mask[i]) to[i] = log ? off : T{0};
  }
}

template <class T>
void softmax_grad_any(const T* g, const T* y, T* to, std::size_t n, bool log) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  const auto off = hn::Set(d, -std::numeric_limits<T>::infinity());
  const auto idle = log ? off : zero;
  LongSum sums;
  const std::size_t block = static_cast<std::size_t>(kChain) * lanes;
  for (std::size_t first = 0; first < n; first += block) {
    auto sum = zero;
    each_vector(d, std::min(block, n - first),
                [&](std::size_t, const auto& load, const auto&) HWY_ATTR {
                  const auto vy = load(y + first);
                  const auto vg = hn::IfThenZeroElse(hn::Eq(vy, idle), load(g + first));
                  sum = log ? hn::Add(sum, vg) : hn::MulAdd(vg, vy, sum);
                });
    sums.add(sum);
  }
  const auto total = hn::Set(d, static_cast<T>(sums.total()));
  each_vector(d, n, [&](std::size_t, const auto& load, const auto& store) HWY_ATTR {
    const auto vy = load(y), vg = load(g);
    const auto v = log ? hn::NegMulAdd(exp_of(d, vy), total, vg) : hn::Mul(vy, hn::Sub(vg, total));
    store(hn::IfThenZeroElse(hn::Eq(vy, idle), v), to);
  });
}

HEED_SIMD_TABLE(reductions, ReduceKernels,
                {.sum = sum_any<T>,
                 .add_rows = add_rows_any<T>,
                 .reduce = reduce_any<T>,
                 .reduce_rows = reduce_rows<T>,
                 .softmax = softmax_any<T>,
                 .softmax_grad = softmax_grad_any<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(reductions, ReduceKernels)

}  // namespace heed::kernels::simd
#endif
