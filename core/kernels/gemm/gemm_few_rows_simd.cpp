// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm/gemm_few_rows_simd.cpp"
#include "gemm_few_rows_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../reduce/partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

HWY_INLINE hn::Vec<D> load(D d, const float* from) { return hn::LoadU(d, from); }
HWY_INLINE hn::Vec<D> load(D d, const BFloat16* from) {
  const hn::Rebind<std::uint16_t, D> narrow;
  const hn::RebindToUnsigned<D> wide;
  const auto bits = hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
}
// The first n, fewer than a vector's, and zeros.
HWY_INLINE hn::Vec<D> load_some(D d, const float* from, Index n) { return load_first(d, from, n); }
HWY_INLINE hn::Vec<D> load_some(D d, const BFloat16* from, Index n) {
  HWY_ALIGN float numbers[HWY_MAX_BYTES / sizeof(float)] = {};
  for (Index i = 0; i < n; ++i) numbers[i] = from[i];
  return hn::Load(d, numbers);
}

// B's numbers are floats or bf16s.
template <class B>
struct Few {
  Index k;
  const float* a;
  Index a_step;
  const B* b;
  Index b_step;
  bool add;
  const float* bias;
  float* c;
  Index c_step;
};

// kRows rows of A by one column of B, which memory gives fastest: as one stream. kSums sums in turn
// along k, whatever kRows is.
template <Index kRows, class B>
HWY_INLINE void rows_by_column(const Few<B>& x, Index row, Index column) {
  constexpr Index kSums = 4;
  const D d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const float* const a = x.a + row * x.a_step;
  const B* const b = x.b + column * x.b_step;
  hn::Vec<D> sums[kRows * kSums];
#pragma GCC unroll 16
  for (Index i = 0; i < kRows * kSums; ++i) sums[i] = hn::Zero(d);
  const auto add = [&](const auto& load, Index p, Index s) HWY_ATTR {
    const auto v = load(b + p);
#pragma GCC unroll 4
    for (Index i = 0; i < kRows; ++i) {
      auto& sum = sums[i * kSums + s];
      sum = hn::MulAdd(load(a + i * x.a_step + p), v, sum);
    }
  };
  const auto whole = [&](const auto* from) HWY_ATTR { return load(d, from); };
  Index p = 0;
  for (; p + kSums * lanes <= x.k; p += kSums * lanes) {
#pragma GCC unroll 4
    for (Index s = 0; s < kSums; ++s) add(whole, p + s * lanes, s);
  }
  for (; p + lanes <= x.k; p += lanes) add(whole, p, 0);
  if (p < x.k) {
    add([&](const auto* from) HWY_ATTR { return load_some(d, from, x.k - p); }, p, 0);
  }
#pragma GCC unroll 4
  for (Index i = 0; i < kRows; ++i) {
    const auto* const own = sums + i * kSums;
    const auto all = hn::Add(hn::Add(own[0], own[1]), hn::Add(own[2], own[3]));
    float sum = hn::GetLane(hn::SumOfLanes(d, all));
    if (x.bias != nullptr) sum += x.bias[column];
    float& to = x.c[(row + i) * x.c_step + column];
    to = x.add ? to + sum : sum;
  }
}

// Four rows want more registers than there are of short vectors.
template <class B>
HWY_NOINLINE void all_rows(const Few<B>& x, Index m, Index column) {
  constexpr Index kMost = HWY_MAX_BYTES >= 64 ? 4 : 2;
  Index row = 0;
  for (; row + kMost <= m; row += kMost) rows_by_column<kMost>(x, row, column);
  if (m - row >= 2) {
    rows_by_column<2>(x, row, column);
    row += 2;
  }
  if (row < m) rows_by_column<1>(x, row, column);
}

template <class B>
HWY_INLINE void columns(const Few<B>& x, Index m, Index begin, Index end) {
  for (Index column = begin; column < end; ++column) all_rows(x, m, column);
}

void few_rows(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
              const float* b, Index b_step, bool add, const float* bias, float* c, Index c_step) {
  columns(Few<float>{k, a, a_step, b, b_step, add, bias, c, c_step}, m, begin, end);
}
void few_rows_bf16(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
                   const BFloat16* b, Index b_step, bool add, const float* bias, float* c,
                   Index c_step) {
  columns(Few<BFloat16>{k, a, a_step, b, b_step, add, bias, c, c_step}, m, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(few_rows);
HWY_EXPORT(few_rows_bf16);

void gemm_few_rows(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
                   const float* b, Index b_step, bool add, const float* bias, float* c,
                   Index c_step) {
  HWY_DYNAMIC_DISPATCH(few_rows)(m, begin, end, k, a, a_step, b, b_step, add, bias, c, c_step);
}

void gemm_few_rows(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
                   const BFloat16* b, Index b_step, bool add, const float* bias, float* c,
                   Index c_step) {
  HWY_DYNAMIC_DISPATCH(few_rows_bf16)(m, begin, end, k, a, a_step, b, b_step, add, bias, c, c_step);
}

}  // namespace heed::kernels::simd
#endif
