// Each of the forms in which a file holds numbers.
#include <gtest/gtest.h>

#include <bit>

#include "../../core/error.h"
#include "../../core/protobuf.h"
#include "../../onnx/read_model.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::onnx {
namespace {

using Write = std::function<void(ProtobufWriter&)>;

// A model with one tensor "w" of these sizes and this type.
std::string model_of(const std::vector<std::int64_t>& sizes, DataType type, const Write& numbers) {
  ProtobufWriter out;
  out.message(7, [&] {
    out.message(5, [&] {
      for (const auto size : sizes) out.number(1, static_cast<std::uint64_t>(size));
      out.number(2, static_cast<std::uint64_t>(type));
      out.text(8, "w");
      numbers(out);
    });
  });
  out.message(8, [&] { out.number(2, 17); });
  return out.take();
}
Array tensor(const std::vector<std::int64_t>& sizes, DataType type, const Write& numbers,
             const std::string& path = "f") {
  return decode_model(model_of(sizes, type, numbers), path).graph.initializers.at(0).array;
}
void refuses(const std::string& text, const std::vector<std::int64_t>& sizes, DataType type,
             const Write& numbers, const std::string& path = "f") {
  EXPECT_ERROR_WITH(FormatError, text, tensor(sizes, type, numbers, path));
}
Write numbers(std::uint64_t field, const std::vector<std::int64_t>& values) {
  return [=](ProtobufWriter& out) {
    for (const auto value : values) out.number(field, static_cast<std::uint64_t>(value));
  };
}
Write text(std::uint64_t field, const std::string& bytes) {
  return [=](ProtobufWriter& out) { out.text(field, bytes); };
}
template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
using Integers = std::vector<std::int64_t>;

TEST(OnnxTensor, RawDataOfEveryType) {
  EXPECT_EQ(tensor({2}, DataType::f32, text(9, raw<float>({0.1F, -2}))).to_vector<float>(),
            (std::vector<float>{0.1F, -2}));
  EXPECT_EQ(tensor({1, 2}, DataType::f64, text(9, raw<double>({0.1, -2}))).to_vector<double>(),
            (std::vector<double>{0.1, -2}));
  EXPECT_EQ(tensor({2}, DataType::i64, text(9, raw<std::int64_t>({-1, 1LL << 40})))
                .to_vector<std::int64_t>(),
            (Integers{-1, 1LL << 40}));
  EXPECT_EQ(
      tensor({2}, DataType::i32, text(9, raw<std::int32_t>({-1, 7}))).to_vector<std::int64_t>(),
      (Integers{-1, 7}));
  EXPECT_EQ(tensor({2}, DataType::i8, text(9, "\xff\x07")).to_vector<std::int64_t>(),
            (Integers{-1, 7}));
  EXPECT_EQ(tensor({2}, DataType::u8, text(9, "\xff\x07")).to_vector<std::int64_t>(),
            (Integers{255, 7}));
  EXPECT_EQ(tensor({1}, DataType::u16, text(9, "\xff\xff")).to_vector<std::int64_t>(),
            (Integers{65535}));
  EXPECT_EQ(tensor({1}, DataType::i16, text(9, "\xff\xff")).to_vector<std::int64_t>(),
            (Integers{-1}));
  EXPECT_EQ(tensor({1}, DataType::f16, text(9, std::string("\0\x3c", 2))).item(), 1);
  EXPECT_EQ(tensor({1}, DataType::bf16, text(9, "\x80\x3f")).item(), 1);
  EXPECT_EQ(tensor({2}, DataType::boolean, text(9, std::string("\0\1", 2))).to_vector<bool>(),
            (std::vector<bool>{false, true}));
  EXPECT_EQ(tensor({}, DataType::f32, text(9, raw<float>({3}))).shape(), Shape{});
  EXPECT_EQ(tensor({3, 0}, DataType::f32, text(9, "")).shape(), (Shape{3, 0}));
}

TEST(OnnxTensor, TypedListsPackedAndNot) {
  const Write floats = [](ProtobufWriter& out) {
    out.floating(4, 0.5F);
    out.text(4, raw<float>({1.5F, -2}));
  };
  EXPECT_EQ(tensor({3}, DataType::f32, floats).to_vector<float>(),
            (std::vector<float>{0.5F, 1.5F, -2}));
  EXPECT_EQ(tensor({2}, DataType::f64, text(10, raw<double>({0.1, -2}))).to_vector<double>(),
            (std::vector<double>{0.1, -2}));
  EXPECT_EQ(tensor({3}, DataType::i64, numbers(7, {-1, 0, 300})).to_vector<std::int64_t>(),
            (Integers{-1, 0, 300}));
  EXPECT_EQ(tensor({2}, DataType::i64, text(7, "\x05\xac\x02")).to_vector<std::int64_t>(),
            (Integers{5, 300}));
  EXPECT_EQ(tensor({2}, DataType::i32, numbers(5, {-1, 7})).to_vector<std::int64_t>(),
            (Integers{-1, 7}));
  EXPECT_EQ(tensor({2}, DataType::boolean, numbers(5, {0, 1})).to_vector<bool>(),
            (std::vector<bool>{false, true}));
  EXPECT_EQ(tensor({2}, DataType::f16, numbers(5, {0x3c00, 0xc000})).to_vector<float>(),
            (std::vector<float>{1, -2}));
  EXPECT_EQ(tensor({1}, DataType::bf16, numbers(5, {0x3f80})).item(), 1);
  EXPECT_EQ(tensor({1}, DataType::u32, numbers(11, {4000000000})).to_vector<std::int64_t>(),
            (Integers{4000000000}));
  EXPECT_EQ(tensor({0}, DataType::i64, [](auto&) {}).numel(), 0);
  // Sizes may be packed, too.
  const Array packed = tensor({}, DataType::i64, [](ProtobufWriter& out) {
    out.text(1, "\x01\x02");
    out.text(7, "\x05\x06");
  });
  EXPECT_EQ(packed.shape(), (Shape{1, 2}));
}

TEST(OnnxTensor, WhatDoesNotFitIsRefused) {
  refuses("tensor \"w\": 7 bytes for [2] of F32", {2}, DataType::f32, text(9, "1234567"));
  refuses("tensor \"w\" has 1 numbers for [2]", {2}, DataType::i64, numbers(7, {1}));
  refuses("tensor \"w\" has 0 numbers for [2]", {2}, DataType::f32, [](auto&) {});
  refuses("tensor \"w\" has its numbers in field 7", {1}, DataType::f32, numbers(7, {1}));
  refuses("tensor \"w\" has its numbers in more than one form", {1}, DataType::i64,
          [](ProtobufWriter& out) {
            out.number(7, 1);
            out.text(9, "12345678");
          });
  refuses("tensor \"w\" is of INT8 and has the number 128", {1}, DataType::i8, numbers(5, {128}));
  refuses("tensor \"w\" is of BOOL and has the number 2", {1}, DataType::boolean, numbers(5, {2}));
  refuses("tensor \"w\" is BOOL and has a byte other than 0 and 1", {1}, DataType::boolean,
          text(9, "\2"));
  refuses("tensor \"w\" is of type STRING, which cannot be read", {1}, DataType::string,
          text(6, "a"));
  refuses("tensor \"w\" is of type COMPLEX64, which cannot be read", {1}, static_cast<DataType>(14),
          text(9, "12345678"));
  refuses("has a size below 0", {-1}, DataType::f32, text(9, ""));
  refuses("has more than 8 axes", Integers(9, 1), DataType::f32, text(9, "1234"));
  refuses("tensor \"w\" has a number of elements that overflows", {1LL << 40, 1LL << 40},
          DataType::f32, text(9, "1234"));
  refuses("tensor \"w\": 4 bytes for [1099511627776] of F32", {1LL << 40}, DataType::f32,
          text(9, "1234"));
  refuses("tensor \"w\" is cut into segments", {1}, DataType::f32,
          [](ProtobufWriter& out) { out.message(3, [] {}); });
}

Write outside(const std::string& location, const std::string& offset = "",
              const std::string& length = "") {
  return [=](ProtobufWriter& out) {
    const auto entry = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      out.message(13, [&] {
        out.text(1, key);
        out.text(2, value);
      });
    };
    entry("location", location);
    entry("offset", offset);
    entry("length", length);
    entry("checksum", "unused");
    out.number(14, 1);
  };
}

