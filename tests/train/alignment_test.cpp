#include "../../train/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../data/temporary_file.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;

Alignment alignment() {
  return {"two words",
          {"das", "weiße", "Haus"},
          {"the", "house"},
          Array::from<float>({0.8F, 0.3F, NAN, -1, 0.02F, 0.5F}, {2, 3})};
}

TEST(AlignmentText, IsBlocksBelowWordsThatAreWrittenDownwards) {
  EXPECT_EQ(alignment_text(alignment(), ShadeStyle::marks),
            "two words\n"
            "         w\n"
            "         e H\n"
            "       d i a\n"
            "       a ß u\n"
            "       s e s\n"
            "  the  ██▒▒·\n"
            "house  · · ▓▓\n"
            "       ░▒▓█ quarters of 0.8\n");
}

TEST(AlignmentText, IsShadedWordsWhereThereAreColours) {
  EXPECT_EQ(alignment_text(alignment(), ShadeStyle::true_colour),
            "two words\n"
            "  the  \x1b[30;48;2;255;140;0mdas\x1b[0m "
            "\x1b[30;48;2;255;204;140mweiße\x1b[0m Haus\n"
            "house  das weiße \x1b[30;48;2;255;179;84mHaus\x1b[0m\n");
}

TEST(AlignmentText, LongSentencesGetBlocksAndVeryLongOnesNarrowBlocks) {
  const auto of = [](std::size_t columns) {
    return alignment_text({"",
                           std::vector<std::string>(columns, "wort"),
                           {"a"},
                           Array::full({1, static_cast<Index>(columns)}, 0.1, DType::f64)},
                          ShadeStyle::colours256);
  };
  EXPECT_THAT(of(19), HasSubstr("\x1b[30;48;5;208mwort\x1b[0m "));  // 98 columns
  EXPECT_THAT(of(23), Not(HasSubstr("\x1b")));
  EXPECT_THAT(of(23), testing::StartsWith("   w w "));
  EXPECT_THAT(of(53), testing::StartsWith("   wwww"));
}

TEST(AlignmentText, AWordCannotSpeakToTheTerminal) {
  const Alignment hostile = {"a\x1b[2J\r",
                             {"x\x1b]0;y\x07\u202E\u2028", "\xff", "e\u0301"},
                             {"\u9b3c\u200b", "Donaudampfschifffahrt"},
                             Array::from<double>({1, 0, 0, 0, 1, 0}, {2, 3})};
  EXPECT_EQ(alignment_text(hostile, ShadeStyle::marks),
            "a[2J\n"
            "                  x\n"
            "                  ]\n"
            "                  0\n"
            "                  ;\n"
            "                  y \uFFFD e\u0301\n"
            "              \u9b3c  ██· ·\n"
            "Donaudampfschif…  · ██·\n"
            "                  ░▒▓█ quarters of 1\n");
}

TEST(AlignmentText, WithoutAnyWeightNothingIsShaded) {
  const Alignment nothing = {"", {"a"}, {"b"}, Array::full({1, 1}, INFINITY, DType::f32)};
  EXPECT_EQ(alignment_text(nothing, ShadeStyle::true_colour), "b  a\n");
  EXPECT_EQ(alignment_text(nothing, ShadeStyle::marks), "   a\nb  ·\n   ░▒▓█ quarters of 0\n");
}

TEST(Alignment, SaysWhatIsWrong) {
  Alignment wrong = alignment();
  wrong.weights = Array::zeros({3, 2}, DType::f32);
  EXPECT_ERROR(ShapeError,
               "alignment_text: weights must be [rows, columns], one or more, with a word each: "
               "f32[3, 2] for 2 and 3 words",
               alignment_text(wrong, ShadeStyle::marks));
  EXPECT_ERROR_WITH(ShapeError, "alignment_picture: weights must be [rows, columns]",
                    alignment_picture(wrong));
  wrong.weights = Array::zeros({6}, DType::f64);
  EXPECT_ERROR_WITH(ShapeError, "f64[6] for 2 and 3 words", alignment_svg(wrong));
  wrong.weights = Array::zeros({2, 3}, DType::i64);
  EXPECT_ERROR(DTypeError, "alignment_svg: weights must be f32 or f64, not i64[2, 3]",
               alignment_svg(wrong));
  wrong.weights = Array();
  EXPECT_ERROR(DTypeError, "alignment_picture: weights must be f32 or f64, not undefined",
               alignment_picture(wrong));
  const Alignment none = {"", {}, {"a"}, Array::zeros({1, 0}, DType::f32)};
  EXPECT_ERROR_WITH(ShapeError, "f32[1, 0] for 1 and 0 words",
                    alignment_text(none, ShadeStyle::marks));
}

}  // namespace
}  // namespace heed::train
