#include "../../../data/generated/news.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace heed::data {
namespace {

using Words = std::vector<std::string>;

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class News : public testing::Test {
 protected:
  Generator generator{7};
  std::vector<NewsReport> reports = report_news(503, generator);
};

// Whoever is for it, in the report's order, and nobody else; the place.
TEST_F(News, HeadlinesListWhoIsForIt) {
  for (const NewsReport& report : reports) {
    Words listed;
    std::string place;
    for (std::size_t i = 0; i < report.words.size(); ++i) {
      const Words& sentence = report.words[i];
      EXPECT_EQ(sentence.back(), ".");
      const bool is_for = (has(sentence, "for") || has(sentence, "favour") ||
                           has(sentence, "yes") || has(sentence, "liked"));
      EXPECT_EQ(std::count(report.summary.begin(), report.summary.end(), static_cast<Index>(i)),
                i == 0 || is_for ? 1 : 0);
      for (std::size_t w = 0; w < sentence.size(); ++w) {
        if (!has(report.names, sentence[w])) continue;
        if (i == 0) place = sentence[w];
        if (is_for && (w == 0 || sentence[w - 1] != "of")) listed.push_back(sentence[w]);
      }
    }
    Words named;
    for (const std::string& word : report.title) {
      if (has(report.names, word)) named.push_back(word);
    }
    listed.push_back(place);
    EXPECT_EQ(named, listed);
    EXPECT_GE(report.words.size(), 3U);
    EXPECT_LE(report.words.size(), 10U);
  }
}

TEST_F(News, HeadlinesReadAsLists) {
  std::set<std::size_t> counts;
  for (const NewsReport& report : reports) {
    const Words& line = report.title;
    const auto people =
        static_cast<std::size_t>(std::find(line.begin(), line.end(), "for") - line.begin() + 1) / 2;
    counts.insert(people);
    for (std::size_t i = 1; i < people; ++i) {
      EXPECT_EQ(line[2 * i - 1], i + 1 == people ? "and" : ",");
    }
    EXPECT_EQ(line.size(), 2 * people + 4);
  }
  EXPECT_EQ(counts, (std::set<std::size_t>{1, 2, 3, 4, 5}));
}

// So that a vocabulary of the words that come often has none of them.
TEST_F(News, NamesHardlyComeTwice) {
  std::map<std::string, int> counts;
  for (const NewsReport& report : reports) {
    EXPECT_EQ(std::set<std::string>(report.names.begin(), report.names.end()).size(),
              report.names.size());
    for (const std::string& name : report.names) ++counts[name];
  }
  EXPECT_GT(counts.size(), 2000U);
  for (const auto& [name, count] : counts) EXPECT_LT(count, 4) << name;
}

TEST_F(News, AStreamGoesOn) {
  Generator again(7);
  std::vector<NewsReport> cut = report_news(200, again);
  const std::vector<NewsReport> rest = report_news(303, again);
  cut.insert(cut.end(), rest.begin(), rest.end());
  ASSERT_EQ(cut.size(), reports.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    EXPECT_EQ(cut[i].title, reports[i].title);
    EXPECT_EQ(cut[i].sentences, reports[i].sentences);
  }
}

}  // namespace
}  // namespace heed::data
