// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm/round_bf16_simd.cpp"
#include "round_bf16_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>

#include "../reduce/partial_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void round_all(float* x, Index n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto last = hn::Set(du, 1), half = hn::Set(du, 0x7FFF), kept = hn::Set(du, 0xFFFF0000);
  const auto round = [&](auto v) {
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), last);  // a tie goes to the even one
    const auto out = hn::And(hn::Add(hn::Add(bits, half), odd), kept);
    const auto nan = hn::And(hn::Or(bits, hn::Set(du, 0x400000)), kept);
    return hn::IfThenElse(hn::IsNaN(v), hn::BitCast(d, nan), hn::BitCast(d, out));
  };
  Index i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(round(hn::LoadU(d, x + i)), d, x + i);
  if (i < n) store_first(round(load_first(d, x + i, n - i)), d, x + i, n - i);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(round_all);
void round_to_bf16(float* x, Index n) { HWY_DYNAMIC_DISPATCH(round_all)(x, n); }

}  // namespace heed::kernels::simd
#endif
