#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "../../core/error.h"
#include "../../train/alignment.h"
#include "../data/temporary_file.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string data_of(const std::string& page) {
  constexpr std::string_view kOpen = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(kOpen) + kOpen.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(AlignmentPage, HoldsWordsAndWeights) {
  const std::string page = alignment_page(
      "A & B", {{{"das", "Haus"},
                 {"the", "white", "house"},
                 {{"layer 1", Array::from<double>({0.5, 1.0 / 3, 1e-9, NAN, -2, 1}, {3, 2})},
                  {"layer 2", Array::full({3, 2}, 0.25, DType::f32)}}},
                {{"ja"}, {"yes"}, {}}});
  EXPECT_EQ(data_of(page),
            R"([{"source":["das","Haus"],"target":["the","white","house"],"matrices":[)"
            R"({"name":"layer 1","weights":[0.5,0.333,0,0,0,1]},)"
            R"({"name":"layer 2","weights":[0.25,0.25,0.25,0.25,0.25,0.25]}]},)"
            "\n"
            R"({"source":["ja"],"target":["yes"],"matrices":[]}])");
  EXPECT_THAT(page, HasSubstr("<h1>A &amp; B</h1>"));
  EXPECT_THAT(page, HasSubstr("<b>1</b><span class=\"soft\">2 → 3 words</span>"));
  EXPECT_THAT(page, HasSubstr("<b>2</b><span class=\"soft\">1 → 1 words</span>"));
  EXPECT_THAT(page, testing::EndsWith("</script>\n</main></body></html>\n"));
}

TEST(AlignmentPage, NeedsNoNetwork) {
  const std::string page = alignment_page("t", {});
  EXPECT_EQ(data_of(page), "[]");
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none';"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme:dark"));
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(AlignmentPage, WordsCannotLeaveTheData) {
  using namespace std::string_view_literals;
  const Array one = Array::full({1, 1}, 1, DType::f32);
  const std::string page = alignment_page(
      "</title></head><script>", {{{std::string("</script><!--\0\x1b\"\\\u2028\u2029\xff"sv)},
                                   {"a\nb\u0085\u00e4\uFFFE"},
                                   {{"<i>&'", one}}}});
  EXPECT_EQ(data_of(page), R"([{"source":["\u003c/script\u003e\u003c!--\u0022\u005c\u2028\u2029)"
                           "\uFFFD\"],\"target\":[\"ab\u00e4\\ufffe\"],"
                           R"("matrices":[{"name":"\u003ci\u003e\u0026'","weights":[1]}]}])");
  EXPECT_THAT(page, HasSubstr("<h1>&lt;/title&gt;&lt;/head&gt;&lt;script&gt;</h1>"));
}

TEST(AlignmentPage, SaysWhatIsWrong) {
  EXPECT_ERROR(ShapeError,
               "alignment_page: weights must be [rows, columns], one or more, with a word each: "
               "f32[2, 1] for 1 and 2 words",
               alignment_page("", {{{"a", "b"}, {"c"}, {{"", Array::zeros({2, 1}, DType::f32)}}}}));
  EXPECT_ERROR(DTypeError, "alignment_page: weights must be f32 or f64, not bool[1, 1]",
               alignment_page("", {{{"a"}, {"c"}, {{"", Array::zeros({1, 1}, DType::boolean)}}}}));
}

}  // namespace
}  // namespace heed::train