TEST(OnnxTensor, NumbersBesideTheModel) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.onnx";
  std::filesystem::create_directory(folder / "parts");
  folder.write("parts/numbers", raw<float>({1, 2, 3, 4}));
  EXPECT_EQ(tensor({2}, DataType::f32, outside("parts/numbers", "8", "8"), path).to_vector<float>(),
            (std::vector<float>{3, 4}));
  EXPECT_EQ(tensor({4}, DataType::f32, outside("parts/numbers"), path).numel(), 4);
  refuses("tensor \"w\": 4 bytes beside the model for [2] of F32", {2}, DataType::f32,
          outside("parts/numbers", "8", "4"), path);
  refuses("at 12 to 20, which has 16 bytes", {2}, DataType::f32, outside("parts/numbers", "12"),
          path);
  refuses("has as offset \"-4\"", {2}, DataType::f32, outside("parts/numbers", "-4"), path);
  refuses("has as length \"9999999999999999999999\"", {2}, DataType::f32,
          outside("parts/numbers", "0", "9999999999999999999999"), path);
  refuses("[1099511627776]", {1LL << 40}, DataType::f32, outside("parts/numbers", "0", "16"), path);
  refuses("lies in \"parts/none\", which is not there", {2}, DataType::f32, outside("parts/none"),
          path);
  refuses("lies in \"parts\", which is no file", {2}, DataType::f32, outside("parts"), path);
  refuses("lies in \"\", which is no file beside the model", {2}, DataType::f32, outside(""), path);
}

