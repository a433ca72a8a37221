#include "../../../examples/translation/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace translation {
namespace {

using heed::Generator;
using Words = std::vector<std::string>;

Words split(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> kPairs = [] {
    Generator generator(1);
    return generate_pairs(20011, generator);
  }();
  return kPairs;
}

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Words kDeterminers = {"the", "a", "some", "this", "these", "my"};
const Words kAdverbs = {"yesterday", "today", "often", "sometimes", "then", "soon"};

// Neither clauses within clauses nor places: one actor right before each verb.
bool is_plain(const Words& source) {
  for (const char* word : {"that", "with", "near", "behind", "before"}) {
    if (contains(source, word)) return false;
  }
  return true;
}

TEST(TranslationGrammar, TheSentenceOfTheHeader) {
  const std::string source =
      "yesterday a wise queen that a hunter with this firefighter invited did not reject a driver "
      ".";
  for (const Pair& pair : pairs()) {
    if (pair.source != source) continue;
    EXPECT_EQ(pair.target,
              "hesta ne vise pas una dronna sabia kea uno jegaro kum esto bombo flami in lade uno "
              "sofero ru .");
    const std::vector<Index> links = {0, 12, 13, 12, 1,  3,  2,  4,  5,  6,
                                      7, 8,  9,  9,  10, 10, 14, 15, 13, 16};
    ASSERT_EQ(pair.alignment.size(), links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      EXPECT_EQ(pair.alignment[i], std::pair(links[i], static_cast<Index>(i)));
    }
    return;
  }
  FAIL() << "not one in 20,011";
}

TEST(TranslationGrammar, EveryWordOfTheTargetHasOneLinkAndOfTheSourceAllButOne) {
  for (const Pair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    std::vector<int> links(source.size());
    ASSERT_EQ(pair.alignment.size(), target.size());
    for (std::size_t i = 0; i < target.size(); ++i) {
      ASSERT_EQ(pair.alignment[i].second, static_cast<Index>(i));
      ++links.at(static_cast<std::size_t>(pair.alignment[i].first));
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      ASSERT_EQ(links[i] == 0, source[i] == "did") << pair.source;
      ASSERT_LE(links[i], 2);
      ASSERT_TRUE(source[i] != "not" || links[i] == 2) << pair.source;
    }
  }
}

// Each word of the target stands for one word, or the two forms of one, but for the ending words
// that several share.
TEST(TranslationGrammar, WordsKeepTheirMeaning) {
  std::map<std::string, std::set<std::string>> meanings;
  for (const Pair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    for (const auto& [from, to] : pair.alignment) {
      meanings[target[static_cast<std::size_t>(to)]].insert(source[static_cast<std::size_t>(from)]);
    }
  }
  for (const auto& [word, sources] : meanings) {
    const bool particle = contains({"ru", "ap"}, word);
    EXPECT_LE(sources.size(), particle ? 4u : 2u) << word;
  }
  EXPECT_THAT(meanings["ne"], testing::ElementsAre("not"));
  EXPECT_THAT(meanings["ru"], testing::ElementsAre("reject", "rejected", "return", "returned"));
  EXPECT_THAT(meanings["los"], testing::ElementsAre("the"));
}

// Found again by the links: the article and the adjectives end as their noun, an s for an s, and
// adjectives stand behind it, the last first.
TEST(TranslationGrammar, NounPhrasesAgree) {
  int adjectives = 0, plurals = 0;
  for (const Pair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    std::vector<std::size_t> first(source.size());  // the word that each has in the target
    for (std::size_t i = target.size(); i-- > 0;) {
      first[static_cast<std::size_t>(pair.alignment[i].first)] = i;
    }
    const Words kLooks = {"wise",  "young", "small",   "tall",   "brave",   "tired",
                          "blond", "pale",  "bearded", "famous", "foreign", "quiet"};
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
      if (!contains(kDeterminers, source[i])) continue;
      std::size_t noun = i + 1;
      while (contains(kLooks, source[noun])) ++noun;
      const bool many = source[noun].ends_with("s");
      const std::string& named = target[first[noun]];
      const std::string ending = named.substr(named.size() - (many ? 2 : 1));
      ASSERT_TRUE(ending == (many ? "os" : "o") || ending == (many ? "as" : "a")) << pair.target;
      ASSERT_EQ(first[noun], first[i] + 1) << pair.target;
      for (std::size_t k = i; k < noun; ++k) {
        ASSERT_TRUE(target[first[k]].ends_with(ending)) << pair.target;
        if (k == i) continue;
        ASSERT_GT(first[k], first[noun]);
        ASSERT_TRUE(k == i + 1 || first[k] + 1 == first[k - 1]) << pair.target;
        ++adjectives;
      }
      plurals += many;
    }
  }
  EXPECT_GT(adjectives, 20000);
  EXPECT_GT(plurals, 20000);
}

