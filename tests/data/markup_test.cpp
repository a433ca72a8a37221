#include "../../data/markup.h"

#include <gtest/gtest.h>

#include <string>

namespace heed::data {
namespace {

TEST(Markup, KnowsSimpleTags) {
  EXPECT_EQ(tag_at("<br />", 0).length, 6U);
  EXPECT_EQ(tag_at("a<BR>b", 1).length, 4U);
  EXPECT_EQ(tag_at("</i>", 0).length, 4U);
  EXPECT_EQ(tag_at("<h2>", 0).length, 4U);
  EXPECT_EQ(tag_at("<a href=\"x\">y", 0).length, 12U);
  EXPECT_TRUE(tag_at("<br />", 0).ends_line);
  EXPECT_TRUE(tag_at("</P>", 0).ends_line);
  EXPECT_FALSE(tag_at("<i>", 0).ends_line);
}

TEST(Markup, LeavesOtherAngleBracketsAlone) {
  for (const std::string text :
       {"<", "<>", "<3", "<sigh>", "<b and c>", "<b", "<b <i>", "< b>", "</>", "<b,c=1>"}) {
    EXPECT_EQ(tag_at(text, 0).length, 0U) << text;
  }
  EXPECT_EQ(tag_at("<a b=" + std::string(1000, 'x') + ">", 0).length, 0U);
  EXPECT_EQ(tag_at("<a b=" + std::string(250, 'x') + ">", 0).length, 256U) << "the longest";
  EXPECT_EQ(tag_at("<a b=" + std::string(251, 'x') + ">", 0).length, 0U);
  for (const std::string text : {"<b\t>", "<b\r\n/>", "<B/>", "</h6 >", "<b\nx=1>", "<i =>"}) {
    const bool known = text != "</h6 >";  // of headings the first four
    EXPECT_EQ(tag_at(text, 0).length, known ? text.size() : 0U) << text;
  }
  for (const std::string text :
       {"<1b>", "<h>", "<bx=1>", "<//b>", "<b/x>", "<[>", "<`>", "<{b>", "<@>"}) {
    EXPECT_EQ(tag_at(text, 0).length, 0U) << text;
  }
}

}  // namespace
}  // namespace heed::data
