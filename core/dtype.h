// The four element types, and the way from a run-time DType to a C++ type. There is one integer, i64:
// 32 bits wide, which others have, are read as it, and its names in PyTorch stand for it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed {

enum class DType : std::uint8_t {
  f32,
  f64,
  i64,
  boolean,
  float32 = f32,
  float64 = f64,
  int64 = i64,
  int32 = i64,
  i32 = i64
};

/// Bytes of one element.
constexpr std::size_t size_of(DType dtype) {
  return dtype == DType::f32 ? 4 : dtype == DType::boolean ? 1 : 8;
}

/// "f32", "f64", "i64" or "bool".
constexpr const char* name(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::i64: return "i64";
    case DType::boolean: return "bool";
  }
  return "?";
}

/// True for the dtypes that carry gradients.
constexpr bool is_floating(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};

/// The DType of a C++ element type: dtype_of<float> == DType::f32.
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

/// Throws DTypeError unless `dtype` is f32 or f64.
void check_floating(const char* op, DType dtype);

/// Calls body(T{}) with T float or double; throws DTypeError for others, in `op`'s name.
template <class Body>
decltype(auto) visit_floating(const char* op, DType dtype, Body&& body) {
  if (dtype == DType::f32) return body(float{});
  check_floating(op, dtype);
  return body(double{});
}

/// Calls body(T{}) with the C++ type of `dtype`.
template <class Body>
decltype(auto) visit_dtype(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f32: return body(float{});
    case DType::f64: return body(double{});
    case DType::i64: return body(std::int64_t{});
    case DType::boolean: break;
  }
  return body(bool{});
}

}  // namespace heed
