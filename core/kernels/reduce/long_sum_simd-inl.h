// Sums of floats that keep their digits: a few are added as floats, and what comes of these goes on
// in doubles. Included once for each instruction set, after <hwy/highway.h>.
#if defined(HEED_LONG_SUM_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_LONG_SUM_SIMD_INL_H_
#undef HEED_LONG_SUM_SIMD_INL_H_
#else
#define HEED_LONG_SUM_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Numbers that one lane may add as they are: relative error of at most 7 * 2^-24.
inline constexpr Index kChain = 8;
/// Rows whose columns are added as they are before move_sums(), and columns side by side.
inline constexpr Index kFewRows = 4 * kChain, kStripColumns = 512;

// Vectors of D as doubles: one, or for floats two of half as many lanes.
HWY_INLINE hn::Vec<hn::ScalableTag<double>> low_doubles(hn::Vec<hn::ScalableTag<double>> v) {
  return v;
}
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec<hn::ScalableTag<double>> low_doubles(hn::Vec<hn::ScalableTag<float>> v) {
  return hn::PromoteTo(hn::ScalableTag<double>(), v);
}
#else
HWY_INLINE hn::Vec<hn::ScalableTag<double>> low_doubles(hn::Vec<hn::ScalableTag<float>> v) {
  return hn::PromoteTo(hn::ScalableTag<double>(), hn::LowerHalf(v));
}
HWY_INLINE hn::Vec<hn::ScalableTag<double>> high_doubles(hn::Vec<hn::ScalableTag<float>> v) {
  const hn::Half<hn::ScalableTag<float>> half;
  return hn::PromoteTo(hn::ScalableTag<double>(), hn::UpperHalf(half, v));
}
#endif

/// A sum in doubles, of vectors of floats or of doubles.
class LongSum {
 public:
  HWY_INLINE LongSum() {
    const hn::ScalableTag<double> d;
    low_ = high_ = hn::Zero(d);
  }
  HWY_INLINE void add(hn::Vec<hn::ScalableTag<double>> v) { low_ = hn::Add(low_, v); }
  HWY_INLINE void add(hn::Vec<hn::ScalableTag<float>> v) {
    low_ = hn::Add(low_, low_doubles(v));
#if HWY_TARGET != HWY_SCALAR
    high_ = hn::Add(high_, high_doubles(v));
#endif
  }
  HWY_INLINE double total() const {
    const hn::ScalableTag<double> d;
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(low_, high_)));
  }

 private:
  hn::Vec<hn::ScalableTag<double>> low_, high_;
};

/// to[i] += v's lane i, for all lanes or for the first `n`.
HWY_INLINE void add_doubles(hn::Vec<hn::ScalableTag<double>> v, double* to) {
  const hn::ScalableTag<double> d;
  hn::StoreU(hn::Add(hn::LoadU(d, to), v), d, to);
}
HWY_INLINE void add_first_doubles(hn::Vec<hn::ScalableTag<double>> v, double* to, Index n) {
  const hn::ScalableTag<double> d;
  store_first(hn::Add(load_first(d, to, n), v), d, to, n);
}
HWY_INLINE void add_doubles(hn::Vec<hn::ScalableTag<float>> v, double* to) {
  add_doubles(low_doubles(v), to);
#if HWY_TARGET != HWY_SCALAR
  add_doubles(high_doubles(v), to + hn::Lanes(hn::ScalableTag<double>()));
#endif
}
HWY_INLINE void add_first_doubles(hn::Vec<hn::ScalableTag<float>> v, double* to, Index n) {
  const auto half = static_cast<Index>(hn::Lanes(hn::ScalableTag<double>()));
  add_first_doubles(low_doubles(v), to, std::min(n, half));
#if HWY_TARGET != HWY_SCALAR
  if (n > half) add_first_doubles(high_doubles(v), to + half, n - half);
#endif
}

/// Sums over the rows of a matrix of `n` columns: sums[s][i] += what add(row, load, parts) adds to
/// parts[s], a vector for the columns i, i + 1, ...; load(p) is p[i], p[i + 1], ..., zeros beyond
/// n.
template <int kSums, class D, class Add>
HWY_INLINE void add_columns(D d, Index rows, Index n, double* const (&sums)[kSums],
                            const Add& add) {
  using T = hn::TFromD<D>;
  constexpr int kBeside = 4;  // vectors of a row, so that memory is read in longer runs
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  for (Index first = 0; first < rows; first += kChain) {
    const Index end = std::min(rows, first + kChain);
    Index i = 0;
    for (; i + kBeside * lanes <= n; i += kBeside * lanes) {
      hn::Vec<D> parts[kBeside][kSums];
      for (auto& part : parts) std::fill_n(part, kSums, hn::Zero(d));
      for (Index r = first; r < end; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < kBeside; ++v) {
          const Index at = i + v * lanes;
          add(
              r, [d, at](const T* from) HWY_ATTR { return hn::LoadU(d, from + at); }, parts[v]);
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < kBeside; ++v) {
        for (int s = 0; s < kSums; ++s) add_doubles(parts[v][s], sums[s] + i + v * lanes);
      }
    }
    for (; i < n; i += lanes) {
      const Index rest = std::min(lanes, n - i);
      hn::Vec<D> parts[kSums];
      std::fill_n(parts, kSums, hn::Zero(d));
      for (Index r = first; r < end; ++r) {
        add(
            r, [d, i, rest](const T* from) HWY_ATTR { return load_first(d, from + i, rest); },
            parts);
      }
      for (int s = 0; s < kSums; ++s) add_first_doubles(parts[s], sums[s] + i, rest);
    }
  }
}

/// to[i] += few[i], which become 0.
template <class T>
HWY_INLINE void move_sums(T* few, double* to, Index n) {
  add_columns<1>(hn::ScalableTag<T>(), 1, n, {to},
                 [few](Index, const auto& load, auto* parts)
                     HWY_ATTR { parts[0] = load(static_cast<const T*>(few)); });
  std::fill_n(few, n, T{0});
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#endif
