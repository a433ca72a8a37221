#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../examples/summaries/evaluation.h"
#include "../../support/throws.h"

namespace summaries {
namespace {

using Words = std::vector<std::string>;

data::Article article_of(const std::string& text, const Words& title, std::vector<Index> summary) {
  data::Article out = data::read_article(text);
  out.title = title;
  out.summary = std::move(summary);
  return out;
}

class SummariesModel : public testing::TestWithParam<const char*> {
 protected:
  SummariesModel() {
    manual_seed(3);
    data::WordCounts counts;
    for (const data::Article& article : articles) data::count_words(article, counts);
    desk.vocabulary = data::vocabulary_with_marks(counts, {.min_count = 2});
    ModelOptions options;
    options.attention = GetParam();
    options.vocabulary = desk.vocabulary.size();
    options.width = 5;
    options.hidden = 7;
    options.source = 9;
    desk.editor = std::make_unique<Editor>(options);
    desk.editor->eval();
  }
  double loss(const Articles& some) const {
    const train::Loss found = desk.editor->loss(some, desk.vocabulary, 1);
    return found.tensor.item() * *found.weight;
  }
  Articles articles = {article_of("The board met. Zora said yes. Obi said no. The board goes on.",
                                  {"zora", "said"}, {1, 0}),
                       article_of("Ula said yes.", {"ula", "ula", "said", "yes"}, {0}),
                       article_of("No board met. Zora was ill.", {"no", "board"}, {})};
  Desk desk;
};

INSTANTIATE_TEST_SUITE_P(Kinds, SummariesModel,
                         testing::Values("coverage", "copy", "write", "abs", "pointer", "mean"),
                         [](const auto& kind) { return kind.param; });

TEST_P(SummariesModel, ABatchEqualsItsArticles) {
  double sum = 0;
  for (const data::Article& article : articles) sum += loss({article});
  EXPECT_NEAR(loss(articles), sum, 1e-4);
  const auto answers = answer_all(desk, articles, {.picks = 2, .beam = 2});
  for (std::size_t i = 0; i < articles.size(); ++i) {
    const Answer own = answer_all(desk, {articles[i]}, {.picks = 2, .beam = 2}).front();
    EXPECT_EQ(own.picks, answers[i].picks);
    EXPECT_EQ(own.title, answers[i].title);
    EXPECT_EQ(own.picks.size(), !desk.editor->options.picks() ? 0U : i == 1 ? 1U : 2U);
  }
}

TEST_P(SummariesModel, CopiesAreOfTheWordsThatWereWritten) {
  const Answer answer{{}, {"zora", "said", "obi"}};
  const train::Alignment copied = desk.editor->copied(articles[0], answer, desk.vocabulary);
  if (!desk.editor->options.copies()) {
    EXPECT_TRUE(copied.rows.empty());
    return;
  }
  ASSERT_EQ(copied.weights.shape(), (Shape{3, 9}));  // the first words of the article
  EXPECT_EQ(copied.columns, articles[0].first_words(9));
  EXPECT_EQ(copied.rows[2].substr(0, 6), "obi 0.");
  const auto weights = copied.weights.to_vector<float>();
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t k = 0; k < 9; ++k) {
      EXPECT_EQ(weights[9 * t + k] > 0, copied.columns[k] == answer.title[t]) << t << " " << k;
    }
  }
}

TEST(SummariesEvaluation, MeasuresTitlesAndPicks) {
  const Articles articles = {
      article_of("The board met. Zora won.", {"zora", "and", "obi", "won"}, {1}),
      article_of("Ula ran. Ula won.", {"ula", "won"}, {0})};
  const data::Vocabulary words(Words{"and", "won"});
  const Measures titles = measure(
      articles, {{{}, {"zora", "zora", "obi", "won"}}, {{}, {"won", "ula", "won", "won"}}}, words);
  EXPECT_DOUBLE_EQ(titles.names, 2. / 3);     // zora and obi in their places, ula in another
  EXPECT_DOUBLE_EQ(titles.repeated, 3. / 8);  // zora once, won twice
  EXPECT_DOUBLE_EQ(titles.rouge.one.f, (0.75 + 2 * 0.5 / 1.5) / 2);
  const Measures picks = measure(articles, {{{1}, {}}, {{1}, {}}}, words);
  EXPECT_DOUBLE_EQ(picks.rouge.one.f, (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(picks.rouge.two.f, 0.5);
  EXPECT_ERROR(ValueError, "rouge: there are no texts", measure({}, {}, words));

  const auto first = unread(articles, {{{1}, {}}, {{}, {"a", "b", "c"}}}, nullptr);
  EXPECT_EQ(first[0].picks, (std::vector<Index>{0}));
  EXPECT_TRUE(first[0].title.empty());
  EXPECT_EQ(first[1].title, (Words{"ula", "ran", "."}));
  Generator generator(3);
  const auto drawn = unread(articles, {{{1, 0}, {}}, {{0, 1}, {}}}, &generator);
  EXPECT_EQ(drawn[0].picks.size(), 2U);
}

TEST(SummariesCorpus, ReportsAreTheSameWhateverElseIsDrawn) {
  const Corpus small = load_corpus({.reports = 13}), more = load_corpus({.reports = 29});
  EXPECT_EQ(small.train.size(), 13U);
  EXPECT_EQ(small.train[12].title, more.train[12].title);
  EXPECT_EQ(small.test[499].title, more.test[499].title);
  EXPECT_NE(small.test[0].title, small.validation[0].title);
  EXPECT_NE(load_corpus({.reports = 13, .seed = 2}).train[0].title, small.train[0].title);
}

}  // namespace
}  // namespace summaries
