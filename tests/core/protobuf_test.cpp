#include "../../core/protobuf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

const std::string kPath = "a.onnx";

std::vector<ProtobufField> fields(std::string_view bytes, std::uint64_t place = 0) {
  std::vector<ProtobufField> out;
  ProtobufField field;
  for (ProtobufMessage message(bytes, kPath, place); message.next(field);) out.push_back(field);
  return out;
}

// The examples of the format's description: 150 as field 1, "testing" as field 2.
TEST(Protobuf, IsTheFormat) {
  ProtobufWriter out;
  out.number(1, 150);
  out.text(2, "testing");
  out.floating(3, 1.5F);
  EXPECT_EQ(out.bytes(), std::string_view("\x08\x96\x01\x12\x07testing\x1d\0\0\xc0\x3f", 17));
}

TEST(Protobuf, ReadsWhatItWrites) {
  ProtobufWriter out;
  const std::vector<std::uint64_t> numbers = {0, 1, 127, 128, 16383, 16384, 1ULL << 63, UINT64_MAX};
  for (const std::uint64_t number : numbers) out.number(3, number);
  out.message(16, [&] {
    out.text(1, std::string(200, 'x'));
    out.message(2, [&] { out.number(5, 7); });
  });
  std::memcpy(out.room(2047, 3), "abc", 3);
  const std::string bytes = out.bytes();
  EXPECT_EQ(out.take(), bytes);
  const auto read = fields(bytes);
  ASSERT_EQ(read.size(), numbers.size() + 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(read[i].number, 3U);
    EXPECT_EQ(read[i].kind, 0U);
    EXPECT_EQ(read[i].value, numbers[i]);
  }
  const ProtobufField whole = read[numbers.size()], last = read.back();
  EXPECT_EQ(whole.number, 16U);
  EXPECT_EQ(whole.kind, 2U);
  const auto within = fields(whole.bytes, whole.place);
  ASSERT_EQ(within.size(), 2U);
  EXPECT_EQ(within[0].bytes, std::string(200, 'x'));
  EXPECT_EQ(fields(within[1].bytes).at(0).value, 7U);
  EXPECT_EQ(last.number, 2047U);
  EXPECT_EQ(last.bytes, "abc");
  EXPECT_EQ(last.place, bytes.size() - 3);
  EXPECT_EQ(bytes.substr(within[1].place, within[1].bytes.size()), within[1].bytes);
}

TEST(Protobuf, ReadsFixedNumbersWithTheLowestByteFirst) {
  const auto read = fields(std::string_view("\x09\x01\x02\x03\x04\x05\x06\x07\x88\x0d\x11\x12\x13"
                                            "\xf4",
                                            14),
                           30);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].kind, 1U);
  EXPECT_EQ(read[0].value, 0x8807060504030201U);
  EXPECT_EQ(read[0].place, 31U);
  EXPECT_EQ(read[1].kind, 5U);
  EXPECT_EQ(read[1].value, 0xf4131211U);
  EXPECT_EQ(read[1].place, 40U);
  ProtobufWriter out;
  out.floating(1, -2.75F);
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(fields(out.bytes()).at(0).value)),
            -2.75F);
}

TEST(Protobuf, ReadsPackedLists) {
  const auto packed = [](std::uint64_t kind, std::string_view bytes) {
    std::vector<std::uint64_t> out;
    std::uint64_t value = 0;
    for (ProtobufMessage list(bytes, kPath); list.next_packed(kind, value);) out.push_back(value);
    return out;
  };
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(packed(0, "\x03\x96\x01\x7f"), (Numbers{3, 150, 127}));
  EXPECT_EQ(packed(5, std::string_view("\x01\0\0\0\x02\0\0\x01", 8)), (Numbers{1, 0x01000002}));
  EXPECT_EQ(packed(1, std::string_view("\x01\0\0\0\x02\0\0\0", 8)), (Numbers{0x0000000200000001}));
  EXPECT_EQ(packed(0, ""), Numbers{});
  EXPECT_THROW(packed(1, "abcd"), FormatError);
}

TEST(Protobuf, RefusesWhatIsCutOff) {
  const auto refuses = [](std::string_view bytes, const std::string& message) {
    EXPECT_ERROR(FormatError, "a.onnx: at byte " + message, fields(bytes, 10));
  };
  refuses("\x08", "11: ends within a number");
  refuses("\x08\x96", "12: ends within a number");
  refuses("\x80", "11: ends within a number");
  refuses("\x12\x03yz", "12: a field of 3 bytes, of which 2 are there");
  refuses("\x0d\x01\x02\x03", "11: a field of 4 bytes, of which 3 are there");
  refuses("\x09\x01\x02\x03", "11: a field of 8 bytes, of which 3 are there");
  refuses("\x0b", "11: a field of kind 3");
  refuses("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "21: a number of more than 64 bits");
  EXPECT_TRUE(fields("").empty());
}

TEST(Protobuf, WantsAFieldsKind) {
  ProtobufWriter out;
  out.number(1, 2);
  ProtobufMessage message(out.bytes(), kPath, 50);
  ProtobufField field;
  ASSERT_TRUE(message.next(field));
  EXPECT_NO_THROW(message.want(field, 0, "axis"));
  EXPECT_ERROR(FormatError, "a.onnx: at byte 51: axis is a field of kind 0, not 2",
               message.want(field, 2, "axis"));
  EXPECT_FALSE(message.next(field));
}

TEST(Protobuf, FieldsBeginEmpty) {
  const ProtobufField field;
  EXPECT_EQ(field.number + field.kind + field.value + field.place, 0U);
  EXPECT_EQ(field.bytes, "");
}

}  // namespace
}  // namespace heed
