#include "../../data/bitmap_font.h"

#include <gtest/gtest.h>

#include <string>

namespace heed::data {
namespace {

// Rows from above, joined by '/'.
template <class Columns>
std::string shown(const Columns& columns, int height) {
  std::string out;
  for (int row = 0; row < height; ++row) {
    for (const auto column : columns) out += (column >> row & 1) != 0 ? '#' : '.';
    if (row + 1 < height) out += '/';
  }
  return out;
}
std::string small(char character) { return shown(glyph(character), kGlyphHeight); }
std::string tall(char32_t character) { return shown(tall_glyph(character), kTallGlyphHeight); }

TEST(BitmapFont, ShowsAscii) {
  EXPECT_EQ(small('A'), "..#../.#.#./#...#/#...#/#####/#...#/#...#/.....");
  EXPECT_EQ(small('!'), "..#../..#../..#../..#../..#../...../..#../.....");
  EXPECT_EQ(small(' '), "...../...../...../...../...../...../...../.....");
  EXPECT_NE(small('~'), small('?'));
  for (const char none : {'\x1F', '\x7F', '\0', '\xE4'}) EXPECT_EQ(small(none), small('?'));
}

TEST(BitmapFont, PutsMarksAboveLettersAndWithinThem) {
  EXPECT_EQ(tall(U'A'), "...../...../...../..#../.#.#./#...#/#...#/#####/#...#/#...#/.....");
  EXPECT_EQ(tall(U'\u00C4'), "...../.#.#./...../..#../.#.#./#...#/#...#/#####/#...#/#...#/.....");
  EXPECT_EQ(tall(U'\u00E5'), "...../...../..#../.#.#./..#../.##../...#./.###./#..#./.####/.....");
  EXPECT_EQ(tall(U'\u00E7'), "...../...../...../...../...../.###./#...#/#..../#...#/.###./.##..");
  EXPECT_EQ(tall(U'\u00F8'), "...../...../...../...../...../.####/#..##/#.#.#/##..#/####./.....");
  EXPECT_EQ(tall(U'\u0142'), "...../...../...../.##../..#../..##./..#../.##../..#../.###./.....");
  EXPECT_EQ(tall(U'\u0129'), "...../...../.##.#/#..#./...../.##../..#../..#../..#../.###./.....");
}

TEST(BitmapFont, TakesWhatLooksTheSame) {
  for (const char32_t dash : {0x2010, 0x2013, 0x2015, 0x2212}) EXPECT_EQ(tall(dash), tall(U'-'));
  for (const char32_t quote : {0x2018, 0x2019}) EXPECT_EQ(tall(quote), tall(U'\''));
  for (const char32_t quote : {0x201C, 0x201D}) EXPECT_EQ(tall(quote), tall(U'"'));
  EXPECT_EQ(tall(0xA0), tall(U' '));
  EXPECT_EQ(tall(0x2581), tall(U'_'));
  const std::string box = tall(0x4E2D);
  for (const char32_t none : {0x1F, 0x7F, 0x9F, 0xBE, 0x180, 0x200F, 0x2016, 0x201B, 0x2580}) {
    EXPECT_EQ(tall(none), box) << static_cast<unsigned>(none);
  }
  for (const char32_t known : {0x20AC, 0x2026, 0x17F, 0xC0, 0xDE}) EXPECT_NE(tall(known), box);
}

// Of all letters that have a mark the dots, as they were drawn once (FNV-1a).
TEST(BitmapFont, NoLetterChangesByChance) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (char32_t code = 0x20; code < 0x180; ++code) {
    for (const std::uint16_t column : tall_glyph(code)) sum = (sum ^ column) * 0x100000001b3;
  }
  EXPECT_EQ(sum, 12531510948076957673u);
}

}  // namespace
}  // namespace heed::data
