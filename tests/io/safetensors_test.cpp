#include "../../io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "../../core/error.h"
#include "../support/throws.h"
#include "full_disk.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<float> counting(Index count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.25F);
  return values;
}

NamedArrays samples() {
  return {{"mask", Array::from(std::vector<bool>{true, false, true}, {3, 1})},
          {"w \"quoted\" \xe4\xb8\xad", Array::from(counting(10), {2, 5})},
          {"count", Array::from(std::vector<std::int64_t>{-7}, {})},
          {"none", Array::zeros({0, 5}, DType::f32)},
          {"x", Array::from(std::vector<double>{0.1, -INFINITY, 5e-324}, {3})}};
}

// A file with this header, padded by nothing, and `data_bytes` zero bytes.
std::string file_with(const std::string& header, std::size_t data_bytes = 0) {
  const std::uint64_t length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + std::string(data_bytes, '\0');
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

void expect_rejected(const std::string& bytes, const std::string& why) {
  EXPECT_THAT(message_of<FormatError>([&] { decode_safetensors(bytes, "m.safetensors"); }),
              AllOf(HasSubstr("m.safetensors"), HasSubstr(why)))
      << bytes.substr(0, 300);
}

TEST(Safetensors, ComesBackAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  write_safetensors(path, samples(), {{"format", "pt"}, {"note", "two\nlines"}});
  const Safetensors back = read_safetensors(path);
  EXPECT_EQ(back.metadata.at("note"), "two\nlines");
  EXPECT_EQ(back.metadata.size(), 2U);
  const NamedArrays expected = samples();
  ASSERT_EQ(back.arrays.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [name, array] = back.arrays[i];
    EXPECT_EQ(name, expected[i].first);
    EXPECT_EQ(describe(array), describe(expected[i].second));
    visit_dtype(array.dtype(), [&, &array = array](auto zero) {
      using T = decltype(zero);
      EXPECT_EQ(array.to_vector<T>(), expected[i].second.to_vector<T>());
    });
  }
}

TEST(Safetensors, BytesAreTheFormats) {
  const std::string bytes =
      encode_safetensors({{"b", Array::from(std::vector<bool>{true})},
                          {"w", Array::from(std::vector<float>{1.0F}, {1, 1})}});
  const std::string header = R"({"b":{"dtype":"BOOL","shape":[1],"data_offsets":[4,5]},)"
                             R"("w":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  std::string expected = file_with(padded);
  expected += std::string("\0\0\x80\x3f\x01", 5);
  EXPECT_EQ(bytes, expected);
}

TEST(Safetensors, NothingIsAFileToo) {
  const Safetensors back = decode_safetensors(encode_safetensors({}), "m");
  EXPECT_TRUE(back.arrays.empty());
  EXPECT_TRUE(back.metadata.empty());
}

TEST(Safetensors, StridesDoNotShow) {
  const Array array = Array::from(counting(35), {5, 7});
  const NamedArrays views = {{"t", array.transpose(0, 1)},
                             {"s", array.slice(1, 1, 6, 2)},
                             {"e", array.select(0, 3).unsqueeze(0).expand({3, 7})}};
  const Safetensors back = decode_safetensors(encode_safetensors(views), "m");
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(back.arrays[i].second.shape(), views[i].second.shape());
    EXPECT_EQ(back.arrays[i].second.to_vector<float>(), views[i].second.to_vector<float>());
  }
}

TEST(Safetensors, HalfTypesBecomeFloats) {
  std::string bytes = file_with(R"({"h":{"dtype":"F16","shape":[7],"data_offsets":[6,20]},)"
                                R"("b":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]}})");
  const std::uint16_t bits[] = {0x3F80, 0xC049, 0xFF80,  // 1, -3.140625, -inf
                                0x3C00, 0x0001, 0x83FF, 0x7BFF, 0x7C00, 0x8000, 0x7E00};
  bytes.append(reinterpret_cast<const char*>(bits), sizeof bits);
  const Safetensors back = decode_safetensors(bytes, "m");
  EXPECT_EQ(back.arrays[1].second.to_vector<float>(),
            (std::vector<float>{1.0F, -3.140625F, -INFINITY}));
  const std::vector<float> halves = back.arrays[0].second.to_vector<float>();
  EXPECT_EQ(std::vector<float>(halves.begin(), halves.begin() + 5),
            (std::vector<float>{1.0F, 0x1p-24F, -0x3FFp-24F, 65504.0F, INFINITY}));
  EXPECT_TRUE(halves[5] == 0 && std::signbit(halves[5]));
  EXPECT_TRUE(std::isnan(halves[6]));
}

