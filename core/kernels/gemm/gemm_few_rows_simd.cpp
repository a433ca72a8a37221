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

struct Few {
  Index k;
  const float* a;
  Index a_step;
  const float* b;
  Index b_step;
  bool add;
  const float* bias;
  float* c;
  Index c_step;
};

// kRows rows of A by kColumns columns of B, from `row` and `column` on.
template <Index kRows, Index kColumns>
HWY_INLINE void block(const Few& x, Index row, Index column) {
  const D d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const float* const a = x.a + row * x.a_step;
  const float* const b = x.b + column * x.b_step;
  hn::Vec<D> sums[kRows * kColumns];
#pragma GCC unroll 16
  for (Index i = 0; i < kRows * kColumns; ++i) sums[i] = hn::Zero(d);
  const auto go = [&](const auto& load, Index p) {
    hn::Vec<D> own[kRows];
#pragma GCC unroll 4
    for (Index i = 0; i < kRows; ++i) own[i] = load(a + i * x.a_step + p);
#pragma GCC unroll 4
    for (Index j = 0; j < kColumns; ++j) {
      const auto v = load(b + j * x.b_step + p);
#pragma GCC unroll 4
      for (Index i = 0; i < kRows; ++i) {
        sums[i * kColumns + j] = hn::MulAdd(own[i], v, sums[i * kColumns + j]);
      }
    }
  };
  Index p = 0;
  for (; p + lanes <= x.k; p += lanes) {
    go([&](const float* from) { return hn::LoadU(d, from); }, p);
  }
  if (p < x.k) go([&](const float* from) { return load_first(d, from, x.k - p); }, p);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kColumns; ++j) {
      float sum = hn::GetLane(hn::SumOfLanes(d, sums[i * kColumns + j]));
      float& to = x.c[(row + i) * x.c_step + column + j];
      if (x.bias != nullptr) sum += x.bias[column + j];
      to = x.add ? to + sum : sum;
    }
  }
}

// Sums of four rows by four columns want more registers than there are of short vectors.
template <Index kColumns>
HWY_NOINLINE void all_rows(const Few& x, Index m, Index column) {
  Index row = 0;
  if constexpr (HWY_MAX_BYTES >= 64) {
    for (; row + 4 <= m; row += 4) block<4, kColumns>(x, row, column);
  }
  for (; row + 4 <= m; row += 2) block<2, kColumns>(x, row, column);
  if (m - row >= 2) {
    block<2, kColumns>(x, row, column);
    row += 2;
  }
  if (row < m) block<1, kColumns>(x, row, column);
}

void few_rows(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
              const float* b, Index b_step, bool add, const float* bias, float* c, Index c_step) {
  const Few x{k, a, a_step, b, b_step, add, bias, c, c_step};
  Index column = begin;
  for (; column + 4 <= end; column += 4) all_rows<4>(x, m, column);
  for (; column < end; ++column) all_rows<1>(x, m, column);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(few_rows);

void gemm_few_rows(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
                   const float* b, Index b_step, bool add, const float* bias, float* c,
                   Index c_step) {
  HWY_DYNAMIC_DISPATCH(few_rows)(m, begin, end, k, a, a_step, b, b_step, add, bias, c, c_step);
}

}  // namespace heed::kernels::simd
#endif
