// What each generator gives for one seed, the same for ever: figures of programs that learn it
// stand in READMEs, and a training goes on with the same data under another version.
#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "../../../data/cluttered_digits.h"
#include "../../../data/generated/additions.h"
#include "../../../data/generated/belongings.h"
#include "../../../data/generated/bit_tasks.h"
#include "../../../data/generated/dialled.h"
#include "../../../data/generated/drawn_digits.h"
#include "../../../data/generated/entailment.h"
#include "../../../data/generated/news.h"
#include "../../../data/generated/opinions.h"
#include "../../../data/generated/pairs.h"
#include "../../../data/generated/parity.h"
#include "../../../data/generated/point_tasks.h"
#include "../../../data/generated/questions.h"
#include "../../../data/generated/reviews.h"
#include "../../../data/generated/scenes.h"
#include "../../../data/generated/stories.h"
#include "../../../data/generated/table_questions.h"
#include "../../../data/generated/text.h"

namespace heed::data {
namespace {

// A number that tells all that was added to it from anything else (FNV-1a).
class Print {
 public:
  Print& add(const std::string& text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    return mix('/');
  }
  Print& add(Index number) { return add(std::to_string(number)); }
  Print& add(double number) { return add(std::to_string(number)); }
  Print& add(const std::vector<std::string>& words) {
    for (const std::string& word : words) add(word);
    return mix('\n');
  }
  template <class T>
  Print& add_all(const std::vector<T>& numbers) {
    for (const T number : numbers) add(static_cast<Index>(number));
    return mix('\n');
  }
  std::uint64_t sum() const { return sum_; }