TEST(Safetensors, IntegersOf32BitsBecomeI64) {
  std::string bytes = file_with(one("I32", "[3]", "[0,12]"));
  const std::int32_t values[] = {7, -1, INT32_MIN};
  bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  const Safetensors back = decode_safetensors(bytes, "m");
  EXPECT_EQ(back.arrays[0].second.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{7, -1, INT32_MIN}));
}

TEST(Safetensors, IntegersOfAnyWidthBecomeI64) {
  std::string bytes = file_with(R"({"a":{"dtype":"U64","shape":[1],"data_offsets":[0,8]},)"
                                R"("b":{"dtype":"U32","shape":[1],"data_offsets":[8,12]},)"
                                R"("c":{"dtype":"I16","shape":[1],"data_offsets":[12,14]},)"
                                R"("d":{"dtype":"U16","shape":[1],"data_offsets":[14,16]},)"
                                R"("e":{"dtype":"I8","shape":[1],"data_offsets":[16,17]},)"
                                R"("f":{"dtype":"U8","shape":[1],"data_offsets":[17,18]}})");
  const std::string before = bytes;
  bytes += std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 8) + "\xFE\xFF\xFF\xFF" + "\xFE\xFF" +
           "\xFD\xFF" + "\xFC" + "\xFB";
  const Safetensors back = decode_safetensors(bytes, "m");
  const std::int64_t wanted[] = {INT64_MAX, 4294967294, -2, 65533, -4, 251};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(back.arrays[i].second.to_vector<std::int64_t>(),
              std::vector<std::int64_t>{wanted[i]});
  }
  bytes[before.size() + 7] = '\x80';
  expect_rejected(bytes, "tensor \"a\" is U64 and has a number above 2^63 - 1");
}

TEST(Safetensors, AreHalvedWhereAskedTo) {
  const std::vector<float> numbers = {1,          -65519.0F, 65520.0F, 0x1p-24F,
                                      0x1.8p-25F, 2049,      2051,     1e-9F};
  const NamedArrays arrays{{"w", Array::from(numbers)}, {"n", Array::from(std::vector<Index>{7})}};
  const auto read = [&](Element floats) {
    const std::string bytes = encode_safetensors(arrays, {}, floats);
    EXPECT_NE(bytes.find(name(floats)), std::string::npos);
    const Safetensors back = decode_safetensors(bytes, "m");
    EXPECT_EQ(back.arrays[1].second.to_vector<std::int64_t>(), std::vector<std::int64_t>{7});
    return back.arrays[0].second.to_vector<float>();
  };
  EXPECT_EQ(read(Element::f16),
            (std::vector<float>{1, -65504, INFINITY, 0x1p-24F, 0x1p-24F, 2048, 2052, 0}));
  EXPECT_EQ(read(Element::bf16),
            (std::vector<float>{1, -65536, 65536, 0x1p-24F, 0x1.8p-25F, 2048, 2048, 0x1.12p-30F}));
  EXPECT_ERROR_WITH(ValueError, "f32 is not held as I32",
                    encode_safetensors(arrays, {}, Element::i32));
}

