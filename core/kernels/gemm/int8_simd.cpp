// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gemm/int8_simd.cpp"
#include "int8_simd.h"

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "../../simd.h"
#include "../reduce/partial_simd-inl.h"
#include "int8_dot.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(Lanes()));
constexpr Index kEach = kInt8Panel / kLanes;  // vectors a panel
constexpr Index kRows = kEach == 1 ? 14 : kEach == 2 ? 6 : 2;
// Sums of so many products of two numbers up to 127 are integers that a float holds exactly.
constexpr Index kExact = 1024 / kInt8Place;

void round_rows(Index m, Index k, const float* x, std::uint8_t* to, float* scales) {
  const Lanes d;
  const hn::Rebind<std::int32_t, Lanes> di;
  const hn::Rebind<std::uint8_t, Lanes> du;
  const Index padded = (k - 1) / kInt8Place * kInt8Place + kInt8Place;
  for (Index row = 0; row < m; ++row, x += k, to += padded) {
    auto most = hn::Zero(d), finite = hn::Zero(d);
    for (Index i = 0; i < k; i += kLanes) {
      const auto v = load_first(d, x + i, std::min(kLanes, k - i));
      most = hn::Max(most, hn::Abs(v));
      finite = hn::MulAdd(v, hn::Zero(d), finite);  // NaN from the first that is not
    }
    const float largest = hn::GetLane(hn::MaxOfLanes(d, most));
    const float zero = hn::GetLane(hn::SumOfLanes(d, finite));
    if (!(zero == 0)) {
      scales[row] = std::numeric_limits<float>::quiet_NaN();
      std::fill_n(to, padded, std::uint8_t{128});
      continue;
    }
    scales[row] = largest / 127;
    // 127 over the least numbers is infinite: these are made larger first, which is exact.
    const float up = largest < 0x1p-64f ? 0x1p64f : 1.0f;
    const auto larger = hn::Set(d, up);
    const auto by = hn::Set(d, scales[row] > 0 ? 127 / (largest * up) : 0.0f);
    const auto middle = hn::Set(di, 128);
    for (Index i = 0; i < padded; i += kLanes) {
      const Index own = std::clamp<Index>(k - i, 0, kLanes);
      const auto p = hn::NearestInt(hn::Mul(hn::Mul(load_first(d, x + i, own), larger), by));
      HWY_ALIGN std::uint8_t lanes[16];
      hn::StoreU(hn::DemoteTo(du, hn::Add(p, middle)), du, lanes);
      std::copy_n(lanes, std::min(kLanes, padded - i), to + i);
    }
  }
}

// `sums` [kRows, 16] += rows by `places` of a panel, laid out as floats: [4 places, 16].
template <Index kHeight>
HWY_INLINE void add_products(Index places, const std::uint8_t* rows, Index step, const float* panel,
                             std::int32_t* sums) {
  const Lanes d;
  hn::Vec<Lanes> sum[kHeight][kEach];
#pragma GCC unroll 16
  for (Index row = 0; row < kHeight; ++row) {
#pragma GCC unroll 4
    for (Index i = 0; i < kEach; ++i) sum[row][i] = hn::Zero(d);
  }
  for (Index p = 0; p < places * kInt8Place; ++p, panel += kInt8Panel) {
    hn::Vec<Lanes> w[kEach];
#pragma GCC unroll 4
    for (Index i = 0; i < kEach; ++i) w[i] = hn::LoadU(d, panel + i * kLanes);
#pragma GCC unroll 16
    for (Index row = 0; row < kHeight; ++row) {
      const auto x = hn::Set(d, static_cast<float>(rows[row * step + p] - 128));
#pragma GCC unroll 4
      for (Index i = 0; i < kEach; ++i) sum[row][i] = hn::MulAdd(x, w[i], sum[row][i]);
    }
  }
  for (Index row = 0; row < kHeight; ++row) {
    HWY_ALIGN float lanes[kInt8Panel];
    for (Index i = 0; i < kEach; ++i) hn::StoreU(sum[row][i], d, lanes + i * kLanes);
    for (Index i = 0; i < kInt8Panel; ++i) {
      sums[row * kInt8Panel + i] += static_cast<std::int32_t>(lanes[i]);
    }
  }
}

