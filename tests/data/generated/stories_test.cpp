#include "../../../data/generated/stories.h"

#include <gtest/gtest.h>

#include <set>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

// The room that a sentence ends with is the answer, the supports begin with who or what is asked
// about, and all stand before the question.
TEST(GeneratedStories, AnswersFollowFromTheirSupports) {
  for (const int task : {1, 2}) {
    Generator generator(3), same(3);
    const auto stories = tell_stories(31, task, generator);
    std::set<std::string> answers;
    for (const BabiStory& story : stories) {
      ASSERT_EQ(story.questions.size(), 5U);
      for (const BabiQuestion& question : story.questions) {
        ASSERT_FALSE(question.supports.empty());
        for (const std::size_t support : question.supports) ASSERT_LT(support, question.known);
        EXPECT_EQ(story.sentences[question.supports.back()].back(), question.answer);
        const auto& first = story.sentences[question.supports[0]];
        EXPECT_EQ(task == 1 ? first.front() : first.back(), question.words.back());
        EXPECT_EQ(question.line, 0U);  // of no file
        answers.insert(question.answer);
      }
    }
    EXPECT_EQ(answers.size(), 6U);
    EXPECT_EQ(tell_stories(31, task, same)[7].sentences, stories[7].sentences);
  }
  Generator generator(1);
  for (const int task : {0, 3}) {
    EXPECT_ERROR(
        ValueError,
        "babi: there is no generated task " + std::to_string(task) + ", only 1 and 2; see --data",
        tell_stories(1, task, generator));
  }
}

}  // namespace
}  // namespace heed::data
