#include "../../data/articles.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using Words = std::vector<std::string>;

std::string line_of(const std::string& title, const std::string& paragraphs,
                    const std::string& summary) {
  return R"({"id": "a", "title": ")" + title + R"(", "paragraphs": [)" + paragraphs +
         R"(], "summary": ")" + summary + "\"}\n";
}
const std::string kGood =
    line_of("Cats Win", R"("The cats won. They ran.", "Dogs lost.")", "Dogs lost.The cats won.");

std::string error_of(const std::string& content) {
  const TemporaryFile file(content, "a.jsonl");
  const std::string message = message_of<Error>([&] { read_articles(file.path()); });
  return message.starts_with(file.folder()) ? message.substr(file.folder().size() + 1) : message;
}

TEST(Articles, AreSentencesATitleAndASummary) {
  const TemporaryFile file(gzip(kGood + "\n" + kGood), "bbc.jsonl.gz");
  for (const std::string& path : {file.path(), file.folder()}) {
    const auto read = read_articles(path);
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[1].sentences, (Words{"The cats won.", "They ran.", "Dogs lost."}));
    EXPECT_EQ(read[1].words[1], (Words{"they", "ran", "."}));
    EXPECT_EQ(read[1].title, (Words{"cats", "win"}));
    EXPECT_EQ(read[1].summary, (std::vector<Index>{2, 0}));
    EXPECT_EQ(read[1].chosen({2, 0}), (Words{"The cats won.", "Dogs lost."}));
    EXPECT_EQ(read[1].first_words(5), (Words{"the", "cats", "won", ".", "they"}));
    EXPECT_EQ(read[1].first_words(99).size(), 10U);
    EXPECT_EQ(read[1].length(), 3);
    EXPECT_ERROR(IndexError, "article: no sentence 3 of 3", read[1].chosen({0, 3}));
    EXPECT_ERROR(IndexError, "article: no sentence -1 of 3", read[1].chosen({-1}));
  }
}

TEST(Articles, WordsAreCounted) {
  Article article = read_article("A cat saw a dog. A dog ran.");
  article.title = {"a", "cow"};
  EXPECT_EQ(word_times(article), (std::vector<Index>{3, 1, 1, 3, 2, 2, 3, 2, 1, 2}));
  WordCounts counts;
  count_words(article, counts);
  count_words(article, counts);
  EXPECT_EQ(counts["a"], 8);
  EXPECT_EQ(counts["cow"], 2);
  EXPECT_EQ(counts["."], 4);
}

TEST(Articles, LongSentencesAreCut) {
  std::string longest;
  for (int i = 0; i < 61; ++i) longest += "dog ";
  EXPECT_EQ(read_article(longest).words[0].size(), kLongestSentence);
  EXPECT_EQ(read_article("* * *\nA dog.\n").sentences, Words{"A dog."});
}

TEST(Articles, SummariesAreFoundWithoutBlanksAndCase) {
  const Words sentences = {"It ran.", "Then it ran.", "\"Why?\"", "It ran.", "..."};
  EXPECT_EQ(extracted_sentences(sentences, "then IT ran.Why"), (std::vector<Index>{1, 2}));
  // The letters of one place are found once, those of another again.
  EXPECT_EQ(extracted_sentences(sentences, "It ran.Then it ran.It ran"),
            (std::vector<Index>{0, 1, 3}));
  EXPECT_TRUE(extracted_sentences(sentences, "else").empty());
  EXPECT_TRUE(extracted_sentences({}, "else").empty());
}

TEST(Articles, SummariesAreFoundByLettersAndDigitsAlone) {
  for (const auto& [sentence, summary] :
       std::vector<std::pair<std::string, std::string>>{{"A", "a"},
                                                        {"z", "Z"},
                                                        {"Z", "z"},
                                                        {"a", "A"},
                                                        {"0", "0"},
                                                        {"9", "9"},
                                                        {"\u00E9", "\u00E9"}})
    EXPECT_EQ(extracted_sentences({sentence}, summary).size(), 1U) << sentence;
  for (const std::string sign : {"@", "[", "`", "{", "/", ":", "\x7F"})
    EXPECT_TRUE(extracted_sentences({sign}, sign).empty()) << sign;
  EXPECT_EQ(extracted_sentences({std::string("a\0b", 3)}, "ab").size(), 1U);
}

// What is looked for in a summary takes time of the product of both.
TEST(Articles, VeryLongOnesAreRefused) {
  const std::vector<std::string> many(kMostSentences, "a b");
  EXPECT_EQ(extracted_sentences(many, "ab").size(), 1U);
  const std::vector<std::string> more(kMostSentences + 1, "a b");
  EXPECT_ERROR(ValueError,
               "a text of 2001 sentences and a summary of 2 letters: 2000 and 100000 at most",
               extracted_sentences(more, "a b"));
  EXPECT_EQ(extracted_sentences({"a"}, std::string(kLongestSummary, 'a')).size(), 1U);
  EXPECT_ERROR_WITH(ValueError, "a summary of 100001 letters",
                    extracted_sentences({"a"}, std::string(kLongestSummary + 1, 'a')));
}

TEST(Articles, WhatIsNoneIsRefused) {
  EXPECT_EQ(error_of(kGood + line_of("A", R"("* *")", "B")), "a.jsonl:2: the text has no words");
  EXPECT_EQ(error_of(kGood + line_of("*", R"("B.")", "B")), "a.jsonl:2: the title has no words");
  EXPECT_EQ(error_of(line_of("A", R"("B.")", "C")),
            "a.jsonl:1: the summary has none of the text's sentences");
  EXPECT_EQ(error_of(kGood + "{\"title\": \"A\"}\n"),
            "a.jsonl:2: no field \"paragraphs\"; the fields are \"title\"");
  EXPECT_EQ(error_of(kGood + "{\n"), "a.jsonl:2: not valid JSON at column 2");
  EXPECT_EQ(error_of(""), "a.jsonl:1: the file has no texts");
  EXPECT_ERROR(ValueError, "the text has no words", read_article(" \n"));
  const TemporaryFile other(kGood, "other.jsonl");
  EXPECT_ERROR_WITH(IoError, "open bbc.jsonl or bbc.jsonl.gz", read_articles(other.folder()));
}

TEST(Articles, AreTheNewsOfTheBbc) {
  const char* data = std::getenv("HEED_DATA");
  const std::string path = std::string(data ? data : "") + "/bbc_news";
  if (!data || !std::filesystem::exists(path)) GTEST_SKIP() << "HEED_DATA holds no bbc_news";
  const auto read = read_articles(path);
  ASSERT_EQ(read.size(), 2225U);
  EXPECT_EQ(read[0].title, (Words{"ad", "sales", "boost", "time", "warner", "profit"}));
  Index sentences = 0, picked = 0;
  for (const Article& article : read) {
    sentences += article.length();
    picked += std::ssize(article.summary);
  }
  EXPECT_NEAR(static_cast<double>(picked) / static_cast<double>(sentences), 0.43, 0.03);
}

}  // namespace
}  // namespace heed::data