TEST(TranslationGrammar, VerbsStandSecondOrLastAndAgree) {
  int second = 0, last = 0, apart = 0, negated = 0;
  for (const Pair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    const auto source_of = [&](std::size_t i) {
      return source[static_cast<std::size_t>(pair.alignment[i].first)];
    };
    // A noun, a place and a noun of another number, then the verb: of the first one's number.
    if (source.size() == 7 && contains({"with", "near", "behind", "before"}, source[2]) &&
        contains(kDeterminers, source[0]) && contains(kDeterminers, source[3])) {
      const bool many = source[1].ends_with("s");
      if (many == source[4].ends_with("s")) continue;
      std::size_t verb = 0;
      while (source_of(verb) != source[5]) ++verb;
      EXPECT_EQ(target[verb].ends_with("en"), many) << pair.target;
      ++apart;
    }
    if (!is_plain(source)) continue;
    if (contains(kAdverbs, source[0])) {
      const bool no = target[1] == "ne";
      const std::string verb = target[no ? 2 : 1];
      EXPECT_TRUE(verb.ends_with("e") || verb.ends_with("en")) << pair.target;
      EXPECT_TRUE(!no || target[3] == "pas") << pair.target;
      negated += no;
      // Many where an s, an "and" or "they" come before the verb.
      const auto at = static_cast<std::size_t>(pair.alignment[no ? 2 : 1].first) - (no ? 3 : 1);
      const bool and_another =
          contains(Words(source.begin(), source.begin() + static_cast<Index>(at)), "and");
      EXPECT_EQ(verb.ends_with("en"),
                and_another || source[at] == "they" || source[at].ends_with("s"))
          << pair.source << "\n"
          << pair.target;
      ++second;
    }
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (!contains({"because", "when", "while"}, source_of(i))) continue;
      std::size_t end = i + 1;
      const Words kEnds = {".", ",", "fordi", "kvan", "mentre"};
      while (!contains(kEnds, target[end])) ++end;
      if (target[end - 1] == "pas") --end;
      EXPECT_TRUE(target[end - 1].ends_with("e") || target[end - 1].ends_with("en")) << pair.target;
      ++last;
    }
  }
  EXPECT_GT(second, 300);
  EXPECT_GT(last, 300);
  EXPECT_GT(apart, 10);
  EXPECT_GT(negated, 30);
}

TEST(TranslationGrammar, ASourceHasOneTranslation) {
  std::map<std::string, std::string> seen;
  int twice = 0;
  for (const Pair& pair : pairs()) {
    const auto [place, added] = seen.emplace(pair.source, pair.target);
    twice += !added;
    EXPECT_EQ(place->second, pair.target) << pair.source;
  }
  EXPECT_GT(twice, 100);
}

TEST(TranslationGrammar, LengthsAndVocabularies) {
  std::map<std::size_t, int> tens;
  std::set<std::string> sources, targets;
  std::size_t shortest = 100, longest = 0;
  for (const Pair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    sources.insert(source.begin(), source.end());
    targets.insert(target.begin(), target.end());
    ++tens[source.size() / 10];
    shortest = std::min(shortest, source.size());
    longest = std::max(longest, source.size());
  }
  EXPECT_EQ(shortest, 3u);
  EXPECT_EQ(longest, 40u);
  for (const std::size_t ten : {0u, 1u, 2u, 3u}) EXPECT_GT(tens[ten], 2000) << ten;
  EXPECT_EQ(sources.size(), 135u);
  EXPECT_EQ(targets.size(), 200u);
}

TEST(TranslationGrammar, TheSameStreamGivesTheSamePairs) {
  Generator a(7), b(7), c(11);
  const auto first = generate_pairs(13, a), begun = generate_pairs(5, b);
  const auto rest = generate_pairs(8, b);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].source, (i < 5 ? begun[i] : rest[i - 5]).source);
    EXPECT_EQ(first[i].alignment, (i < 5 ? begun[i] : rest[i - 5]).alignment);
  }
  EXPECT_NE(generate_pairs(1, c)[0].source, first[0].source);
  EXPECT_TRUE(generate_pairs(0, c).empty());
}

}  // namespace
}  // namespace translation
