#include "libm.h"

#include <fmt/format.h>

#include <cmath>

#include "../../error.h"
#include "elementwise_walk.h"

namespace heed::kernels {
namespace {

constexpr Index kCost = 16;  // of a call, in additions

#define HEED_LIBM(name) #name,
constexpr const char* kNames[] = {HEED_LIBM_UNARY(HEED_LIBM)};
constexpr const char* kNamesOfTwo[] = {HEED_LIBM_BINARY(HEED_LIBM)};
#undef HEED_LIBM

template <class T>
T tan(T x) {
  return std::tan(x);
}
template <class T>
T asin(T x) {
  return std::asin(x);
}
template <class T>
T acos(T x) {
  return std::acos(x);
}
template <class T>
T atan(T x) {
  return std::atan(x);
}
template <class T>
T sinh(T x) {
  return std::sinh(x);
}
template <class T>
T cosh(T x) {
  return std::cosh(x);
}
template <class T>
T floor(T x) {
  return std::floor(x);
}
template <class T>
T ceil(T x) {
  return std::ceil(x);
}
template <class T>
T round(T x) {
  return std::nearbyint(x);
}
template <class T>
T trunc(T x) {
  return std::trunc(x);
}
template <class T>
T log2(T x) {
  return std::log2(x);
}
template <class T>
T log10(T x) {
  return static_cast<T>(std::log10(double{x}));  // powers that f32 rounds are whole numbers, too
}

template <class T>
T remainder(T x, T y) {
  T rest;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (y == 0 || y == -1) return 0;
    rest = x % y;
  } else {
    rest = std::fmod(x, y);
  }
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

template <class T, class Body>
Array mapped(const Array& x, const Body& body) {
  return map_runs<T>(
      x,
      [&](const T* from, T* to, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) to[i] = body(from[i]);
      },
      kCost);
}

template <class T, class Body>
Array zipped(const char* op, const Array& x, const Array& y, const Body& body) {
  return zip_runs<T>(
      op, x, y,
      [&](const simd::BinaryRows<T>& of) {
        for (Index r = 0; r < of.rows; ++r) {
          const auto row = of.row(r);
          for (std::size_t i = 0; i < of.n; ++i) {
            row.to[i] = body(row.x[of.many_x ? i : 0], row.y[of.many_y ? i : 0]);
          }
        }
      },
      kCost);
}

}  // namespace

const char* name(Libm op) { return kNames[static_cast<int>(op)]; }
const char* name(LibmOfTwo op) { return kNamesOfTwo[static_cast<int>(op)]; }

Array libm(Libm op, const Array& x) {
  return visit_floating(name(op), x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    // clang-format off
    switch (op) {
#define HEED_LIBM(name) case Libm::name: return mapped<T>(x, [](T a) { return kernels::name(a); });
      HEED_LIBM_UNARY(HEED_LIBM)
#undef HEED_LIBM
    }
    // clang-format on
    return Array();
  });
}

Array libm(LibmOfTwo op, const Array& x, const Array& y) {
  const char* const op_name = name(op);
  if (x.dtype() != y.dtype()) {
    throw DTypeError(fmt::format("{}: dtypes differ: x is {}, y is {}: {}", op_name, describe(x),
                                 describe(y), conversion("x", x.dtype(), "y", y.dtype())));
  }
  if (op == LibmOfTwo::remainder && x.dtype() == DType::i64) {
    using T = std::int64_t;
    return zipped<T>(op_name, x, y, [](T a, T b) { return kernels::remainder(a, b); });
  }
  return visit_floating(op_name, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (op == LibmOfTwo::atan2) {
      return zipped<T>(op_name, x, y, [](T a, T b) { return std::atan2(a, b); });
    }
    return zipped<T>(op_name, x, y, [](T a, T b) { return kernels::remainder(a, b); });
  });
}

}  // namespace heed::kernels
