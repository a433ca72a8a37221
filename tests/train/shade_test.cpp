#include "../../train/shade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;

const AttendedText kText = {
    {0.75, {{"never", 0.5}, {"mind", 0.25}, {"it", 0.125}, {".", 0.0}}, true},
    {0.25, {{"so", 0.5}, {"what", 0.5}}, false},
};

TEST(Shade, MarksWhereThereAreNoColours) {
  EXPECT_EQ(shade(kText, ShadeStyle::marks),
            " 75% * [[never]] [mind] it.\n"
            " 25%   [so] [what]\n");
}

TEST(Shade, ColoursFollowTheWeights) {
  const std::string full = shade(kText, ShadeStyle::true_colour);
  EXPECT_THAT(full, HasSubstr("\x1b[30;48;2;255;140;0mnever\x1b[0m"));
  EXPECT_THAT(full, HasSubstr("\x1b[30;48;2;255;192;112mmind\x1b[0m"));
  EXPECT_THAT(full, HasSubstr("it\x1b[0m.\n"));
  EXPECT_THAT(shade(kText, ShadeStyle::colours256), HasSubstr("\x1b[30;48;5;208mnever\x1b[0m"));
  EXPECT_THAT(shade(kText, ShadeStyle::colours256), HasSubstr("\x1b[30;48;5;215mmind\x1b[0m"));
}

TEST(Shade, ATextCannotSpeakToTheTerminal) {
  const std::string out = shade({{1.0,
                                  {{"a\x1b[2Jb\r\n\x7f", 0.0},
                                   {"\xc2\x9b"
                                    "31mé",
                                    0.0}},
                                  false}},
                                ShadeStyle::marks);
  EXPECT_EQ(out, "100%   a[2Jb 31mé\n");
}

// Without the ESC between them C2 9B would be a command; so would 9B alone, to some terminals.
TEST(Shade, WhatIsDroppedJoinsNothing) {
  const AttendedText text = {{1.0,
                              {{"\xc2\x1b\x9b"
                                "2J",
                                0.0},
                               {"\x9b"
                                "2J",
                                0.0}},
                              false}};
  EXPECT_EQ(shade(text, ShadeStyle::marks), "100%   \uFFFD\uFFFD2J \uFFFD2J\n");
}

TEST(Shade, OddWeightsAreHarmless) {
  EXPECT_EQ(shade({}, ShadeStyle::true_colour), "");
  EXPECT_THAT(shade({{1.0, {{"x", NAN}, {"y", INFINITY}}, false}}, ShadeStyle::true_colour),
              Not(HasSubstr("\x1b")));
}

TEST(Shade, AFileGetsMarks) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(is_terminal(file));
  EXPECT_EQ(detect_shade_style(file), ShadeStyle::marks);
  std::fclose(file);
}

}  // namespace
}  // namespace heed::train
