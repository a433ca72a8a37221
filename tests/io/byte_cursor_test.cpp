#include "../../io/byte_cursor.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::io {
namespace {

TEST(ByteCursor, WalksOverNumbersAndTexts) {
  std::string bytes(
      "\x01\x02\xFF\xFF\xFF\xFF"
      "abc",
      9);
  const float numbers[] = {1.5F, -2};
  bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  ByteCursor cursor(bytes, "f");
  EXPECT_EQ(cursor.at(), 0u);
  EXPECT_EQ(cursor.left(), 17u);
  EXPECT_EQ(cursor.number<std::uint16_t>("a"), 0x0201);
  EXPECT_EQ(cursor.number<std::int32_t>("b"), -1);
  EXPECT_EQ(cursor.take(3, "c"), "abc");
  EXPECT_EQ(cursor.at(), 9u);
  EXPECT_EQ(cursor.left(), 8u);
  const Array floats = cursor.floats({2, 1}, "d");
  EXPECT_EQ(floats.shape(), (Shape{2, 1}));
  EXPECT_EQ(floats.to_vector<float>(), (std::vector<float>{1.5F, -2}));
  EXPECT_EQ(cursor.left(), 0u);
  EXPECT_EQ(cursor.take(0, "e"), "");
}

TEST(ByteCursor, SaysWithinWhatTheFileEnds) {
  ByteCursor cursor("abcdefghi", "f");
  cursor.take(2, "a head");
  EXPECT_ERROR(FormatError, "f: at byte 2: the file ends within a number",
               cursor.number<std::uint64_t>("a number"));
  EXPECT_ERROR(FormatError, "f: at byte 2: the file ends within a text", cursor.take(8, "a text"));
  EXPECT_ERROR(FormatError, "f: at byte 2: the file ends within a row",
               cursor.floats({2}, "a row"));
  EXPECT_ERROR(FormatError, "f: at byte 2: the file ends within a row",
               cursor.floats({std::int64_t{1} << 62}, "a row"));
  EXPECT_EQ(cursor.floats({1}, "a row").numel(), 1);
  EXPECT_ERROR(FormatError, "f: at byte 6: nonsense", cursor.fail("nonsense"));
  EXPECT_EQ(cursor.take(3, "the rest"), "ghi");
}

}  // namespace
}  // namespace heed::io