TEST(Safetensors, EachTensorBeginsAtAMultipleOfItsElement) {
  const NamedArrays arrays = {
      {"b", Array::zeros({3}, DType::boolean)}, {"h", Array::zeros({3}, DType::bf16)},
      {"f", Array::zeros({3}, DType::f32)},     {"d", Array::zeros({3}, DType::f64)},
      {"c", Array::zeros({1}, DType::boolean)}, {"i", Array::zeros({1}, DType::i64)}};
  const std::string bytes = encode_safetensors(arrays);
  for (const char* const offsets :
       {"[0,24]", "[24,32]", "[32,44]", "[44,50]", "[50,53]", "[53,54]"})
    EXPECT_NE(bytes.find(offsets), std::string::npos) << offsets;
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  EXPECT_EQ(header % 8, 0u);
  EXPECT_EQ(bytes.size(), 8 + header + 54);
  const NamedShapes shapes = shapes_in_safetensors(bytes, "m");
  ASSERT_EQ(shapes.size(), 6u);
  EXPECT_EQ(shapes[3], std::pair(std::string("d"), Shape{3}));
}

// As the Python package lays it out: offsets in another order than the names, spaces at the end.
TEST(Safetensors, ReadsHeadersInAnyOrder) {
  std::string bytes = file_with(
      R"({"__metadata__":{"format":"pt"}, "a": {"shape":[1],"data_offsets":[8,12],"dtype":"F32"},)"
      "\"z\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]}}   ",
      12);
  bytes[bytes.size() - 12] = 5;
  const Safetensors back = decode_safetensors(bytes, "m");
  EXPECT_EQ(back.metadata.at("format"), "pt");
  EXPECT_EQ(back.arrays[0].first, "a");
  EXPECT_EQ(back.arrays[1].second.to_vector<std::int64_t>(), std::vector<std::int64_t>{5});
}

TEST(Safetensors, WriterRefusesWhatTheFormatCannotHold) {
  const Array w = Array::zeros({2}, DType::f32);
  EXPECT_ERROR(ValueError, "safetensors: the name \"w\" is given twice",
               encode_safetensors({{"w", w}, {"w", w}}));
  EXPECT_ERROR(ValueError, "safetensors: the array \"w\" is undefined",
               encode_safetensors({{"w", Array()}}));
  EXPECT_THROW(encode_safetensors({{"__metadata__", w}}), ValueError);
  EXPECT_THROW(encode_safetensors({{"\xff", w}}), ValueError);
  EXPECT_THROW(encode_safetensors({{"w", w}}, {{"k", "\xc3"}}), ValueError);
  EXPECT_ERROR_WITH(ValueError, "is above the format's limit of 100000000",
                    encode_safetensors({{"w", w}}, {{"k", std::string(100'000'000, 'a')}}));
}

TEST(Safetensors, AFullDiskKeepsTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  write_safetensors(path, samples());
  const std::string before = TemporaryFolder::get(path);
  {
    const FullDisk full(1009);
    EXPECT_THROW(write_safetensors(path, {{"w", Array::zeros({31, 37}, DType::f64)}}), IoError);
  }
  EXPECT_EQ(TemporaryFolder::get(path), before);
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(Safetensors, EveryTruncationIsRejected) {
  const std::string bytes = encode_safetensors(samples(), {{"format", "pt"}});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(decode_safetensors(std::string_view(bytes).substr(0, length), "m"), FormatError)
        << length;
  }
  EXPECT_THROW(decode_safetensors(bytes + '\0', "m"), FormatError);
}

// Flipped bits are rejected or read as another valid file; they never do anything else.
TEST(Safetensors, FlippedBitsAreHarmless) {
  const std::string bytes = encode_safetensors(samples(), {{"format", "pt"}});
  std::size_t rejected = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    try {
      const Safetensors back = decode_safetensors(damaged, "m");
      EXPECT_EQ(back.arrays.size() + back.metadata.size(), 6U) << bit;
    } catch (const FormatError&) {
      ++rejected;
    }
  }
  EXPECT_GT(rejected, 2 * bytes.size());
}

TEST(Safetensors, HostileLengths) {
  expect_rejected("", "at byte 0: the file ends before");
  expect_rejected(std::string(7, '\0'), "at byte 7: the file ends before");
  expect_rejected(std::string(8, '\0'), "at byte 8: the header must begin with '{'");
  expect_rejected(std::string(8, '\xff'), "at byte 0: a header of 18446744073709551615 bytes");
  expect_rejected(std::string("\x03\0\0\0\0\0\0\0{}", 10), "a header of 3 bytes is claimed");
  expect_rejected(file_with("{" + std::string(99'999'999, ' ') + "}"), "at most 100000000");
  EXPECT_TRUE(
      decode_safetensors(file_with("{" + std::string(99'999'998, ' ') + "}"), "m").arrays.empty());
}

