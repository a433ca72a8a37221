#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "../../../core/error.h"
#include "../../../examples/babi/corpus.h"
#include "../../../examples/babi/listener.h"
#include "../../../examples/babi/trials.h"
#include "../../../train/interrupt.h"
#include "../../io/temporary_folder.h"
#include "../../support/throws.h"

namespace babi {
namespace {

using testing::HasSubstr;

TEST(BabiCorpus, KeepsTheLastSentencesBeforeAQuestion) {
  const data::BabiStory story{{{"a", "b"}, {"c"}, {"d", "a", "b"}},
                              {{{"b"}, "c", 1, {}, 0}, {{"a", "b"}, "new", 3, {}, 0}}};
  const data::Vocabulary words({"a", "b", "c", "d"});  // 2, 3, 4, 5
  const auto examples = encode({story}, words, 2);
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].sentences, (std::vector<std::vector<Index>>{{2, 3}}));
  EXPECT_EQ(examples[1].sentences, (std::vector<std::vector<Index>>{{4}, {5, 2, 3}}));
  EXPECT_EQ(examples[0].answer, 4);
  EXPECT_EQ(examples[1].answer, data::Vocabulary::kUnknown);
  const Batch batch = batch_of(examples, {1, 0});
  EXPECT_EQ(batch.story.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(batch.story.array().to_vector<Index>(),
            (std::vector<Index>{4, -1, -1, 5, 2, 3, 2, 3, -1, -1, -1, -1}));
  EXPECT_EQ(batch.question.array().to_vector<Index>(), (std::vector<Index>{2, 3, 3, -1}));
  EXPECT_EQ(batch.lengths, (std::vector<Index>{2, 1}));
}

TEST(BabiCorpus, AQuestionMayHaveNoStoryBeforeIt) {
  const std::vector<Example> examples = {{{}, {2}, 3}, {{}, {2, 4}, 3}, {{{2, 4}}, {2}, 3}};
  ModelOptions options;
  options.vocabulary = 5;
  const auto model = make_model(options, 1);
  model->eval();
  const auto logits_of = [&](const Batch& batch) {
    return (*model)(batch.story, batch.question, batch.lengths).logits.array().to_vector<float>();
  };
  const auto alone = logits_of(batch_of(examples, {0, 1}));
  const auto together = logits_of(batch_of(examples, {0, 1, 2}));
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(alone[i], together[i], 1e-6);
}

TEST(BabiCorpus, RefusesTasksThatThereAreNot) {
  EXPECT_ERROR_WITH(ValueError, "generated task 3", load_task({}, 3));
  EXPECT_ERROR(ValueError, "babi: there is no task 21, only 1 to 20", load_task({.path = "."}, 21));
  EXPECT_ERROR_WITH(IoError, "task 7 has no such file", load_task({.path = "."}, 7));
  EXPECT_THROW(load_task({.path = "absent"}, 7), IoError);
}

TEST(BabiTrials, InterruptedInTheFirstNothingIsSaved) {
  const TemporaryFolder folder;
  CorpusOptions corpus;
  corpus.stories = 7;
  const train::InterruptGuard guard;
  std::raise(SIGINT);
  TrialOptions options;
  options.seeds = 3;
  const Trials found = run_trials({{"task 1", {load_task(corpus, 1)}, folder / "m"}}, options);
  EXPECT_TRUE(found.interrupted);
  EXPECT_FALSE(found.saved);
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

TEST(BabiTrials, TableHasThePaperBesideOurs) {
  const std::vector<Result> some = {{2, 0.125}, {19, 0.875}};
  EXPECT_THAT(table_of(some, Published::joint), HasSubstr("\n  19     87.5            86.7\n"));
  EXPECT_THAT(table_of(some, Published::alone), HasSubstr("\n  19     87.5            82.8\n"));
  EXPECT_THAT(table_of({{2, 0.125}, {1, 0.375}}, Published::none), HasSubstr("\nmean     25.0\n"));
}

TEST(BabiTrials, TheMeansAreThePapers) {
  std::vector<Result> all;
  for (int task = 1; task <= kTasks; ++task) all.push_back({task, 0});
  EXPECT_THAT(table_of(all, Published::joint), testing::EndsWith("12.4\n"));
  EXPECT_THAT(table_of(all, Published::alone), testing::EndsWith("13.9\n"));
}

TEST(BabiListener, HearsStoriesAndRefusesWhatItCannotAnswer) {
  Reader reader;
  reader.vocabulary = data::Vocabulary({"anna", "went", "to", "the", "attic", "where", "is"});
  reader.options.vocabulary = reader.vocabulary.size();
  reader.options.hops = 2;
  reader.options.slots = 3;
  reader.model = std::make_unique<MemoryNetwork>(reader.options);
  reader.model->eval();
  Listener listener(reader);
  const auto hear = [&](const char* line) { return listener.hear(line, train::ShadeStyle::marks); };
  EXPECT_ERROR(ValueError, "the question has no story before it", hear("Where is Anna?"));
  EXPECT_ERROR(ValueError, "the word \"bob\" is not among those learned",
               hear("Bob went to the attic."));
  EXPECT_ERROR(ValueError, "the line has no words", hear("?"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(hear("Anna went to the attic."), "");
  EXPECT_ERROR_WITH(ValueError, R"("bob")", hear("Where is Bob?"));
  const Answer answer = listener.answer({"where", "is", "anna"});
  ASSERT_EQ(answer.weights.size(), 2U);
  EXPECT_EQ(answer.weights[1].size(), 3U);  // as many as it remembers
  EXPECT_THAT(hear("Where is Anna?"), testing::AllOf(HasSubstr("hop 2\n"), HasSubstr("answer ")));
  EXPECT_EQ(hear(""), "");
  hear("Anna went to the attic");
  EXPECT_ERROR(ValueError, "the story that ends here has no question", listener.end());
}

}  // namespace
}  // namespace babi
