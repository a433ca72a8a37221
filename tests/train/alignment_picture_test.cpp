#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../data/bitmap_font.h"
#include "../../train/alignment.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;

// Words of three letters make labels of 36 dots.
constexpr Index kLeft = 14 + 36 + 8, kTop = 14 + 36 + 8, kCell = 26;
constexpr Colour kWhite = {255, 255, 255}, kFull = {168, 67, 0};

Alignment alignment() {
  return {"",
          {"eins", "abc", "xyz"},
          {"def", "uvw"},
          Array::from<double>({0.4, 0.2, -3, NAN, 0, 0.1}, {2, 3})};
}

Colour square(const Picture& picture, Index row, Index column, Index top = kTop + 12) {
  return picture.at(kLeft + column * kCell + kCell / 2, top + row * kCell + kCell / 2);
}

Index inked(const Picture& picture, Index x, Index y, Index width, Index height) {
  Index count = 0;
  for (Index down = y; down < y + height; ++down) {
    for (Index right = x; right < x + width; ++right) {
      count += picture.at(right, down) == Colour{32, 32, 32} ? 1 : 0;
    }
  }
  return count;
}

TEST(AlignmentPicture, ShadesUpToTheLargestWeight) {
  const Picture picture = alignment_picture(alignment());
  EXPECT_EQ(square(picture, 0, 0), kFull);
  EXPECT_EQ(square(picture, 0, 1), (Colour{212, 161, 128}));
  EXPECT_EQ(square(picture, 0, 2), kWhite);
  EXPECT_EQ(square(picture, 1, 0), kWhite);
  EXPECT_EQ(square(picture, 1, 1), kWhite);
  EXPECT_EQ(square(picture, 1, 2), (Colour{233, 208, 191}));
}

TEST(AlignmentPicture, HasWordsAtItsSidesAndATitle) {
  const Picture plain = alignment_picture(alignment());
  EXPECT_GT(inked(plain, 14, kTop + 12, 36, kCell), 50);     // def
  EXPECT_GT(inked(plain, kLeft, 14, kCell, 48), 50);         // eins, upwards
  EXPECT_EQ(inked(plain, kLeft + kCell, 14, kCell, 12), 0);  // abc is shorter
  EXPECT_GT(inked(plain, kLeft + kCell, 26, kCell, 36), 50);
  Alignment titled = alignment();
  titled.title = "title";
  const Picture with = alignment_picture(titled);
  EXPECT_EQ(with.height(), plain.height() + 30);
  EXPECT_EQ(square(with, 0, 0, kTop + 12 + 30), kFull);
  EXPECT_GT(inked(with, 14, 14, 60, 22), 50);
}

TEST(AlignmentPicture, OneByOneAndManyWords) {
  const Picture one = alignment_picture({"", {"a"}, {"b"}, Array::full({1, 1}, 1, DType::f32)});
  EXPECT_EQ(one.at(14 + 12 + 8 + 13, 14 + 12 + 8 + 13), kFull);
  const Picture many =
      alignment_picture({"", std::vector<std::string>(61, "Wort"),
                         std::vector<std::string>(59, "word"), Array::zeros({59, 61}, DType::f32)});
  EXPECT_EQ(many.width(), 14 + 48 + 8 + 61 * kCell + 14);
  EXPECT_EQ(many.height(), 14 + 48 + 8 + 59 * kCell + 8 + 22 + 14);
}

TEST(AlignmentPicture, MarksStandAboveTheirLetters) {
  const auto a = data::tall_glyph(U'a'), umlaut = data::tall_glyph(U'\u00E4'),
             capital = data::tall_glyph(U'\u00C4');
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i], data::glyph('a')[i] << 3);
    EXPECT_EQ(umlaut[i], a[i] | (i % 2 ? 8 : 0)) << i;  // two dots in row 3
    EXPECT_EQ(capital[i], data::tall_glyph(U'A')[i] | (i % 2 ? 2 : 0)) << i;
  }
  // The dot of an i gives way to the mark; that of the dotless i to nothing.
  EXPECT_EQ(data::tall_glyph(U'\u0131')[2], data::tall_glyph(U'i')[2] & ~8);
  EXPECT_EQ(data::tall_glyph(U'\u00EF')[1] & 8, 8);
  EXPECT_EQ(data::tall_glyph(U'\u201D'), data::tall_glyph(U'"'));
  EXPECT_EQ(data::tall_glyph(U'\u2581'), data::tall_glyph(U'_'));
  EXPECT_EQ(data::tall_glyph(U'\u4E2D'), data::tall_glyph(U'\u0416'));  // boxes
  EXPECT_EQ(data::tall_glyph(U'\u017E')[2], data::tall_glyph(U'z')[2] | 8);
  EXPECT_EQ(data::tall_glyph(U'\0'), data::tall_glyph(U'\U0010FFFF'));
}

TEST(AlignmentPicture, EuropeanLettersAreDrawn) {
  const auto box = data::tall_glyph(U'\uFFFD');
  for (char32_t c = 0xC0; c < 0x180; ++c) {
    EXPECT_NE(data::tall_glyph(c), box) << static_cast<unsigned>(c);
  }
}

TEST(AlignmentSvg, NamesWordsAndWeights) {
  const std::string svg = alignment_svg(alignment());
  EXPECT_THAT(svg, testing::StartsWith("<svg class=\"ha\" xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"1.000\"><title>def – eins: 0.4</title>"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.500\"><title>def – abc: 0.2</title>"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.000\"><title>def – xyz: 0</title>"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.000\"><title>uvw – eins: 0</title>"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.250\"><title>uvw – xyz: 0.1</title>"));
  EXPECT_THAT(svg, HasSubstr("full shade: 0.4<"));
  EXPECT_THAT(svg, HasSubstr("rotate(-45)\">eins</text>"));
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"end\">uvw</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(AlignmentSvg, EscapesWords) {
  const std::string svg = alignment_svg(
      {"</title><script>", {"<b>&\x01"}, {"\"\u4E2D\xff"}, Array::full({1, 1}, 1, DType::f32)});
  EXPECT_THAT(svg, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>&quot;\u4E2D\uFFFD – &lt;b&gt;&amp;: 1</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  const std::string cut =
      alignment_svg({"", {std::string(10000, 'x')}, {"y"}, Array::full({1, 1}, 1, DType::f32)});
  EXPECT_THAT(cut, HasSubstr(">" + std::string(23, 'x') + "…</text>"));
}

}  // namespace
}  // namespace heed::train
