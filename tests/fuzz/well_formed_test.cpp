// The strict reader must itself see what is wrong, or no target that writes markup would.
#include "well_formed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../support/throws.h"
#include "checks.h"

namespace heed::fuzz {
namespace {

using testing::HasSubstr;

TEST(WellFormed, GivesTagsTextsAndScripts) {
  const Markup page = read_html(
      "<!DOCTYPE html><html>\n<input disabled><p title=\"&lt;a&gt;\" id=\"b\">x &amp; &#39;y&quot;"
      "</p><br/><script>if (a<b) c</script><style>p{}</style></html>\n");
  EXPECT_EQ(page.tags,
            "html\ninput disabled\np title id\n/p\nbr\nscript\n/script\nstyle\n/style\n/html\n");
  EXPECT_THAT(page.text, HasSubstr("<a>\nb\nx & 'y\""));
  EXPECT_EQ(page.scripts, std::vector<std::string>{"if (a<b) c"});
  EXPECT_EQ(read_xml("<a><b c=\"\"/></a>").tags, "a\nb c\n/a\n");
}

TEST(WellFormed, RefusesWhatXmlForbids) {
  const std::string_view refused[][2] = {
      {"x<p></p>", "text stands within an element"},
      {"<p></p><p></p>", "one outermost element"},
      {"<p><b></p></b>", "what ends is what began last"},
      {"<p>", "every element ends"},
      {"<p>></p>", "brackets are escaped"},
      {"<p a=\"<\"></p>", "brackets are escaped"},
      {"<p>&</p>", "an ampersand begins an entity"},
      {"<p>&nbsp;</p>", "an ampersand begins an entity"},
      {"<>", "a name stands where one must"},
      {"<p a=\"\"b=\"\"></p>", "a blank stands before an attribute"},
      {"<p a=\"\" a=\"\"></p>", "an attribute stands once"},
      {"<p a=\"></p>", "a quoted value ends"},
      {"<p a></p>", "markup is as it must be"},
      {"<p>\xFF</p>", "markup is UTF-8"},
      {"<p>1234567\x01</p>", "no control character is left"},
      {"<p>1234567\x1F</p>", "no control character is left"},
      {"<p>1234567\x7F</p>", "XML allows each character"},
      {"<p>12345678\xC2\x85</p>", "XML allows each character"},
      {"<p>\xEF\xBF\xBE</p>", "XML allows each character"},
  };
  for (const auto& [text, why] : refused) {
    EXPECT_TRUE(throws_with<BrokenPromise>(why, [&text = text] { read_xml(text); })) << text;
  }
}

// Among plain ones, at each place of a word that is looked at as a whole.
TEST(WellFormed, SeesEachByteWhereverItStands) {
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t at = 0; at < 17; ++at) {
      std::string text(17, 'x');
      text[at] = static_cast<char>(byte);
      const bool plain = (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t';
      bool accepted = true;
      try {
        require_characters(text);
      } catch (const BrokenPromise&) {
        accepted = false;
      }
      EXPECT_EQ(accepted, plain) << byte << " at " << at;
    }
  }
}

TEST(WellFormed, RefusesWhatHtmlForbids) {
  const std::string_view refused[][2] = {
      {"<html></html>", "markup is as it must be"},
      {"<!DOCTYPE html><script>", "a script ends"},
      {"<!DOCTYPE html><script><!--</script>", "a script opens no comment"},
      {"<!DOCTYPE html><p></p>x", "text stands within an element"},
  };
  for (const auto& [text, why] : refused) {
    EXPECT_TRUE(throws_with<BrokenPromise>(why, [&text = text] { read_html(text); })) << text;
  }
}

}  // namespace
}  // namespace heed::fuzz