TEST(Safetensors, HostileHeaders) {
  expect_rejected(file_with(" {}"), "must begin with '{'");
  expect_rejected(file_with("{}x"), "at byte 10: this is not valid JSON");
  expect_rejected(file_with(std::string("{}\0", 3)), "zero byte");
  expect_rejected(file_with(R"({"w":)"), "not valid JSON");
  expect_rejected(file_with("{\"\xff\":1}"), "not valid JSON");
  expect_rejected(file_with(R"({"":1})"), "at byte 8: an integer is unexpected");
  expect_rejected(file_with(R"({"":true})"), "at byte 8: a boolean is unexpected");
  expect_rejected(file_with(R"({"":0.5})"), "at byte 8: a number with a fraction is unexpected");
  expect_rejected(file_with(R"({"w":1})"), R"(tensor "w" is an integer, not an object)");
  expect_rejected(file_with(R"({"w":[]})"), R"(tensor "w" is an array, not an object)");
  expect_rejected(file_with(R"({"w":null})"), R"(tensor "w" is null)");
  expect_rejected(file_with(R"({"w":"x"})"), R"(tensor "w" is a string)");
  expect_rejected(file_with(R"({"w":{}})"), R"(tensor "w" has no dtype)");
  expect_rejected(file_with(R"({"w":{"dtype":"F32","data_offsets":[0,0]}})"), "has no shape");
  expect_rejected(file_with(R"({"w":{"dtype":"F32","shape":[0]}})"), "has no data_offsets");
  expect_rejected(file_with(R"({"w":{"dtype":"F32","dtype":"F32"}})"), "two fields dtype");
  expect_rejected(file_with(R"({"w":{"shape":[0],"shape":[]}})"), "two fields shape");
  expect_rejected(file_with(R"({"w":{"strides":[1]}})"), R"(unknown field "strides")");
  expect_rejected(file_with(R"({"w":{"dtype":{}}})"), R"(tensor "w" has an object in "dtype")");
  expect_rejected(file_with(R"({"w":{"shape":[[1]]}})"), R"(has an array in "shape")");
  expect_rejected(file_with(R"({"w":{"shape":[{}]}})"), R"(has an object in "shape")");
  expect_rejected(file_with(R"({"w":{"shape":["1"]}})"), R"(has a string in "shape")");
  expect_rejected(file_with(R"({"w":{"shape":[true]}})"), R"(has a boolean in "shape")");
  expect_rejected(file_with(R"({"w":{"shape":3}})"), R"(has an integer in "shape")");
  expect_rejected(file_with(R"({"w":{"dtype":["F32"]}})"), R"(has an array in "dtype")");
  expect_rejected(file_with(R"({"__metadata__":{"a":1}})"), R"(has an integer in "a")");
  expect_rejected(file_with(R"({"__metadata__":{"a":["x"]}})"), R"(has an array in "a")");
  expect_rejected(file_with(R"({"__metadata__":"x"})"), "is a string, not an object");
  expect_rejected(file_with(R"({"__metadata__":{"a":"x","a":"y"}})"), R"(the key "a" twice)");
  const std::string w = R"("w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  expect_rejected(file_with("{" + w + "," + w + "}"), R"(the name "w" stands twice)");
  // What came before says nothing of the second.
  expect_rejected(file_with("{" + w + R"(,"v":1})"), R"(tensor "v" is an integer, not an object)");
  expect_rejected(file_with("{" + w + R"(,"v":{"dtype":"F32","data_offsets":[0,0]}})"),
                  R"(tensor "v" has no shape)");
  expect_rejected(file_with("{" + w + R"(,"v":{"dtype":"F32","shape":[0]}})"),
                  R"(tensor "v" has no data_offsets)");
  expect_rejected(file_with("{\"w\":" + std::string(1'000'000, '[')), "is an array");
  expect_rejected(file_with(R"({"w":{"shape":)" + std::string(1'000'000, '[')), "has an array");
  std::string nested;
  for (int i = 0; i < 100'000; ++i) nested += R"({"w":)";
  expect_rejected(file_with(nested), "has an unknown field \"w\"");
}

TEST(Safetensors, HostileTensors) {
  expect_rejected(
      file_with(one("F8_E4M3", "[2]", "[0,2]"), 2),
      R"(tensor "w" has dtype "F8_E4M3"; BOOL, I8 to I64, U8 to U64, F16, BF16, F32 and F64 can be read)");
  expect_rejected(file_with(one("F32", "[-1]", "[0,4]"), 4), "has -1 in its shape");
  expect_rejected(file_with(one("F32", "[1.0]", "[0,4]"), 4), "a number with a fraction");
  expect_rejected(file_with(one("F32", "[1e3]", "[0,4]"), 4), "a number with a fraction");
  expect_rejected(file_with(one("F32", "[9223372036854775808]", "[0,4]"), 4), "is larger");
  expect_rejected(file_with(one("F32", "[4294967296,4294967296]", "[0,0]")), "overflows");
  expect_rejected(file_with(one("F32", "[4611686018427387904]", "[0,0]")), "has 0 bytes for F32");
  expect_rejected(file_with(one("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4), "rank above the limit");
  expect_rejected(file_with(one("F32", "[1]", "[0]"), 4), "needs two data_offsets");
  expect_rejected(file_with(one("F32", "[1]", "[0,4,4]"), 4), "needs two data_offsets");
  expect_rejected(file_with(one("F32", "[1]", "[-4,0]"), 4), "has -4 in its data_offsets");
  expect_rejected(file_with(one("F32", "[1]", "[4,0]"), 4), "data_offsets [4, 0] in 4 bytes");
  expect_rejected(file_with(one("F32", "[2]", "[0,8]"), 4), "data_offsets [0, 8] in 4 bytes");
  expect_rejected(file_with(one("F32", "[1]", "[0,9223372036854775807]"), 4), "in 4 bytes of data");
  expect_rejected(file_with(one("F32", "[2]", "[0,4]"), 4), "has 4 bytes for F32[2]");
  expect_rejected(file_with(one("F64", "[1]", "[0,9]"), 9), "has 9 bytes for F64[1]");
  expect_rejected(file_with(one("F32", "[1]", "[4,8]"), 8), "a hole");
  expect_rejected(file_with(one("F32", "[1]", "[0,4]"), 5), "the tensors take 4 of 5 bytes");
  expect_rejected(file_with("{}", 1), "the tensors take 0 of 1 bytes");
  const std::string a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const std::string b = R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})";
  expect_rejected(file_with("{" + a + "," + b + "}", 8), "they overlap");
  expect_rejected(file_with(one("BOOL", "[3]", "[0,3]"), 2) + '\x02',
                  "at byte 65: tensor \"w\" is BOOL and has a byte other than 0 and 1");
}

TEST(Safetensors, AnEmptyTensorMayBeginWhereAnotherDoes) {
  const std::string bytes = file_with(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                      R"("b":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
                                      R"("c":{"dtype":"F32","shape":[0],"data_offsets":[8,8]}})",
                                      8);
  EXPECT_EQ(decode_safetensors(bytes, "m").arrays.size(), 3U);
}

TEST(Safetensors, NothingIsAllocatedForAClaim) {
  // A terabyte claimed by shape and offsets: refused before any memory is asked for.
  expect_rejected(file_with(one("F32", "[274877906944]", "[0,1099511627776]")),
                  "in 0 bytes of data");
  // No elements, whatever the other sizes.
  const Safetensors back =
      decode_safetensors(file_with(one("F32", "[4294967296,4294967296,0]", "[0,0]")), "m");
  EXPECT_EQ(back.arrays[0].second.numel(), 0);
}

}  // namespace
}  // namespace heed::io
