// Compiled once for each instruction set by Highway's foreach_target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/elementwise/elementwise_simd.cpp"
#include "elementwise_simd.h"

#include <cmath>

#include <hwy/foreach_target.h>
// Highway wants the line above first.
#include <hwy/highway.h>

#include "../reduce/partial_simd-inl.h"
#include "../simd_table.h"
#include "elementwise_simd-inl.h"
#include "math_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void unary_loop(Unary op, const T* x, T* to, std::size_t n) {
  switch (op) {
#define HEED_CASE(name, ...)                           \
  case Unary::name:                                    \
    return map(x, to, n, [](auto d, auto a) HWY_ATTR { \
      (void)d;                                         \
      return __VA_ARGS__;                              \
    });
    HEED_UNARY_KERNELS(HEED_CASE)
#undef HEED_CASE
  }
}

#define HEED_LANES(...)                 \
  [](auto d, auto a, auto b) HWY_ATTR { \
    (void)d;                            \
    return __VA_ARGS__;                 \
  }

template <class T>
void binary_rows(Binary op, const BinaryRows<T>& of) {
  const auto run = [&](const auto& f) HWY_ATTR {
    for (Index row = 0; row < of.rows; ++row) {
      zip(of.x + row * of.x_step, of.many_x, of.y + row * of.y_step, of.many_y,
          of.to + row * of.to_step, of.n, f);
    }
  };
  // A power that is one number for all is often one of these: of each row by itself.
  if (op == Binary::pow && !of.many_y && of.rows > 1) {
    for (Index row = 0; row < of.rows; ++row) binary_rows<T>(op, of.row(row));
    return;
  }
  if (op == Binary::pow && of.n > 0 && !of.many_y && of.many_x && of.rows > 0) {
    const T y = *of.y;
    if (y == 1) return run(HEED_LANES((void(b), a)));
    if (y == 2) return run(HEED_LANES((void(b), hn::Mul(a, a))));
    if (y == 3) return run(HEED_LANES((void(b), hn::Mul(hn::Mul(a, a), a))));
    if (y == -1) return run(HEED_LANES((void(b), hn::Div(hn::Set(d, T{1}), a))));
  }
  switch (op) {
#define HEED_CASE(name, ...) \
  case Binary::name: return run(HEED_LANES(__VA_ARGS__));
    HEED_BINARY_KERNELS(HEED_CASE)
#undef HEED_CASE
  }
}
#undef HEED_LANES

template <class T>
void binary_loop(Binary op, const T* x, bool many_x, const T* y, bool many_y, T* to,
                 std::size_t n) {
  binary_rows<T>(op, {x, many_x, 0, y, many_y, 0, to, 0, 1, n});
}

// Lanes where the byte is not 0.
template <class D>
HWY_INLINE hn::Mask<D> mask_of(D d, const bool* condition) {
  const hn::Rebind<std::uint8_t, D> bytes;
  const hn::Rebind<std::int32_t, D> half;
  const auto v =
      hn::PromoteTo(half, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(condition)));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::RebindMask(d, hn::Ne(v, hn::Zero(half)));
  } else {
    const hn::Rebind<std::int64_t, D> whole;
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(whole, v), hn::Zero(whole)));
  }
}

template <class T>
void where_loop(const bool* condition, const T* x, bool many_x, const T* y, bool many_y, T* to,
                std::size_t n) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  if (n == 0) return;
  const auto one_x = hn::Set(d, *x);
  const auto one_y = hn::Set(d, *y);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto a = many_x ? hn::LoadU(d, x + i) : one_x;
    const auto b = many_y ? hn::LoadU(d, y + i) : one_y;
    hn::StoreU(hn::IfThenElse(mask_of(d, condition + i), a, b), d, to + i);
  }
  for (; i < n; ++i) to[i] = condition[i] ? (many_x ? x[i] : *x) : (many_y ? y[i] : *y);
}

HEED_SIMD_TABLE(elements, ElementKernels,
                {.unary = unary_loop<T>,
                 .binary = binary_loop<T>,
                 .binary_rows = binary_rows<T>,
                 .where = where_loop<T>})

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::simd {

HEED_SIMD_DISPATCH(elements, ElementKernels)

}  // namespace heed::kernels::simd
#endif
