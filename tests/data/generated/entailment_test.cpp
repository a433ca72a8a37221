#include "../../../data/generated/entailment.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace heed::data {
namespace {

const std::map<std::string, std::string> kKinds = {
    {"dog", "animal"},      {"cat", "animal"},       {"horse", "animal"},   {"boy", "child"},
    {"girl", "child"},      {"baby", "child"},       {"man", "adult"},      {"woman", "adult"},
    {"farmer", "adult"},    {"running", "moving"},   {"walking", "moving"}, {"swimming", "moving"},
    {"sitting", "resting"}, {"sleeping", "resting"}, {"lying", "resting"}};

// What is and moves so, in all ways of saying it: each way a set of sentences of one word less
// general each. Here a sentence is (adjective, noun, verb, place), read off its words.
struct Read {
  bool none;
  std::string adjective, noun, verb, place;
};

Read read(const std::string& sentence) {
  std::istringstream words(sentence);
  Read out;
  std::string word;
  words >> word;
  out.none = word == "no";
  words >> out.adjective >> word;
  if (word == "is") {
    out.noun = std::exchange(out.adjective, "");
  } else {
    out.noun = word;
    words >> word;
  }
  words >> out.verb;
  words >> word >> word >> out.place;
  return out;
}

bool is(const std::string& x, const std::string& y) {
  return x == y || y.empty() || (kKinds.contains(x) && kKinds.at(x) == y);
}
bool is(const Read& x, const Read& y) {
  return is(x.adjective, y.adjective) && is(x.noun, y.noun) && is(x.verb, y.verb) &&
         is(x.place, y.place);
}
std::string kind(const std::string& verb) { return kKinds.contains(verb) ? kKinds.at(verb) : verb; }

Relation relation(const Read& premise, const Read& hypothesis) {
  if (premise.none && hypothesis.none && is(hypothesis, premise)) return Relation::entailment;
  if (!premise.none && !hypothesis.none && is(premise, hypothesis)) return Relation::entailment;
  if (premise.none && !hypothesis.none && is(hypothesis, premise)) return Relation::contradiction;
  if (!premise.none && hypothesis.none && is(premise, hypothesis)) return Relation::contradiction;
  Read as_if = hypothesis;
  as_if.verb = premise.verb;
  const bool rests = !premise.none && !hypothesis.none && is(premise, as_if) &&
                     kind(premise.verb) != kind(hypothesis.verb);
  return rests ? Relation::contradiction : Relation::neutral;
}

TEST(GeneratedEntailment, FollowsFromTheSentencesThemselves) {
  Generator generator(3), same(3);
  const auto pairs = generate_entailment(3001, generator);
  std::map<Relation, int> counts;
  std::set<std::string> words;
  for (const SentencePair& pair : pairs) {
    const Read premise = read(pair.premise), hypothesis = read(pair.hypothesis);
    EXPECT_EQ(pair.relation, relation(premise, hypothesis))
        << pair.premise << " / " << pair.hypothesis;
    EXPECT_EQ(pair.back, relation(hypothesis, premise)) << pair.premise << " / " << pair.hypothesis;
    ++counts[pair.relation];
    std::istringstream stream(pair.premise);
    for (std::string word; stream >> word;) words.insert(word);
  }
  EXPECT_EQ(counts.size(), 3U);
  for (const auto& [relation, count] : counts) EXPECT_GT(count, 900);
  EXPECT_EQ(words.size(), 34U);
  const auto again = generate_entailment(3001, same);
  EXPECT_EQ(again.back().premise, pairs.back().premise);
  EXPECT_EQ(again.back().hypothesis, pairs.back().hypothesis);
}

TEST(GeneratedEntailment, NoSentenceBeginsWrong) {
  Generator generator(5);
  for (const SentencePair& pair : generate_entailment(499, generator)) {
    for (const std::string& sentence : {pair.premise, pair.hypothesis}) {
      const bool vowel = sentence.starts_with("an ");
      if (sentence.starts_with("no ")) continue;
      const char first = sentence[vowel ? 3 : 2];
      EXPECT_EQ(std::string("aeiou").find(first) != std::string::npos, vowel) << sentence;
    }
  }
}

}  // namespace
}  // namespace heed::data
