// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/elementwise/philox_simd.cpp"
#include "philox_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<std::uint32_t>;
using V = hn::Vec<D>;

// high and low halves of x m, lane by lane
HWY_INLINE void multiply(V x, V m, V& high, V& low) {
  const D d;
#if HWY_TARGET == HWY_SCALAR
  const std::uint64_t product = std::uint64_t{hn::GetLane(x)} * hn::GetLane(m);
  high = hn::Set(d, static_cast<std::uint32_t>(product >> 32));
  low = hn::Set(d, static_cast<std::uint32_t>(product));
#else
  const hn::Repartition<std::uint64_t, D> wide;
  const auto even = hn::MulEven(x, m);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x))), m);
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
#endif
}

// The lanes of c0, c1 are counters of blocks; all four become their numbers.
HWY_INLINE void rounds(std::uint64_t seed, V& c0, V& c1, V& c2, V& c3) {
  const D d;
  const auto m0 = hn::Set(d, 0xD2511F53u);
  const auto m1 = hn::Set(d, 0xCD9E8D57u);
  auto k0 = static_cast<std::uint32_t>(seed);
  auto k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    V high0, low0, high1, low1;
    multiply(c0, m0, high0, low0);
    multiply(c2, m1, high1, low1);
    c0 = hn::Xor(hn::Xor(high1, c1), hn::Set(d, k0));
    c2 = hn::Xor(hn::Xor(high0, c3), hn::Set(d, k1));
    c1 = low1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

void fill(std::uint64_t seed, std::uint64_t first, std::size_t blocks, std::uint32_t* to) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < blocks; i += lanes) {
    const std::uint64_t place = first + i;
    const auto low = hn::Set(d, static_cast<std::uint32_t>(place));
    V c0 = hn::Add(low, hn::Iota(d, 0u));
    V c1 = hn::Set(d, static_cast<std::uint32_t>(place >> 32));
    // Where the low half passes 2^32 the high one goes on.
    c1 = hn::Sub(c1, hn::VecFromMask(d, hn::Lt(c0, low)));
    V c2 = hn::Zero(d), c3 = hn::Zero(d);
    rounds(seed, c0, c1, c2, c3);
    if (i + lanes <= blocks) {
      hn::StoreInterleaved4(c0, c1, c2, c3, d, to + 4 * i);
    } else {
      std::uint32_t last[HWY_MAX_BYTES];
      hn::StoreInterleaved4(c0, c1, c2, c3, d, last);
      std::memcpy(to + 4 * i, last, (blocks - i) * 16);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(fill);

void philox(std::uint64_t seed, std::uint64_t first, std::size_t blocks, std::uint32_t* to) {
  HWY_DYNAMIC_DISPATCH(fill)(seed, first, blocks, to);
}

}  // namespace heed::kernels::simd
#endif
