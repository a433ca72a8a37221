#include "entailment.h"

#include <array>

namespace heed::data {
namespace {

// A place of the sentence: words in groups, each with one that stands for all of it. The first word
// of all groups together says nothing at all, where there is one.
struct Group {
  const char* all;  // what any of them is; empty: nothing is said
  std::vector<const char*> words;
};

const std::vector<Group> kNouns = {{"animal", {"dog", "cat", "horse"}},
                                   {"child", {"boy", "girl", "baby"}},
                                   {"adult", {"man", "woman", "farmer"}}};
const std::vector<Group> kVerbs = {{"moving", {"running", "walking", "swimming"}},
                                   {"resting", {"sitting", "sleeping", "lying"}}};
const std::vector<Group> kAdjectives = {{"", {"small", "old", "wet", "happy"}}};
const std::vector<Group> kPlaces = {{"", {"garden", "kitchen", "street", "forest"}}};

enum Slot { noun, verb, adjective, place, kSlots };
const std::array<const std::vector<Group>*, kSlots> kGroups = {&kNouns, &kVerbs, &kAdjectives,
                                                               &kPlaces};

// A word of a slot; -1 is the one for all of the group.
struct Word {
  std::size_t group = 0;
  Index word = -1;

  const char* text(int slot) const {
    const Group& of = (*kGroups[static_cast<std::size_t>(slot)])[group];
    return word < 0 ? of.all : of.words[static_cast<std::size_t>(word)];
  }
  // Whether all that is this is that.
  bool is(const Word& that) const {
    return group == that.group && (word == that.word || that.word < 0);
  }
};

struct Sentence {
  bool none = false;  // "no .." in place of "a .."
  std::array<Word, kSlots> words;

  // Whether all that this says of something is said by that, but for the slot.
  bool is(const Sentence& that, int but = -1) const {
    for (std::size_t s = 0; s < kSlots; ++s) {
      if (static_cast<int>(s) != but && !words[s].is(that.words[s])) return false;
    }
    return true;
  }

  std::string text() const {
    const std::string adjective_text = words[adjective].text(adjective);
    std::string out = (adjective_text.empty() ? "" : adjective_text + " ") + words[noun].text(noun);
    const bool vowel = std::string("aeiou").find(out.front()) != std::string::npos;
    out = (none ? "no " : vowel ? "an " : "a ") + out + " is " + words[verb].text(verb);
    const std::string place_text = words[place].text(place);
    return place_text.empty() ? out : out + " in the " + place_text;
  }
};

Relation relation_of(const Sentence& premise, const Sentence& hypothesis) {
  // "No .." speaks of all that is so described.
  const bool covered = premise.none ? hypothesis.is(premise) : premise.is(hypothesis);
  if (covered) {
    return premise.none == hypothesis.none ? Relation::entailment : Relation::contradiction;
  }
  const bool excluded = !premise.none && !hypothesis.none && premise.is(hypothesis, verb) &&
                        premise.words[verb].group != hypothesis.words[verb].group;
  return excluded ? Relation::contradiction : Relation::neutral;
}

class Speaker {
 public:
  explicit Speaker(Generator& generator) : generator_(generator) {}

  SentencePair speak() {
    const auto wanted = static_cast<Relation>(generator_.below(3));
    for (;;) {
      Sentence premise, hypothesis;
      premise.none = generator_.below(3) == 0;
      for (int s = 0; s < kSlots; ++s) premise.words[static_cast<std::size_t>(s)] = draw(s);
      hypothesis = premise;
      hypothesis.none = generator_.below(2) == 0 ? premise.none : generator_.below(3) == 0;
      for (int s = 0; s < kSlots; ++s) {
        Word& word = hypothesis.words[static_cast<std::size_t>(s)];
        const Index dice = generator_.below(6);
        if (dice < 2) word.word = -1;                                // says less
        if (dice == 2) word = draw(s);                               // says something else
        if (dice == 3 && word.word < 0) word = draw(s, word.group);  // says more
      }
      if (relation_of(premise, hypothesis) == wanted) {
        return {premise.text(), hypothesis.text(), wanted, relation_of(hypothesis, premise)};
      }
    }
  }

 private:
  Word draw(int slot) {
    const auto& groups = *kGroups[static_cast<std::size_t>(slot)];
    return draw(slot,
                static_cast<std::size_t>(generator_.below(static_cast<Index>(groups.size()))));
  }
  // A third speaks of the whole group.
  Word draw(int slot, std::size_t group) {
    const auto& words = (*kGroups[static_cast<std::size_t>(slot)])[group].words;
    if (generator_.below(3) == 0) return {group, -1};
    return {group, generator_.below(static_cast<Index>(words.size()))};
  }

  Generator& generator_;
};

}  // namespace

std::vector<SentencePair> generate_entailment(Index count, Generator& generator) {
  Speaker speaker(generator);
  std::vector<SentencePair> out;
  for (Index i = 0; i < count; ++i) out.push_back(speaker.speak());
  return out;
}

}  // namespace heed::data
