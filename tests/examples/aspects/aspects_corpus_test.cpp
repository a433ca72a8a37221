#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../data/generated/opinions.h"
#include "../../../examples/aspects/corpus.h"
#include "../../support/places.h"
#include "../../support/throws.h"

namespace aspects {
namespace {

using testing::ElementsAre;

TEST(AspectsCorpus, SentencesBecomeNumbers) {
  const TaggedSentence sentence{
      {"the", "fish", "tacos", "rock"}, {{"O", "B", "I", "O"}, {"O", "O", "O", "B"}}, 1};
  const TaggedSentence other{{"fish"}, {{"B"}, {"O"}}, 6};
  const data::Vocabulary words({"fish", "rock", "the"});
  const auto examples = encode({other, sentence}, words);
  EXPECT_THAT(examples[1].words, ElementsAre(4, 2, 1, 3));
  const Batch batch = batch_of(examples);
  EXPECT_EQ(batch.words.array().to_vector<Index>(), (std::vector<Index>{2, 0, 0, 0, 4, 2, 1, 3}));
  EXPECT_THAT(batch.lengths, ElementsAre(1, 4));
  EXPECT_EQ(batch.labels[0].array().to_vector<Index>(),
            (std::vector<Index>{0, -100, -100, -100, 2, 0, 1, 2}));
  EXPECT_EQ(batch.labels[1].array().to_vector<Index>(),
            (std::vector<Index>{2, -100, -100, -100, 2, 2, 2, 0}));
  EXPECT_THAT(words_of("They DIDN'T."), ElementsAre("they", "did", "n't", "."));
}

TEST(AspectsCorpus, GeneratedPartsDifferAndFollowTheSeed) {
  const Corpus a = load_corpus({.sentences = 60, .seed = 3}),
               same = load_corpus({.sentences = 60, .seed = 3}),
               b = load_corpus({.sentences = 60, .seed = 4});
  EXPECT_EQ(a.train.size(), 54U);
  EXPECT_EQ(a.validation.size(), 6U);
  EXPECT_EQ(a.test.size(), 20U);
  EXPECT_EQ(a.train[0].words, same.train[0].words);
  EXPECT_NE(a.train[0].words, b.train[0].words);
  std::set<std::uint64_t> lines;  // no sentence is in both parts
  for (const auto& part : {a.train, a.validation}) {
    for (const TaggedSentence& sentence : part) lines.insert(sentence.line);
  }
  EXPECT_EQ(lines.size(), 60U);
}

TEST(AspectsCorpus, MoreSentencesToTrainOnAreNoneOfTheTest) {
  const Corpus usual = load_corpus({.seed = 3}), few = load_corpus({.sentences = 61, .seed = 3}),
               many = load_corpus({.sentences = 3011, .seed = 3});
  Generator generator(3 + 0xa5bec7);
  const auto all = data::tell_opinions(3000 + 1000 + 11, generator);
  ASSERT_EQ(usual.test.size(), 1000U);
  ASSERT_EQ(many.test.size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(usual.test[i].words, all[3000 + i].words);
    EXPECT_EQ(many.test[i].words, all[3000 + i].words);
  }
  ASSERT_EQ(few.test.size(), 20U);
  EXPECT_EQ(few.test[19].words, all[3019].words);
  EXPECT_EQ(usual.train.size() + usual.validation.size(), 3000U);
  ASSERT_EQ(many.train.size() + many.validation.size(), 3011U);
  std::multiset<std::vector<std::string>> learned, told;
  for (const auto& part : {many.train, many.validation}) {
    for (const TaggedSentence& sentence : part) learned.insert(sentence.words);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < 3000 || i >= 4000) told.insert(all[i].words);
  }
  EXPECT_EQ(learned, told);
}

TEST(AspectsCorpus, IsThatOfSemEval) {
  const std::string path = data_folder() + "/aspect_opinion";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const Corpus laptops = load_corpus({.path = path, .domain = "semeval14_laptops"});
  EXPECT_EQ(laptops.train.size() + laptops.validation.size(), 3048U);
  EXPECT_EQ(laptops.validation.size(), 305U);
  EXPECT_EQ(laptops.test.size(), 800U);
  EXPECT_ERROR_WITH(IoError, "semeval14_none_train.iob.tsv",
                    load_corpus({.path = path, .domain = "semeval14_none"}));
}

}  // namespace
}  // namespace aspects
