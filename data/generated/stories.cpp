#include "stories.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "../../core/error.h"

namespace heed::data {
namespace {

using Words = std::vector<std::string>;

const Words kPeople = {"anna", "ben", "clara", "david"};
const Words kRooms = {"attic", "cellar", "garage", "library", "porch", "study"};
const Words kThings = {"apple", "book", "lamp"};
const std::array<Words, 4> kMoves = {
    {{"moved", "to"}, {"went", "to"}, {"travelled", "to"}, {"walked", "to"}}};
const std::array<Words, 3> kTakes = {{{"took"}, {"got"}, {"picked", "up"}}};
const std::array<Words, 3> kDrops = {{{"dropped"}, {"left"}, {"put", "down"}}};
constexpr std::size_t kQuestions = 5;  // a story
constexpr std::size_t kNobody = SIZE_MAX, kNowhere = SIZE_MAX;

// Where everyone and everything is, and which sentence says so.
class House {
 public:
  House(Generator& generator, int task) : generator_(generator), task_(task) {}

  BabiStory tell() {
    while (story_.questions.size() < kQuestions) {
      happen();
      happen();
      ask();
    }
    return std::move(story_);
  }

 private:
  struct Person {
    std::size_t room = kNowhere;
    std::size_t moved = 0;  // the sentence
  };
  struct Thing {
    std::size_t holder = kNobody, room = kNowhere;
    std::vector<std::size_t> supports = {};  // of where it is, but for its holder's last move
  };

  std::size_t pick(std::size_t count) {
    return static_cast<std::size_t>(generator_.below(static_cast<Index>(count)));
  }

  void say(std::size_t person, const Words& verb, const std::string& object) {
    Words sentence = {kPeople[person]};
    sentence.insert(sentence.end(), verb.begin(), verb.end());
    sentence.insert(sentence.end(), {"the", object});
    story_.sentences.push_back(std::move(sentence));
  }

  // Whoever has been seen may take a thing that lies in no other room, or drop what they hold.
  void happen() {
    const std::size_t who = pick(kPeople.size()), what = pick(kThings.size());
    Person& person = people_[who];
    Thing& thing = things_[what];
    const std::size_t sentence = story_.sentences.size();
    const bool still = task_ == 2 && person.room != kNowhere && pick(2) == 0;
    if (still && thing.holder == who) {
      say(who, kDrops[pick(kDrops.size())], kThings[what]);
      thing = {kNobody, person.room, {sentence, person.moved}};
    } else if (still && thing.holder == kNobody &&
               (thing.room == kNowhere || thing.room == person.room)) {
      say(who, kTakes[pick(kTakes.size())], kThings[what]);
      thing = {who, kNowhere, {sentence}};
    } else {
      const std::size_t room =
          (person.room == kNowhere ? pick(kRooms.size())
                                   : person.room + 1 + pick(kRooms.size() - 1)) %
          kRooms.size();
      say(who, kMoves[pick(kMoves.size())], kRooms[room]);
      person = {room, sentence};
    }
  }

  // About someone or something whose place the story tells; else nothing.
  void ask() {
    BabiQuestion question{{"where", "is"}, "", story_.sentences.size(), {}, 0};
    std::size_t room;
    if (task_ == 1) {
      const std::size_t who = pick(kPeople.size());
      room = people_[who].room;
      question.words.push_back(kPeople[who]);
      question.supports = {people_[who].moved};
    } else {
      const std::size_t what = pick(kThings.size());
      const Thing& thing = things_[what];
      question.words.insert(question.words.end(), {"the", kThings[what]});
      question.supports = thing.supports;
      room = thing.room;
      if (thing.holder != kNobody) {
        room = people_[thing.holder].room;
        question.supports.push_back(people_[thing.holder].moved);
      }
    }
    if (room == kNowhere) return;
    question.answer = kRooms[room];
    story_.questions.push_back(std::move(question));
  }

  Generator& generator_;
  int task_;
  BabiStory story_;
  std::array<Person, 4> people_;
  std::array<Thing, 3> things_;
};

}  // namespace

std::vector<BabiStory> tell_stories(Index count, int task, Generator& generator) {
  if (task < 1 || task > kGeneratedTasks) {
    throw ValueError(fmt::format("babi: there is no generated task {}, only 1 and {}; see --data",
                                 task, kGeneratedTasks));
  }
  std::vector<BabiStory> out;
  for (Index i = 0; i < count; ++i) out.push_back(House(generator, task).tell());
  return out;
}

}  // namespace heed::data
