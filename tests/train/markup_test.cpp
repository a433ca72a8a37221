#include "../../train/markup.h"

#include <gtest/gtest.h>

namespace heed::train {
namespace {

TEST(Markup, IsEscaped) {
  EXPECT_EQ(escape_markup("<b a=\"1\" c='2'>&</b>"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
  EXPECT_EQ(escape_markup("naïve 中文 😀\n\tx"), "naïve 中文 😀\n\tx");
}

TEST(Markup, ControlCharactersAreDropped) {
  using namespace std::string_view_literals;
  EXPECT_EQ(escape_markup("a\0b\x1b\x7f"
                          "c\xc2\x85"
                          "d\xc2\xa0"sv),
            "abcd\xc2\xa0");
}

TEST(Markup, WhatIsNotUtf8IsReplaced) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(escape_markup("a\xff"
                          "b"),
            "a" + mark + "b");
  EXPECT_EQ(escape_markup("\xc0\xaf"), mark + mark);             // overlong
  EXPECT_EQ(escape_markup("\xed\xa0\x80"), mark + mark + mark);  // a surrogate
  EXPECT_EQ(escape_markup("\xf4\x90\x80\x80"), mark + mark + mark + mark);
  EXPECT_EQ(escape_markup("x\xe4\xb8"), "x" + mark);  // cut
  EXPECT_EQ(escape_markup("\xe4<\xad"), mark + "&lt;" + mark);
  EXPECT_EQ(escape_markup("a\uFFFE\uFFFF"), "a" + mark + mark);  // none of XML's characters
}

}  // namespace
}  // namespace heed::train
