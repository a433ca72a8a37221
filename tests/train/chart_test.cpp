#include "../../train/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pointwise;

TEST(Chart, TicksAreRound) {
  EXPECT_THAT(nice_ticks(0.0, 10.0, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(nice_ticks(0.83, 0.97, 3),
              Pointwise(testing::DoubleEq(), {0.8, 0.85, 0.9, 0.95, 1.0}));
  EXPECT_THAT(nice_ticks(-3.0, 41.0, 5), ElementsAre(-10, 0, 10, 20, 30, 40, 50));
  EXPECT_THAT(nice_ticks(7.0, 7.0, 5), ElementsAre(7));
  EXPECT_THAT(nice_ticks(1.0, std::nextafter(1.0, 2.0), 5), ElementsAre(1));
  EXPECT_EQ(nice_ticks(-1e308, 1e308, 5).size(), 5U);
  EXPECT_EQ(nice_ticks(-1.7e308, 1.7e308, 5).size(), 1U);
  EXPECT_THROW(nice_ticks(1.0, 0.0, 5), ValueError);
  EXPECT_THROW(nice_ticks(0.0, NAN, 5), ValueError);
  EXPECT_THROW(nice_ticks(0.0, 1.0, 0), ValueError);
}

TEST(Chart, DrawsEverySeries) {
  const std::string svg =
      line_chart({{"training", {1, 2, 3}, {0.7, 0.4, 0.3}}, {"<held out>", {1, 3}, {0.8, 0.5}}},
                 {.title = "Loss & more", .x_label = "epoch", .y_label = "nats"});
  EXPECT_THAT(svg, testing::StartsWith("<svg"));
  EXPECT_THAT(svg, testing::EndsWith("</svg>"));
  EXPECT_THAT(svg, HasSubstr("Loss &amp; more"));
  EXPECT_THAT(svg, HasSubstr("&lt;held out&gt;"));
  EXPECT_THAT(svg, HasSubstr(">epoch</text>"));
  EXPECT_THAT(svg, HasSubstr(">nats</text>"));
  EXPECT_THAT(svg, HasSubstr(">0.8</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>training 2: 0.4</title>"));
  EXPECT_THAT(svg, Not(HasSubstr(">1.5</text>")));  // epochs are whole
}

TEST(Chart, NothingHasNoSign) {
  const std::string svg = line_chart({{"a", {-0.0, 1}, {-0.0, -20}}}, {});
  EXPECT_THAT(svg, HasSubstr("<title>a 0: 0</title>"));
  EXPECT_THAT(svg, Not(HasSubstr(">-0<")));
}

TEST(Chart, ManyNamesTakeAnotherRow) {
  std::vector<Series> lines(5);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = {"series " + std::string(7, static_cast<char>('a' + i)), {1, 2}, {3, 5}};
  }
  const std::string svg = line_chart(lines, {});
  EXPECT_THAT(svg, HasSubstr(R"(y="43">series aaaaaaa</text>)"));
  EXPECT_THAT(svg, HasSubstr(R"(y="43">series ccccccc</text>)"));
  EXPECT_THAT(svg, HasSubstr(R"(<text x="90" y="59">series ddddddd</text>)"));
}

TEST(Chart, BreaksWhereAValueIsNotFinite) {
  const std::string svg = line_chart({{"loss", {1, 2, 3, 4, 5}, {1, 2, NAN, INFINITY, 3}}}, {});
  const std::size_t path = svg.find("<path d=\"");
  const std::string data = svg.substr(path, svg.find('"', path + 9) - path);
  EXPECT_EQ(std::count(data.begin(), data.end(), 'M'), 2);
  EXPECT_EQ(std::count(data.begin(), data.end(), 'L'), 1);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Chart, EmptyAndFlatSeriesAreDrawn) {
  for (const std::vector<Series>& series :
       {std::vector<Series>{}, std::vector<Series>{{"none", {}, {}}},
        std::vector<Series>{{"one", {1}, {0.5}}}, std::vector<Series>{{"flat", {1, 2}, {0, 0}}},
        std::vector<Series>{{"nan", {1, 2}, {NAN, NAN}}}}) {
    const std::string svg = line_chart(series, {});
    EXPECT_THAT(svg, testing::EndsWith("</svg>"));
    EXPECT_THAT(svg, Not(HasSubstr("\"nan")));
    EXPECT_THAT(svg, Not(HasSubstr("\"inf")));
  }
}

TEST(Chart, TheLargestNumbersHavePlaces) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const double low : {-kMost, 0.0, kMost}) {
    const std::string svg = line_chart({{"all", {low, kMost}, {kMost, low}}}, {});
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(Chart, LongSeriesStaySmall) {
  Series series{"loss", {}, {}};
  for (int i = 0; i < 100'003; ++i) {
    series.x.push_back(i);
    series.y.push_back(1.0 / (i + 1));
  }
  EXPECT_LT(line_chart({series}, {}).size(), 20'000U);
}

TEST(Chart, WantsAsManyXAsY) {
  EXPECT_ERROR(ValueError, "line_chart: the series \"loss\" has 2 x and 1 y",
               line_chart({{"loss", {1, 2}, {1}}}, {}));
}

}  // namespace
}  // namespace heed::train
