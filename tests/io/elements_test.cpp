#include "../../io/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::io {
namespace {

const std::string kPath = "f";

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

TEST(Elements, HaveNamesWidthsAndDtypes) {
  struct Known {
    Element element;
    const char* name;
    std::size_t bytes;
    DType dtype;
  };
  const Known all[] = {
      {Element::f16, "F16", 2, DType::f32},         {Element::bf16, "BF16", 2, DType::f32},
      {Element::f32, "F32", 4, DType::f32},         {Element::f64, "F64", 8, DType::f64},
      {Element::i8, "I8", 1, DType::i64},           {Element::i16, "I16", 2, DType::i64},
      {Element::i32, "I32", 4, DType::i64},         {Element::i64, "I64", 8, DType::i64},
      {Element::u8, "U8", 1, DType::i64},           {Element::u16, "U16", 2, DType::i64},
      {Element::u32, "U32", 4, DType::i64},         {Element::u64, "U64", 8, DType::i64},
      {Element::boolean, "BOOL", 1, DType::boolean}};
  for (const Known& each : all) {
    EXPECT_STREQ(name(each.element), each.name);
    EXPECT_EQ(element_named(each.name), each.element);
    EXPECT_EQ(bytes_of(each.element), each.bytes) << each.name;
    EXPECT_EQ(dtype_of(each.element), each.dtype) << each.name;
  }
  EXPECT_EQ(element_named("f32"), std::nullopt);
  EXPECT_EQ(element_of(DType::f32), Element::f32);
  EXPECT_EQ(element_of(DType::f64), Element::f64);
  EXPECT_EQ(element_of(DType::i64), Element::i64);
  EXPECT_EQ(element_of(DType::bf16), Element::bf16);
  EXPECT_EQ(element_of(DType::boolean), Element::boolean);
}

// By its definition: sign, five bits of exponent, ten of fraction.
float half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                     : exponent == 31
                         ? (fraction == 0 ? INFINITY : NAN)
                         : std::ldexp(1 + static_cast<float>(fraction) / 1024, exponent - 15);
  return (bits & 0x8000) != 0 ? -size : size;
}

TEST(Elements, EveryHalfIsAFloatAndComesBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto own = static_cast<std::uint16_t>(bits);
    const float found = half_to_float(own);
    if (std::isnan(half(own))) {
      EXPECT_TRUE(std::isnan(found)) << bits;
      EXPECT_EQ(float_to_half(found) & 0x7E00, 0x7E00) << bits;
      EXPECT_EQ(std::signbit(found), bits >= 0x8000) << bits;
    } else {
      EXPECT_EQ(found, half(own)) << bits;
      EXPECT_EQ(float_to_half(found), bits);
    }
  }
}

TEST(Elements, BetweenTwoHalvesTheNearestIsTaken) {
  for (std::uint16_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = half(bits), high = half(static_cast<std::uint16_t>(bits + 1));
    const float middle = (low + high) / 2;
    EXPECT_EQ(float_to_half(std::nextafter(middle, low)), bits);
    EXPECT_EQ(float_to_half(middle), bits + bits % 2) << "ties go to even";
    EXPECT_EQ(float_to_half(std::nextafter(-middle, -high)), 0x8000 + bits + 1);
  }
  EXPECT_EQ(float_to_half(std::nextafter(65520.0F, 0.0F)), 0x7BFF);
  EXPECT_EQ(float_to_half(65520), 0x7C00);
  EXPECT_EQ(float_to_half(-INFINITY), 0xFC00);
}

TEST(Elements, SayWhereOneIsNone) {
  const auto refuses = [](Element element, const Shape& shape, const std::string& bytes,
                          const std::string& what, const std::string& text) {
    EXPECT_ERROR(FormatError, "f: at byte " + text,
                 decode_elements(element, shape, bytes, {kPath, 100, what}));
  };
  refuses(Element::u64, {3}, bytes_of<std::uint64_t>({1, INT64_MAX, ~0ULL}), "x",
          "116: x is U64 and has a number above 2^63 - 1");
  refuses(Element::boolean, {3}, std::string("\1\0\2", 3), "x",
          "102: x is BOOL and has a byte other than 0 and 1");
  // What stands behind is not theirs.
  EXPECT_EQ(
      decode_elements(Element::boolean, {3}, std::string_view("\1\0\1\2", 3), {kPath}).numel(), 3);
  refuses(Element::f32, {2}, std::string(7, '\0'), "x", "100: x: 7 bytes for [2] of F32");
  refuses(Element::f32, {2}, std::string(12, '\0'), "", "100: 12 bytes for [2] of F32");
  EXPECT_ERROR(FormatError, "f: at byte 0: 1 bytes for [] of F64",
               decode_elements(Element::f64, {}, "x", {kPath}));
}

