// The five element types, and the way from a run-time DType to a C++ type. There is one integer,
// i64:
// 32 bits wide, which others have, are read as it, and its names in PyTorch stand for it. bf16 is
// for holding numbers in half the room: who computes with it reads f32 and gives f32, or refuses it
// (docs/precision.md has the list).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bfloat16.h"

namespace heed {

enum class DType : std::uint8_t {
  f32,
  f64,
  i64,
  boolean,
  bf16,
  bfloat16 = bf16,
  float32 = f32,
  float64 = f64,
  int64 = i64,
  int32 = i64,
  i32 = i64
};

/// Bytes of one element.
constexpr std::size_t size_of(DType dtype) {
  return dtype == DType::f32 ? 4 : dtype == DType::boolean ? 1 : dtype == DType::bf16 ? 2 : 8;
}

/// "f32", "f64", "i64", "bool" or "bf16".
constexpr const char* name(DType dtype) {
  switch (dtype) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::i64: return "i64";
    case DType::boolean: return "bool";
    case DType::bf16: return "bf16";
  }
  return "?";
}

/// True for f32, f64 and bf16.
constexpr bool is_floating(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::bf16;
}

/// True for f32 and f64, in which operators compute and gradients come.
constexpr bool is_computed(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }

/// What is computed in, and what gradients have: f32 for bf16, else the dtype itself.
constexpr DType widened(DType dtype) { return dtype == DType::bf16 ? DType::f32 : dtype; }

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
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::bf16;
};

/// The DType of a C++ element type: dtype_of<float> == DType::f32.
template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

/// For an error about two operands of unlike dtypes: "convert one, to(x, DType::f32)", the one that
/// loses less.
std::string conversion(const char* x_name, DType x, const char* y_name, DType y);

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
    case DType::bf16: return body(BFloat16{});
    case DType::boolean: break;
  }
  return body(bool{});
}

}  // namespace heed
