#include "../../train/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../../train/chart.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Report, HoldsEverything) {
  Report report("Reviews <v1>");
  report.add_fact("accuracy & more", "0.96");
  report.add_chart(line_chart({{"training", {1, 2}, {0.7, 0.4}}}, {.title = "Loss"}));
  Confusion confusion(2);
  for (int i = 0; i < 7; ++i) confusion.add(0, i < 5 ? 0 : 1);
  confusion.add(1, 1);
  report.add_confusion(confusion, {"bad", "good"});
  report.add_document({"good",
                       "bad",
                       0.75,
                       {{0.75, {{"never", 0.5}, {"<script>", 0.25}, {"!", 0.0}}, true},
                        {0.25, {{"x", 0.125}}, false}}});
  const std::string html = report.html();
  EXPECT_THAT(html, HasSubstr("<h1>Reviews &lt;v1&gt;</h1>"));
  EXPECT_THAT(html, HasSubstr("<dt>accuracy &amp; more</dt><dd>0.96</dd>"));
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("8 documents; accuracy 0.750"));
  EXPECT_THAT(html, HasSubstr("title=\"71.4% of bad\">5</td>"));
  EXPECT_THAT(html,
              HasSubstr("--a:1.00\" title=\"word 0.500 × sentence 0.750 = 0.375\">never</span>"));
  EXPECT_THAT(
      html,
      HasSubstr("--a:0.50\" title=\"word 0.250 × sentence 0.750 = 0.188\">&lt;script&gt;</span>!"));
  EXPECT_THAT(html, HasSubstr("<div class=\"s proof\">"));
  EXPECT_THAT(html, HasSubstr("<b>bad</b><span class=\"soft\">75.0%</span>"));
  EXPECT_THAT(html, HasSubstr("true label: <strong>good</strong>"));
  EXPECT_THAT(html, HasSubstr("only where the model is wrong"));
}

TEST(Report, NeedsNoNetworkAndRunsNothing) {
  Report report("x");
  report.add_chart(line_chart({{"a", {1}, {1}}}, {}));
  report.add_document({"", "good", 0.5, {{1.0, {{"word", 1.0}}, false}}});
  std::string html = report.html();
  const std::string svg_name = "http://www.w3.org/2000/svg";  // a name, not an address
  html.erase(html.find(svg_name), svg_name.size());
  for (const char* part : {"http", "src=", "href=", "@import", "url(", "<script", "<link"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

TEST(Report, EmptyAndOddOnesAreWellFormed) {
  Report report("");
  EXPECT_THAT(report.html(), testing::EndsWith("</main></body></html>\n"));
  report.add_document({"a", "a", NAN, {}});
  report.add_document({"a", "a", 1.0, {{NAN, {{"\xff", NAN}}, false}, {0.0, {}, false}}});
  EXPECT_THAT(report.html(), testing::EndsWith("</main></body></html>\n"));
  EXPECT_THAT(report.html(), Not(HasSubstr("--a:nan")));
  EXPECT_THAT(report.html(), Not(HasSubstr("only where the model is wrong")));
  EXPECT_ERROR(ValueError, "report: 2 class names for a confusion matrix of 3",
               report.add_confusion(Confusion(3), {"a", "b"}));
}

TEST(Report, IsSavedAtomically) {
  const TemporaryFolder folder;
  const Report report("x");
  report.save(folder / "report.html");
  EXPECT_EQ(TemporaryFolder::get(folder / "report.html"), report.html());
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_THROW(report.save(folder / "no/report.html"), IoError);
}

TEST(Report, CanBeWatchedWhileItGrows) {
  const TemporaryFolder folder;
  Report report("run");
  EXPECT_THAT(report.html(), Not(HasSubstr("http-equiv")));
  report.refresh(7);
  for (int epoch = 1; epoch <= 3; ++epoch) {
    report.set_fact("epoch", std::to_string(epoch));
    report.set_chart("loss", "<svg>" + std::to_string(epoch) + "</svg>");
    report.save(folder / "report.html");
  }
  report.add_fact("epoch", "more");
  const std::string page = TemporaryFolder::get(folder / "report.html");
  EXPECT_THAT(page, HasSubstr("<meta http-equiv=\"refresh\" content=\"7\">"));
  EXPECT_THAT(page, HasSubstr("<dd>3</dd>"));
  EXPECT_THAT(page, Not(HasSubstr("<dd>2</dd>")));
  EXPECT_THAT(page, HasSubstr("<svg>3</svg>"));
  EXPECT_THAT(page, Not(HasSubstr("<svg>1</svg>")));
  EXPECT_THAT(report.html(), HasSubstr("<dd>more</dd>"));
  report.refresh(0);
  EXPECT_THAT(report.html(), Not(HasSubstr("http-equiv")));
  EXPECT_THROW(report.refresh(-1), ValueError);
}

}  // namespace
}  // namespace heed::train