 private:
  Print& mix(unsigned char byte) {
    sum_ = (sum_ ^ byte) * 0x100000001b3;
    return *this;
  }
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

Index light_of(const std::vector<std::uint8_t>& dots) {
  return std::accumulate(dots.begin(), dots.end(), Index{0});
}

TEST(GeneratedStreams, OfWords) {
  Generator generator(1);
  Print text, pairs, reviews;
  const GeneratedText some = generate_text(400, generator);
  text.add(some.text);
  EXPECT_EQ(text.sum(), 2972080831132757047u);
  EXPECT_NEAR(some.nats, 6968.4894786112209, 1e-6);
  for (const GeneratedPair& each : generate_pairs(400, generator)) {
    pairs.add(each.source).add(each.target);
    for (const auto& [from, to] : each.alignment) pairs.add(from).add(to);
  }
  EXPECT_EQ(pairs.sum(), 15839189779738579724u);
  for (const GeneratedDocument& each : generate_documents(400, generator)) {
    reviews.add(each.sentences).add_all(each.evidence).add(each.label);
  }
  EXPECT_EQ(reviews.sum(), 13110907434555091232u);
}

TEST(GeneratedStreams, OfStoriesAndNews) {
  Generator generator(1);
  for (const int task : {1, 2}) {
    Print stories;
    for (const BabiStory& each : tell_stories(100, task, generator)) {
      for (const auto& sentence : each.sentences) stories.add(sentence);
      for (const BabiQuestion& question : each.questions) {
        stories.add(question.words).add(question.answer).add(static_cast<Index>(question.known));
        stories.add_all(question.supports);
      }
    }
    EXPECT_EQ(stories.sum(), task == 1 ? 13774543334323195844u : 12723248780990959678u);
  }
  Print news, belongings;
  for (const NewsReport& each : report_news(300, generator)) {
    news.add(each.sentences).add(each.title).add(each.names).add_all(each.summary);
    for (const auto& words : each.words) news.add(words);
  }
  EXPECT_EQ(news.sum(), 4513188546378540834u);
  for (const Cloze& each : tell_belongings(200, generator)) {
    for (const auto& sentence : each.passage) belongings.add(sentence);
    belongings.add(each.query).add(each.answer);
  }
  EXPECT_EQ(belongings.sum(), 9655218856818233465u);
}

TEST(GeneratedStreams, OfSentencesWithTheirMeaning) {
  Generator generator(1);
  Print entailment, opinions, tables;
  for (const SentencePair& each : generate_entailment(600, generator)) {
    entailment.add(each.premise).add(each.hypothesis);
    entailment.add(static_cast<Index>(each.relation)).add(static_cast<Index>(each.back));
  }
  EXPECT_EQ(entailment.sum(), 14177294917926351789u);
  for (const TaggedSentence& each : tell_opinions(400, generator)) {
    opinions.add(each.words).add(each.tags.at(0)).add(each.tags.at(1));
  }
  EXPECT_EQ(opinions.sum(), 14757170653120090472u);
  for (const TableQuestion& each :
       draw_table_questions(400, {.columns = 3, .rows = {2, 5}}, generator)) {
    tables.add(in_text(each)).add(each.answer).add_all(each.cells);
    for (const double number : each.table) tables.add(number);
  }
  EXPECT_EQ(tables.sum(), 14405428272715422902u);
}

TEST(GeneratedStreams, OfNumbers) {
  Generator generator(1);
  Print points, sums;
  const std::pair<BitTask, std::uint64_t> bit_tasks[] = {
      {BitTask::copy, 16672599666122971271u},
      {BitTask::repeat_copy, 8795187044008730842u},
      {BitTask::recall, 11354591145738000275u},
      {BitTask::sort, 14580947451234540848u},
  };
  for (const auto& [task, sum] : bit_tasks) {
    Print bits;
    for (int i = 0; i < 20; ++i) {
      const BitSequences each = draw_bit_sequences(task, 3, 5, {2, 7}, generator);
      for (const float x : each.x.to_vector<float>()) bits.add(static_cast<double>(x));
      for (const float y : each.y.to_vector<float>()) bits.add(static_cast<double>(y));
    }
    EXPECT_EQ(bits.sum(), sum) << "task " << static_cast<int>(task);
  }
  for (const PointTask task : {PointTask::sort, PointTask::hull}) {
    for (const auto& each : draw_point_problems(task, 20, {3, 9}, generator)) {
      for (const Point& point : each) points.add(point.x).add(point.y);
    }
  }
  EXPECT_EQ(points.sum(), 10241865390676691819u);
  for (int i = 0; i < 20; ++i) {
    const AnsweredSteps added = draw_additions(7, {2, 5}, 4, generator);
    sums.add_all(added.x.to_vector<float>()).add_all(added.y.to_vector<Index>());
    const AnsweredSteps parity = draw_parity(7, 9, {2, 5}, generator);
    sums.add_all(parity.x.to_vector<float>()).add_all(parity.y.to_vector<Index>());
  }
  EXPECT_EQ(sums.sum(), 11162442678705424814u);
}

// Of dots and samples the sum alone: their last bits are the mathematical library's.
TEST(GeneratedStreams, OfPicturesAndSounds) {
  Generator generator(1);
  Print said, digits;
  Index light = 0;
  for (int i = 0; i < 60; ++i) {
    const Scene scene = shape_scene(generator);
    said.add(scene.words).add_all(scene.places);
    light += light_of(scene.image);
  }
  EXPECT_EQ(said.sum(), 18173236438670565829u);
  EXPECT_NEAR(static_cast<double>(light), 17271457, 20);
  const VisualQuestions asked = ask_about_scenes(60, generator);
  for (const VisualQuestion& each : asked.questions) {
    said.add(each.text).add(each.answer).add(each.image);
  }
  for (const auto& boxes : asked.boxes) {
    for (const Box& box : boxes) said.add(box.left).add(box.top).add(box.width).add(box.height);
  }
  EXPECT_EQ(said.sum(), 10264892278160783771u);
  const Digits drawn = draw_digits(60, generator);
  digits.add_all(drawn.labels);
  EXPECT_NEAR(static_cast<double>(light_of(drawn.pixels)), 2139940, 20);
  std::vector<Index> rows(60);
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<DigitPlace> places;
  const Array cluttered = cluttered_digits(drawn, rows, 60, 4, generator, &places);
  for (const DigitPlace& place : places) digits.add(place.left).add(place.top);
  double shown = 0;
  for (const float dot : cluttered.to_vector<float>()) shown += static_cast<double>(dot);
  EXPECT_NEAR(shown, 12132.976625549141, 0.1);
  double loud = 0;
  for (const SpokenDigit& each : generate_dialled(60, generator)) {
    digits.add(each.digit).add(each.speaker).add(std::ssize(each.samples));
    for (const float x : each.samples) loud += static_cast<double>(std::abs(x));
  }
  EXPECT_EQ(digits.sum(), 16497529462000212814u);
  EXPECT_NEAR(loud, 9895.2751090643269, 1e-3);
}

}  // namespace
}  // namespace heed::data