template <Index kHeight>
HWY_INLINE void in_rows(Index m, Index places, const std::uint8_t* rows, Index step,
                        const float* panel, std::int32_t* sums) {
  Index row = 0;
  for (; row + kHeight <= m; row += kHeight) {
    add_products<kHeight>(places, rows + row * step, step, panel, sums + row * kInt8Panel);
  }
  if constexpr (kHeight > 1) {
    in_rows<kHeight / 2>(m - row, places, rows + row * step, step, panel, sums + row * kInt8Panel);
  }
}

// `height` rows of one panel, from the sums [height, 16] of a stretch: the first's go to the bias,
// others to those before it.
void finish(const Int8Product& x, Index row, Index height, Index panel, bool first_stretch,
            const std::int32_t* sums) {
  const Lanes d;
  const hn::Rebind<std::int32_t, Lanes> di;
  for (Index column = panel * kInt8Panel; column < std::min((panel + 1) * kInt8Panel, x.n);
       column += kLanes) {
    const Index width = std::min(kLanes, x.n - column);
    const auto scales = load_first(d, x.scales + column, width);
    const auto bias = x.bias == nullptr ? hn::Zero(d) : load_first(d, x.bias + column, width);
    for (Index i = 0; i < height; ++i) {
      float* const to = x.to + (row + i) * x.n + column;
      const auto scale = hn::Mul(hn::Set(d, x.row_scales[row + i]), scales);
      const auto sum = hn::LoadU(di, sums + i * kInt8Panel + column % kInt8Panel);
      auto value = hn::Mul(hn::ConvertTo(d, sum), scale);
      if (!first_stretch) {
        value = hn::Add(value, load_first(d, to, width));
      } else if (x.bias != nullptr) {
        value = hn::Add(value, bias);
      }
      store_first(value, d, to, width);
    }
  }
}

void multiply(const Int8Product& x, Index first, Index last) {
  constexpr Index kBlock = 56;  // rows at a time
  const Index step = x.places * kInt8Place;
  HWY_ALIGN float panel[kExact * kInt8Place * kInt8Panel];
  std::int32_t sums[kBlock * kInt8Panel];
  for (Index j = first; j < last; ++j) {
    const std::int8_t* const from = x.panels + j * step * kInt8Panel;
    for (Index row = 0; row < x.m; row += kBlock) {
      const Index height = std::min(kBlock, x.m - row);
      for (Index begin = 0; begin < x.places; begin += kInt8Stretch) {
        const Index end = std::min(begin + kInt8Stretch, x.places);
        std::fill_n(sums, height * kInt8Panel, 0);
        for (Index p = begin; p < end; p += kExact) {
          const Index own = std::min(kExact, end - p);
          if (row == 0 || x.places > kExact) {
            for (Index at = 0; at < own; ++at) {
              for (Index i = 0; i < kInt8Panel; ++i) {
                for (Index k = 0; k < kInt8Place; ++k) {
                  panel[(at * kInt8Place + k) * kInt8Panel + i] =
                      from[((p + at) * kInt8Panel + i) * kInt8Place + k];
                }
              }
            }
          }
          in_rows<kRows>(height, own, x.rows + row * step + p * kInt8Place, step, panel, sums);
        }
        finish(x, row, height, j, begin == 0, sums);
      }
    }
  }
}

const Int8Kernels& of_target() {
  static constexpr Int8Kernels kernels{round_rows, multiply};
  return kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HWY_EXPORT(of_target);
Int8Kernels int8() {
  Int8Kernels kernels = HWY_DYNAMIC_DISPATCH(of_target)();
  if (has_int8_dot()) kernels.multiply = multiply_int8_dot;
  return kernels;
}

}  // namespace heed::kernels::simd
#endif
