#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../examples/entailment/evaluation.h"
#include "../../support/throws.h"

namespace entailment {
namespace {

using Words = std::vector<std::string>;

Pair pair_of(const std::string& premise, const std::string& hypothesis, Index label = 0) {
  return {read_sentence("premise", premise, true), read_sentence("hypothesis", hypothesis, true),
          label};
}

TEST(EntailmentCorpus, SentencesAreKnownByTheirStems) {
  const Sentence stems = read_sentence("premise", "Two Dogs are playing!", true);
  EXPECT_EQ(stems.words, (Words{"two", "dogs", "are", "playing", "!"}));
  EXPECT_EQ(stems.keys, (Words{"two", "dog", "are", "plai", "!"}));
  EXPECT_EQ(read_sentence("premise", "Dogs", false).keys, Words{"dogs"});
  EXPECT_ERROR(ValueError, "the premise has no words", read_sentence("premise", "  ", true));
}

TEST(EntailmentCorpus, BatchesSayWhichWordsAreShared) {
  const std::vector<Pair> pairs = {pair_of("dogs played", "a dog plays", 2),
                                   pair_of("a", "b c", 1)};
  const auto words = vocabulary_of(pairs, 2);  // a, dog and plai
  EXPECT_EQ(words.size(), 5);
  const Batch batch = batch_of(pairs, {1, 0}, words);
  const Index a = words.id("a"), dog = words.id("dog"), play = words.id("plai");
  EXPECT_EQ(batch.premise.words.to_vector<Index>(), (std::vector<Index>{a, 0, dog, play}));
  EXPECT_EQ(batch.premise.shared.to_vector<Index>(), (std::vector<Index>{0, 0, 1, 1}));
  EXPECT_EQ(batch.hypothesis.words.to_vector<Index>(), (std::vector<Index>{1, 1, 0, a, dog, play}));
  EXPECT_EQ(batch.hypothesis.shared.to_vector<Index>(), (std::vector<Index>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(batch.hypothesis.lengths, (std::vector<Index>{2, 3}));
  EXPECT_EQ(batch.labels.to_vector<Index>(), (std::vector<Index>{1, 2}));
}

TEST(EntailmentCorpus, PairsAreLearntFromTurnedRoundToo) {
  const Corpus both = load_corpus({.pairs = 13}, true);
  const Corpus one = load_corpus({.pairs = 13, .turned = false}, true);
  ASSERT_EQ(both.train.size(), 26U);
  ASSERT_EQ(one.train.size(), 13U);
  EXPECT_EQ(both.train[5].premise.words, one.train[2].hypothesis.words);
  EXPECT_EQ(both.train[4].label, one.train[2].label);
  EXPECT_EQ(both.test.size(), 1000U);
  EXPECT_EQ(both.test[7].premise.words, one.test[7].premise.words);
  const Corpus other = load_corpus({.pairs = 13, .seed = 2}, true);
  int same = 0;
  for (std::size_t i = 0; i < 26; ++i)
    same += other.train[i].premise.words == both.train[i].premise.words;
  EXPECT_LT(same, 5);
}

class EntailmentModel : public testing::TestWithParam<const char*> {
 protected:
  EntailmentModel() {
    manual_seed(3);
    judge.vocabulary = vocabulary_of(pairs, 1);
    judge.model = std::make_unique<PairReader>(ModelOptions{
        .attention = GetParam(), .vocabulary = judge.vocabulary.size(), .width = 5, .hidden = 7});
    judge.model->eval();
  }
  std::vector<Pair> pairs = {pair_of("a dog runs in the garden", "it moves"),
                             pair_of("a cat", "no cat sleeps"), pair_of("it", "a dog")};
  Judge judge;
};

INSTANTIATE_TEST_SUITE_P(Kinds, EntailmentModel,
                         testing::Values("none", "last", "word_by_word", "two_way", "lstmn",
                                         "decomposable", "esim"),
                         [](const auto& kind) { return kind.param; });

TEST_P(EntailmentModel, ABatchEqualsItsPairs) {
  const Array all = (*judge.model)(batch_of(pairs, {0, 1, 2}, judge.vocabulary)).logits.array();
  for (Index i = 0; i < 3; ++i) {
    const auto alone =
        (*judge.model)(batch_of(pairs, {i}, judge.vocabulary)).logits.array().to_vector<float>();
    const auto row = all.select(0, i).to_vector<float>();
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(row[c], alone[c], 1e-5);
  }
}

TEST_P(EntailmentModel, JudgementsSayWhereItLooked) {
  const std::string kind = GetParam();
  const Judgement found = judge_pair(judge, pairs[1]);
  double sum = 0;
  for (const double p : found.probabilities) sum += p;
  EXPECT_NEAR(sum, 1, 1e-6);
  const bool back = kind == "two_way" || kind == "decomposable" || kind == "esim";
  ASSERT_EQ(found.looked.size(), kind == "none" ? 0U : back ? 2U : 1U);
  ASSERT_EQ(found.text.size(), 2U);
  EXPECT_EQ(found.text[1].words[2].text, "sleeps");
  if (kind == "none") {
    EXPECT_ERROR(ValueError, "a model without attention has not looked anywhere",
                 picture_of({found}));
    return;
  }
  const Index rows = kind == "last" ? 1 : 3;
  EXPECT_EQ(found.looked[0].weights.shape(), (Shape{rows, 2}));
  EXPECT_NEAR(found.text[0].words[0].weight + found.text[0].words[1].weight, 1, 1e-6);
  EXPECT_GT(picture_of({found, found}).height(), 2 * picture_of({found}).height() - 2);
}

TEST_P(EntailmentModel, WithoutOverlapWordsAreAllThatIsSeen) {
  PairReader blind(ModelOptions{.attention = GetParam(),
                                .vocabulary = judge.vocabulary.size(),
                                .width = 5,
                                .hidden = 7,
                                .overlap = false});
  blind.eval();
  Batch batch = batch_of(pairs, {0, 1}, judge.vocabulary);
  const auto numbers = [&](const PairReader& model) {
    return model(batch).logits.array().to_vector<float>();
  };
  const auto before = numbers(blind), seen = numbers(*judge.model);
  Array shared = batch.hypothesis.words.clone();
  std::fill_n(shared.mutable_data<Index>(), shared.numel(), 1);
  batch.hypothesis.shared = shared;
  EXPECT_EQ(numbers(blind), before);
  EXPECT_NE(numbers(*judge.model), seen);
}

TEST(EntailmentCorpus, IsSick) {
  const char* data = std::getenv("HEED_DATA");
  const std::string path = std::string(data ? data : "") + "/sick";
  if (!data || !std::filesystem::exists(path)) GTEST_SKIP() << "HEED_DATA holds no sick";
  const Corpus corpus = load_corpus({.data = path}, true);
  EXPECT_EQ(corpus.train.size(), 2U * 4439);
  EXPECT_EQ(corpus.validation.size(), 495U);
  EXPECT_EQ(corpus.test.size(), 4906U);
  const auto words = vocabulary_of(corpus.train, 2);
  EXPECT_GT(words.size(), 1500);
  EXPECT_FALSE(words.contains("dogs"));
}

}  // namespace
}  // namespace entailment
