// Numbers as files of others hold them, and what they become here: f16 and bf16 are f32, integers
// of any width i64. What is bf16 here is written as it, and comes back so where that is asked.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../core/array.h"

namespace heed::io {

enum class Element : std::uint8_t {
  f16,
  bf16,
  f32,
  f64,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  boolean
};

/// "F16", "BF16", "F32" .. "BOOL", as safetensors names them.
const char* name(Element element);
/// None for another name.
std::optional<Element> element_named(std::string_view name);
std::size_t bytes_of(Element element);
/// What it becomes.
DType dtype_of(Element element);
/// How an array is held exactly.
Element element_of(DType dtype);

/// What bf16 in a file becomes: f32, which is exact, or the dtype bf16.
enum class ReadBf16 : std::uint8_t { as_f32, as_it_is };

/// Where the bytes stand, for errors.
struct ElementsAt {
  const std::string& path;
  std::uint64_t offset = 0;
  std::string what = {};  ///< "tensor \"weight\""
};

/// [shape], row-major, of so many elements one after the other. Throws FormatError for a number of
/// bytes that is not the shape's, a boolean that is neither 0 nor 1, and a u64 beyond 2^63 - 1.
Array decode_elements(Element element, const Shape& shape, std::string_view bytes,
                      const ElementsAt& at, bool big_endian = false,
                      ReadBf16 bf16 = ReadBf16::as_f32);
/// The other way, little endian, of an array of the dtype that `element` becomes, to `to`: numel()
/// times bytes_of() bytes. f16 and bf16 are rounded to the nearest, ties to even, and what is too
/// large is infinite. Throws ValueError for another dtype, and for integers that are narrower.
void encode_elements(Element element, const Array& array, char* to);

/// IEEE 754's half precision, as bits.
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float number);

}  // namespace heed::io
