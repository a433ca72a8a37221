#include "../../../data/generated/reviews.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "../../../data/tokenizer.h"

namespace heed::data {
namespace {

TEST(GeneratedReviews, EvidenceIsKnownAndClassesAreEven) {
  Generator generator(5);
  const auto documents = generate_documents(997, generator);
  std::map<std::string, int> labels;
  for (const auto& document : documents) {
    ++labels[document.label];
    ASSERT_EQ(document.sentences.size(), document.evidence.size());
    const auto evidence = std::count(document.evidence.begin(), document.evidence.end(), true);
    EXPECT_TRUE(evidence == 1 || evidence == 2);
    EXPECT_GE(document.sentences.size(), 6u);
    for (const auto& sentence : document.sentences) EXPECT_GE(tokenize(sentence).size(), 5u);
  }
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_NEAR(labels["positive"], 498, 60);
}

TEST(GeneratedReviews, TheSameStreamGivesTheSameDocuments) {
  Generator a(7), b(7);
  const auto first = generate_documents(11, a), second = generate_documents(11, b);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].sentences, second[i].sentences);
  EXPECT_NE(generate_documents(1, a)[0].sentences, first[0].sentences);
}

// A sum of word weights (log-odds with smoothing, learned on one half) must not solve it.
TEST(GeneratedReviews, NoBagOfWordsSolvesIt) {
  Generator generator(11);
  const auto documents = generate_documents(4001, generator);
  std::map<std::string, std::pair<double, double>> counts;
  const std::size_t half = documents.size() / 2;
  const auto words_of = [](const GeneratedDocument& document) {
    std::vector<std::string> words;
    for (const auto& sentence : document.sentences) {
      for (auto& word : tokenize(sentence)) words.push_back(std::move(word));
    }
    return words;
  };
  for (std::size_t i = 0; i < half; ++i) {
    for (const auto& word : words_of(documents[i])) {
      auto& count = counts[word];
      (documents[i].label == "positive" ? count.first : count.second) += 1;
    }
  }
  std::size_t right = 0;
  for (std::size_t i = half; i < documents.size(); ++i) {
    double score = 0;
    for (const auto& word : words_of(documents[i])) {
      const auto& [good, bad] = counts[word];
      score += std::log((good + 1) / (bad + 1));
    }
    right += (score > 0) == (documents[i].label == "positive");
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(documents.size() - half);
  EXPECT_LT(accuracy, 0.6);
}

}  // namespace
}  // namespace heed::data
