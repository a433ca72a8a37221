#include "elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "../core/error.h"

namespace heed::io {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little endian");

struct Kind {
  const char* name;
  std::size_t bytes;
  DType dtype;
};
constexpr std::array<Kind, 13> kKinds = {{{"F16", 2, DType::f32},
                                          {"BF16", 2, DType::f32},
                                          {"F32", 4, DType::f32},
                                          {"F64", 8, DType::f64},
                                          {"I8", 1, DType::i64},
                                          {"I16", 2, DType::i64},
                                          {"I32", 4, DType::i64},
                                          {"I64", 8, DType::i64},
                                          {"U8", 1, DType::i64},
                                          {"U16", 2, DType::i64},
                                          {"U32", 4, DType::i64},
                                          {"U64", 8, DType::i64},
                                          {"BOOL", 1, DType::boolean}}};

const Kind& kind(Element element) { return kKinds[static_cast<std::size_t>(element)]; }

template <class From>
From number_at(const char* bytes, bool big_endian) {
  std::array<char, sizeof(From)> own;
  std::memcpy(own.data(), bytes, sizeof(From));
  if (big_endian) std::reverse(own.begin(), own.end());
  return std::bit_cast<From>(own);
}

template <class From, class To, class Turn>
void each(std::string_view bytes, bool big_endian, To* to, const Turn& turn) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(From); ++i) {
    to[i] = turn(number_at<From>(bytes.data() + i * sizeof(From), big_endian));
  }
}
template <class From>
void integers(std::string_view bytes, bool big_endian, Array& to) {
  each<From>(bytes, big_endian, to.mutable_data<std::int64_t>(),
             [](From number) { return static_cast<std::int64_t>(number); });
}

}  // namespace

const char* name(Element element) { return kind(element).name; }
std::optional<Element> element_named(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].name == name) return static_cast<Element>(i);
  }
  return {};
}
std::size_t bytes_of(Element element) { return kind(element).bytes; }
DType dtype_of(Element element) { return kind(element).dtype; }

Element element_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return Element::f32;
    case DType::f64: return Element::f64;
    case DType::i64: return Element::i64;
    case DType::bf16: return Element::bf16;
    case DType::boolean: break;
  }
  return Element::boolean;
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24, exact in f32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

std::uint16_t float_to_half(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float size = std::abs(number);
  if (std::isnan(number)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (size < 0x1p-14F) {  // subnormal: how many times 2^-24, to the nearest, ties to even
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(static_cast<double>(size) * 0x1p24)));
  }
  const std::uint32_t own = std::bit_cast<std::uint32_t>(size) - (112U << 23);
  return static_cast<std::uint16_t>(sign | ((own + 0xFFFU + ((own >> 13) & 1U)) >> 13));
}

Array decode_elements(Element element, const Shape& shape, std::string_view bytes,
                      const ElementsAt& at, bool big_endian, ReadBf16 bf16) {
  const std::size_t width = bytes_of(element);
  if (bytes.size() % width != 0 ||
      bytes.size() / width != static_cast<std::size_t>(shape.numel())) {
    throw FormatError(at.path, at.offset,
                      fmt::format("{}{} bytes for {} of {}", at.what.empty() ? "" : at.what + ": ",
                                  bytes.size(), to_string(shape), name(element)));
  }
  const bool stays = element == Element::bf16 && bf16 == ReadBf16::as_it_is;
  Array out = Array::empty(shape, stays ? DType::bf16 : dtype_of(element));
  const auto fail = [&](std::size_t i, const std::string& text) {
    throw FormatError(at.path, at.offset + i * width, at.what + " " + text);
  };
  switch (element) {
    case Element::f16:
      each<std::uint16_t>(bytes, big_endian, out.mutable_data<float>(), half_to_float);
      break;
    case Element::bf16: {
      const auto number = [](std::uint16_t bits) { return std::bit_cast<BFloat16>(bits); };
      if (stays) {
        each<std::uint16_t>(bytes, big_endian, out.mutable_data<BFloat16>(), number);
      } else {
        each<std::uint16_t>(bytes, big_endian, out.mutable_data<float>(), number);
      }
      break;
    }
    case Element::i8: integers<std::int8_t>(bytes, big_endian, out); break;
    case Element::i16: integers<std::int16_t>(bytes, big_endian, out); break;
    case Element::i32: integers<std::int32_t>(bytes, big_endian, out); break;
    case Element::u8: integers<std::uint8_t>(bytes, big_endian, out); break;
    case Element::u16: integers<std::uint16_t>(bytes, big_endian, out); break;
    case Element::u32: integers<std::uint32_t>(bytes, big_endian, out); break;
    case Element::u64:
      integers<std::uint64_t>(bytes, big_endian, out);
      for (std::size_t i = 0; i < bytes.size() / width; ++i) {
        if (out.data<std::int64_t>()[i] < 0) fail(i, "is U64 and has a number above 2^63 - 1");
      }
      break;
    case Element::boolean:
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != 0 && bytes[i] != 1) fail(i, "is BOOL and has a byte other than 0 and 1");
      }
      [[fallthrough]];
    case Element::f32:
    case Element::f64:
    case Element::i64:
      if (!big_endian) {
        if (!bytes.empty()) std::memcpy(out.mutable_raw(), bytes.data(), bytes.size());
      } else if (width == 4) {
        each<float>(bytes, true, out.mutable_data<float>(), [](float number) { return number; });
      } else {
        for (std::size_t i = 0; i + width <= bytes.size(); i += width) {
          std::reverse_copy(bytes.data() + i, bytes.data() + i + width,
                            reinterpret_cast<char*>(out.mutable_raw()) + i);
        }
      }
      break;
  }
  return out;
}

void encode_elements(Element element, const Array& array, char* to) {
  if (array.dtype() == DType::bf16 && element != Element::bf16) {
    return encode_elements(element, array.to(DType::f32), to);
  }
  const Array dense = array.contiguous();
  const auto count = static_cast<std::size_t>(dense.numel());
  if (element == element_of(array.dtype())) {
    if (count > 0) std::memcpy(to, dense.raw(), count * bytes_of(element));
    return;
  }
  const bool rounds = element == Element::f16 || element == Element::bf16;
  if (!rounds || array.dtype() != DType::f32) {
    throw ValueError(
        fmt::format("elements: {} is not written as {}", heed::name(array.dtype()), name(element)));
  }
  const float* const from = dense.data<float>();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t bits =
        element == Element::f16 ? float_to_half(from[i]) : BFloat16(from[i]).bits;
    std::memcpy(to + 2 * i, &bits, 2);
  }
}

}  // namespace heed::io