TEST(OnnxTensor, NothingOutsideOfTheFolderIsRead) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "inner");
  folder.write("secret", raw<float>({1, 2}));
  const std::string path = folder / "inner/m.onnx";
  refuses("outside of the model's folder", {2}, DataType::f32, outside("../secret"), path);
  refuses("outside of the model's folder", {2}, DataType::f32, outside("a/../../secret"), path);
  refuses("which is no file beside the model", {2}, DataType::f32, outside(folder / "secret"),
          path);
  std::filesystem::create_symlink(folder / "secret", folder / "inner/link");
  refuses("outside of the model's folder", {2}, DataType::f32, outside("link"), path);
  std::filesystem::create_symlink(folder.path(), folder / "inner/up");
  refuses("outside of the model's folder", {2}, DataType::f32, outside("up/secret"), path);
}

TEST(OnnxTensor, OneFileIsNotReadManyTimesOver) {
  const TemporaryFolder folder;
  folder.write("numbers", raw<float>({1, 2, 3, 4}));
  const auto model = [&](const std::vector<std::pair<std::string, std::string>>& pieces) {
    ProtobufWriter out;
    out.message(7, [&] {
      for (const auto& [location, offset] : pieces) {
        out.message(5, [&, &location = location, &offset = offset] {
          out.number(1, 3);
          out.number(2, 1);
          out.text(8, "w");
          outside(location, offset)(out);
        });
      }
    });
    out.message(8, [&] { out.number(2, 17); });
    return decode_model(out.bytes(), folder / "m.onnx");
  };
  // Tied ones are one.
  const Model tied = model({{"numbers", "4"}, {"numbers", "4"}, {"./numbers", "4"}});
  EXPECT_TRUE(tied.graph.initializers[0].array.shares_storage(tied.graph.initializers[2].array));
  EXPECT_ERROR_WITH(FormatError, "tensors overlap in \"./numbers\"",
                    model({{"numbers", "0"}, {"./numbers", "4"}}));
}

}  // namespace
}  // namespace heed::onnx