TEST(Elements, InBf16BecomeF32OrStay) {
  const std::vector<float> numbers = {1, -0.5F, 3e38F, 1e-40F, INFINITY};
  const Array narrow = Array::from(numbers).to(DType::bf16);
  std::string bytes(10, '\0');
  encode_elements(Element::bf16, narrow, bytes.data());
  const Array wide = decode_elements(Element::bf16, {5}, bytes, {kPath});
  EXPECT_EQ(describe(wide), "f32[5]");
  EXPECT_EQ(wide.to_vector<float>(), narrow.to(DType::f32).to_vector<float>());
  for (const bool big_endian : {false, true}) {
    for (std::size_t i = 0; big_endian && i < 10; i += 2) std::swap(bytes[i], bytes[i + 1]);
    const Array same =
        decode_elements(Element::bf16, {5}, bytes, {kPath}, big_endian, ReadBf16::as_it_is);
    EXPECT_EQ(describe(same), "bf16[5]");
    EXPECT_EQ(same.to(DType::f32).to_vector<float>(), wide.to_vector<float>());
  }
  // Nothing else is read otherwise.
  EXPECT_EQ(describe(decode_elements(Element::f16, {5}, bytes, {kPath}, false, ReadBf16::as_it_is)),
            "f32[5]");
}

TEST(Elements, OfNothingAreNothing) {
  for (const bool big_endian : {false, true}) {
    for (const Element element : {Element::f16, Element::f64, Element::u64, Element::boolean}) {
      EXPECT_EQ(decode_elements(element, {0, 3}, "", {kPath}, big_endian).numel(), 0);
    }
  }
}

std::string encoded(Element element, const Array& array) {
  std::string out(static_cast<std::size_t>(array.numel()) * bytes_of(element) + 1, '#');
  encode_elements(element, array, out.data());
  EXPECT_EQ(out.back(), '#');
  out.pop_back();
  return out;
}

TEST(Elements, AreWrittenRowByRow) {
  const Array turned = Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}).transpose(0, 1);
  EXPECT_EQ(encoded(Element::f32, turned), bytes_of<float>({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(encoded(Element::f16, turned),
            bytes_of<std::uint16_t>({0x3C00, 0x4400, 0x4000, 0x4500, 0x4200, 0x4600}));
  EXPECT_EQ(encoded(Element::bf16, Array::from(std::vector<float>{1, -2})),
            bytes_of<std::uint16_t>({0x3F80, 0xC000}));
  EXPECT_EQ(encoded(Element::f32, Array::empty({0}, DType::f32)), "");
}

TEST(Elements, OfBf16AreWrittenAsTheyAreOrWider) {
  const Array narrow = Array::from(std::vector<float>{1, -2.5F}).to(DType::bf16);
  EXPECT_EQ(encoded(Element::bf16, narrow), bytes_of<std::uint16_t>({0x3F80, 0xC020}));
  EXPECT_EQ(encoded(Element::f32, narrow), bytes_of<float>({1, -2.5F}));
  EXPECT_EQ(encoded(Element::f16, narrow), bytes_of<std::uint16_t>({0x3C00, 0xC100}));
}

TEST(Elements, AreNotWrittenNarrower) {
  EXPECT_ERROR(ValueError, "elements: f64 is not written as F16",
               encoded(Element::f16, Array::zeros({2}, DType::f64)));
  EXPECT_ERROR(ValueError, "elements: f32 is not written as F64",
               encoded(Element::f64, Array::zeros({2}, DType::f32)));
  EXPECT_ERROR(ValueError, "elements: i64 is not written as I32",
               encoded(Element::i32, Array::zeros({2}, DType::i64)));
}

}  // namespace
}  // namespace heed::io
