#include "../../core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

void expect_valid(std::string_view text, char32_t code) {
  const std::string around = "ab" + std::string(text) + "c";
  for (const auto& [whole, at] : {std::pair{std::string(text), 0}, {around, 2}}) {
    const Decoded read = decode_utf8(whole, static_cast<std::size_t>(at));
    EXPECT_TRUE(read.valid) << static_cast<unsigned>(code);
    EXPECT_EQ(read.code, code);
    EXPECT_EQ(read.length, text.size());
  }
}

// `length`: of the piece that one U+FFFD stands for.
void expect_invalid(std::string_view text, std::size_t length) {
  const Decoded read = decode_utf8(text, 0);
  EXPECT_FALSE(read.valid) << text.size();
  EXPECT_EQ(read.code, kReplacement);
  EXPECT_EQ(read.length, length);
}

TEST(DecodeUtf8, ReadsTheFirstAndTheLastOfEachLength) {
  expect_valid(std::string_view("\0", 1), 0);
  expect_valid("\x7f", 0x7f);
  expect_valid("\xc2\x80", 0x80);
  expect_valid("\xdf\xbf", 0x7ff);
  expect_valid("\xe0\xa0\x80", 0x800);
  expect_valid("\xe1\x80\x80", 0x1000);
  expect_valid("\xed\x9f\xbf", 0xd7ff);
  expect_valid("\xee\x80\x80", 0xe000);
  expect_valid("\xef\xbf\xbf", 0xffff);
  expect_valid("\xf0\x90\x80\x80", 0x10000);
  expect_valid("\xf1\x80\x80\x80", 0x40000);
  expect_valid("\xf3\xbf\xbf\xbf", 0xfffff);
  expect_valid("\xf4\x8f\xbf\xbf", 0x10ffff);
}

TEST(DecodeUtf8, RefusesLongerFormsSurrogatesAndWhatIsTooLarge) {
  expect_invalid("\x80", 1);
  expect_invalid("\xbf\x80", 1);
  expect_invalid("\xc0\x80", 1);
  expect_invalid("\xc1\xbf", 1);
  expect_invalid("\xe0\x9f\xbf", 1);
  expect_invalid("\xed\xa0\x80", 1);
  expect_invalid("\xf0\x8f\xbf\xbf", 1);
  expect_invalid("\xf4\x90\x80\x80", 1);
  expect_invalid("\xf5\x80\x80\x80", 1);
  expect_invalid("\xff", 1);
}

TEST(DecodeUtf8, EndsAPieceWhereItBreaks) {
  expect_invalid("\xc3", 1);
  expect_invalid("\xc3(", 1);
  expect_invalid("\xc3\xc3", 1);
  expect_invalid("\xe4\xbb", 2);
  expect_invalid("\xe4\xbb\x7f", 2);
  expect_invalid("\xf0\x9f\x98", 3);
  expect_invalid("\xf0\x9f\x98\xc0", 3);
  // The narrow bounds are of the second byte alone.
  expect_valid("\xe0\xbf\x80", 0xfc0);
  expect_valid("\xed\x80\xbf", 0xd03f);
  expect_valid("\xf4\x80\xbf\x80", 0x100fc0);
  expect_valid("\xf0\xbf\x80\x80", 0x3f000);
}

}  // namespace
}  // namespace heed
