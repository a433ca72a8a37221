// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm/gemm_small_simd.cpp"
#include "gemm_small_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "../reduce/partial_simd-inl.h"
#include "gemm_simd.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;

// Where the elements of a matrix lie: `line` apart between lines, `depth` apart along k.
struct Strides {
  Index line, depth;
};

// kHeight rows of A by a vector's columns of B, of which the first `columns` count.
template <Index kHeight, bool kWhole>
HWY_INLINE void rows_by_vector(Index columns, Index k, const double* a, Strides of_a,
                               const double* b, Index b_step, bool add, const double* bias,
                               double* c, Index c_step) {
  const D d;
  const auto load = [&](const double* from) {
    return kWhole ? hn::LoadU(d, from) : load_first(d, from, columns);
  };
  hn::Vec<D> sums[kHeight];
#pragma GCC unroll 4
  for (Index row = 0; row < kHeight; ++row) sums[row] = hn::Zero(d);
  for (Index p = 0; p < k; ++p) {
    const auto v = load(b + p * b_step);
#pragma GCC unroll 4
    for (Index row = 0; row < kHeight; ++row) {
      const auto factor = hn::Set(d, a[row * of_a.line + p * of_a.depth]);
      sums[row] = hn::MulAdd(factor, v, sums[row]);
    }
  }
#pragma GCC unroll 4
  for (Index row = 0; row < kHeight; ++row) {
    double* const to = c + row * c_step;
    auto v = sums[row];
    if (bias != nullptr) v = hn::Add(v, load(bias));
    if (add) v = hn::Add(load(to), v);
    if constexpr (kWhole) {
      hn::StoreU(v, d, to);
    } else {
      store_first(v, d, to, columns);
    }
  }
}

template <bool kWhole>
HWY_NOINLINE void all_rows(Index m, Index columns, Index k, const double* a, Strides of_a,
                           const double* b, Index b_step, bool add, const double* bias, double* c,
                           Index c_step) {
  const auto some = [&](auto height, Index row) {
    rows_by_vector<height(), kWhole>(columns, k, a + row * of_a.line, of_a, b, b_step, add, bias,
                                     c + row * c_step, c_step);
  };
  for (Index row = 0; row + 4 <= m; row += 4) some(std::integral_constant<Index, 4>(), row);
  if (m % 4 >= 2) some(std::integral_constant<Index, 2>(), m / 4 * 4);
  if (m % 2 == 1) some(std::integral_constant<Index, 1>(), m - 1);
}

void small_product(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b,
                   bool add, const double* bias, double* c, Index c_step) {
  constexpr auto kEach = static_cast<Index>(hn::MaxLanes(D()));
  double turned[kTurned];
  if (b.transposed) {
    for (Index p = 0; p < k; ++p) {
      for (Index j = 0; j < n; ++j) turned[p * n + j] = b.data[j * b.step + p];
    }
    b = {turned, n, false};
  }
  const Strides of_a = a.transposed ? Strides{1, a.step} : Strides{a.step, 1};
  for (Index j = 0; j < n; j += kEach) {
    const double* const own_bias = bias == nullptr ? nullptr : bias + j;
    const Index columns = std::min(kEach, n - j);
    const auto rows = columns == kEach ? all_rows<true> : all_rows<false>;
    rows(m, columns, k, a.data, of_a, b.data + j, b.step, add, own_bias, c + j, c_step);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(small_product);

bool is_small_gemm(Index m, Index n, Index k, bool b_transposed) {
  const bool wide = gemm<double>().panels.columns >= 8;  // vectors of four or more
  const Index few = wide ? 8192 : 1024;                  // multiplications
  return k <= kTileDepth && m <= few && n <= few && m * n * k <= few &&
         (!b_transposed || n * k <= kTurned);
}
void gemm_small(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
                const double* bias, double* c, Index c_step) {
  HWY_DYNAMIC_DISPATCH(small_product)(m, n, k, a, b, add, bias, c, c_step);
}

}  // namespace heed::kernels::simd
#endif
