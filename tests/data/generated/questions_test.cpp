#include "../../../data/generated/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "../../../data/generated/scenes.h"

namespace heed::data {
namespace {

using testing::AnyOf;
using testing::StartsWith;

VisualQuestions drawn(std::uint64_t seed, Index scenes = 700) {
  Generator generator(seed);
  return ask_about_scenes(scenes, generator);
}

TEST(Questions, AreAskedOfEachSceneWithItsBoxes) {
  const VisualQuestions read = drawn(3);
  EXPECT_EQ(read.count, 700);
  EXPECT_EQ(read.images.size(), static_cast<std::size_t>(700 * kSceneSide * kSceneSide * 3));
  ASSERT_EQ(read.questions.size(), static_cast<std::size_t>(700 * kQuestionsOfAScene));
  ASSERT_EQ(read.boxes.size(), 700U);
  for (std::size_t i = 0; i < read.questions.size(); ++i) {
    const VisualQuestion& question = read.questions[i];
    EXPECT_EQ(question.image, static_cast<Index>(i) / kQuestionsOfAScene);
    EXPECT_EQ(question.line, i + 1);
    const auto& boxes = read.boxes[static_cast<std::size_t>(question.image)];
    EXPECT_THAT(boxes.size(), AnyOf(2U, 3U));
    if (question.text == "how many things are there") {
      EXPECT_EQ(question.answer, boxes.size() == 2 ? "two" : "three");
    }
  }
}

// A thing's dots are those of its box's middle.
TEST(Questions, TellTheTruth) {
  const VisualQuestions read = drawn(5);
  const auto byte = [&](Index image, const Box& box, std::size_t channel) {
    const Index x = box.left + box.width / 2, y = box.top + box.height / 2;
    return read.images[static_cast<std::size_t>(((image * read.height + y) * read.width + x) * 3) +
                       channel];
  };
  std::set<std::string> answers;
  Index checked = 0;
  for (const VisualQuestion& question : read.questions) {
    answers.insert(question.answer);
    const auto& boxes = read.boxes[static_cast<std::size_t>(question.image)];
    Index red = 0;
    for (const Box& box : boxes) {
      const auto at = [&](std::size_t c) { return byte(question.image, box, c); };
      red += at(0) > 150 && at(1) < 60 && at(2) < 60;
    }
    const auto says = [&](const char* begin) { return question.text.starts_with(begin); };
    const bool named = question.answer == "red" || question.text.ends_with(" red") ||
                       question.text.find(" the red ") != std::string::npos ||
                       (says("is there a red") && question.answer == "yes");
    EXPECT_GE(red, named ? 1 : 0) << question.text;
    EXPECT_LE(red, says("which shape is red") ? 1 : 3);
    checked += red > 0;
  }
  EXPECT_GT(checked, 400);
  EXPECT_THAT(answers, testing::UnorderedElementsAre("red", "green", "blue", "yellow", "purple",
                                                     "white", "circle", "square", "triangle",
                                                     "cross", "yes", "no", "two", "three"));
}

TEST(Questions, YesIsAsLikelyAsNo) {
  std::map<std::string, int> there, lies;
  for (const VisualQuestion& question : drawn(7, 4000).questions) {
    if (question.text.starts_with("is there")) ++there[question.answer];
    if (question.text.starts_with("is the ")) ++lies[question.answer];
  }
  for (const auto& counts : {there, lies}) {
    const double yes = counts.at("yes"), no = counts.at("no");
    EXPECT_GT(yes + no, 1000);
    EXPECT_NEAR(yes / (yes + no), 0.5, 0.05);
  }
}

TEST(Questions, RelationsAreThoseOfTheBoxes) {
  // With two things, which are told apart, "left of" and "right of" exclude each other.
  std::map<std::string, std::string> opposite = {{"left of", "right of"}, {"above", "below"}};
  std::map<std::pair<Index, std::string>, std::string> asked;
  for (const VisualQuestion& question : drawn(11, 4000).questions) {
    if (question.text.starts_with("is the "))
      asked[{question.image, question.text}] = question.answer;
  }
  int pairs = 0;
  for (const auto& [key, answer] : asked) {
    for (const auto& [words, other] : opposite) {
      const std::size_t at = key.second.find(words);
      if (at == std::string::npos) continue;
      std::string turned = key.second;
      turned.replace(at, words.size(), other);
      const auto found = asked.find({key.first, turned});
      if (found == asked.end()) continue;
      EXPECT_NE(found->second, answer) << key.second;
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 10);
}

TEST(Questions, AreThoseOfTheSeed) {
  const VisualQuestions a = drawn(13, 20), b = drawn(13, 20), c = drawn(17, 20);
  EXPECT_EQ(a.images, b.images);
  EXPECT_NE(a.images, c.images);
  for (std::size_t i = 0; i < a.questions.size(); ++i) {
    EXPECT_EQ(a.questions[i].text, b.questions[i].text);
    EXPECT_EQ(a.questions[i].answer, b.questions[i].answer);
  }
}

}  // namespace
}  // namespace heed::data
