// What parts of the validation come to together is what the whole comes to.
#include "../../../examples/translation/evaluation.h"

#include <gtest/gtest.h>

#include "../../../data/words.h"
#include "../../../train/bleu.h"
#include "small_models.h"

namespace translation {
namespace {

TEST(TranslationEvaluation, PartsHaveTheFiguresOfTheWhole) {
  manual_seed(3);
  const std::vector<std::string> lines = {"a dog saw the old queen", "the queen slept",
                                          "a cat saw a dog in the garden", "the dog slept there",
                                          "the old cat"};
  std::vector<const std::string*> all;
  for (const std::string& line : lines) all.push_back(&line);
  Language language;
  language.source = language.target = std::make_shared<data::Words>(data::learn_words(all, {}));
  ModelOptions options = small("bahdanau");
  options.source_words = options.target_words = language.source->size();
  language.model = make_translator(options);
  // What it writes itself of three lines, so that something is right.
  Part part{lines, lines, {}, train::BleuTokens::given};
  const auto written = best_texts(translate(language, lines, {.beam = 1}));
  for (const std::size_t i : {0, 2, 3}) part.target[i] = written[i] + " and more";

  const train::Figures whole = shown_of(judge(language, part, {0, 1, 2, 3, 4}, 50).figures);
  const double bleu = train::corpus_bleu(written, part.target).score;
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_GT(bleu, 1);
  EXPECT_NEAR(whole[1].value, bleu, 1e-9);
  EXPECT_NEAR(whole[0].value, likelihood(*language.model, encode(language, part), 50).loss, 1e-12);

  const train::Part first = judge(language, part, {0, 1}, 50),
                    second = judge(language, part, {2, 3, 4}, 50);
  train::Figures means = first.figures;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const train::Figure& other = second.figures[i];
    EXPECT_EQ(means[i].name, other.name);
    means[i].value = means[i].value * means[i].weight + other.value * other.weight;
    means[i].weight += other.weight;
    means[i].value /= means[i].weight;
  }
  const train::Figures together = shown_of(means);
  EXPECT_NEAR(together[0].value, whole[0].value, 1e-12);
  EXPECT_NEAR(together[1].value, bleu, 1e-9);
}

}  // namespace
}  // namespace translation
