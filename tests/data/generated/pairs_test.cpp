#include "../../../data/generated/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace heed::data {
namespace {

using Words = std::vector<std::string>;

Words split(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

const std::vector<GeneratedPair>& pairs() {
  static const std::vector<GeneratedPair> kPairs = [] {
    Generator generator(1);
    return generate_pairs(20011, generator);
  }();
  return kPairs;
}

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Words kDeterminers = {"the", "a",    "some", "this", "these",
                            "my",  "your", "our",  "her",  "their"};
const Words kAdverbs = {"yesterday", "today", "often", "sometimes", "then", "soon"};

const Words kAdjectives = {"wise",    "young",    "small", "tall",  "brave",   "tired",
                           "old",     "cheerful", "blond", "pale",  "bearded", "famous",
                           "foreign", "quiet",    "rich",  "hungry"};
const Words kPlaces = {"with", "near", "behind", "before", "without", "beside"};

// Neither clauses within clauses nor places: one actor right before each verb.
bool is_plain(const Words& source) {
  for (const char* word : {"that", "who", "whom"}) {
    if (contains(source, word)) return false;
  }
  return std::none_of(kPlaces.begin(), kPlaces.end(),
                      [&](const std::string& word) { return contains(source, word); });
}

TEST(GeneratedPairs, TheSentenceOfTheHeader) {
  const std::string source =
      "yesterday Mark whom their brave cat did not like knew that her hunters rejected their dogs";
  for (const GeneratedPair& pair : pairs()) {
    if (pair.source != source) continue;
    EXPECT_EQ(pair.target,
              "hesta sabe Marko keo lor mata brava ne guste ke sin jegaros lor kanos visen");
    const std::vector<Index> links = {0, 9, 1, 2, 3, 5, 4, 7, 8, 10, 11, 12, 14, 15, 13};
    ASSERT_EQ(pair.alignment.size(), links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      EXPECT_EQ(pair.alignment[i], std::pair(links[i], static_cast<Index>(i)));
    }
    return;
  }
  FAIL() << "not one in 20,011";
}

TEST(GeneratedPairs, WordsAreLinkedOneToOneButDid) {
  for (const GeneratedPair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    std::vector<int> links(source.size());
    ASSERT_EQ(pair.alignment.size(), target.size());
    for (std::size_t i = 0; i < target.size(); ++i) {
      ASSERT_EQ(pair.alignment[i].second, static_cast<Index>(i));
      ++links.at(static_cast<std::size_t>(pair.alignment[i].first));
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      ASSERT_EQ(links[i], source[i] == "did" ? 0 : 1) << pair.source;
    }
  }
}

// Each word of the target stands for one word, or the two forms of one.
TEST(GeneratedPairs, WordsKeepTheirMeaning) {
  std::map<std::string, std::set<std::string>> meanings;
  for (const GeneratedPair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    for (const auto& [from, to] : pair.alignment) {
      meanings[target[static_cast<std::size_t>(to)]].insert(source[static_cast<std::size_t>(from)]);
    }
  }
  for (const auto& [word, sources] : meanings) EXPECT_LE(sources.size(), 2u) << word;
  EXPECT_THAT(meanings["ne"], testing::ElementsAre("not"));
  EXPECT_THAT(meanings["visen"], testing::ElementsAre("reject", "rejected"));
  EXPECT_THAT(meanings["eso"], testing::ElementsAre("these", "this"));
}

// Found again by the links: adjectives and relative pronouns end as their noun, an s for an s, and
// adjectives stand behind it, the last first.
TEST(GeneratedPairs, NounPhrasesAgree) {
  int adjectives = 0, plurals = 0, pronouns = 0;
  for (const GeneratedPair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    std::vector<std::size_t> place(source.size());  // in the target
    for (const auto& [from, to] : pair.alignment) {
      place[static_cast<std::size_t>(from)] = static_cast<std::size_t>(to);
    }
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
      if (!contains(kDeterminers, source[i])) continue;
      std::size_t noun = i + 1;
      while (contains(kAdjectives, source[noun])) ++noun;
      const bool many = source[noun].ends_with("s");
      const std::string& named = target[place[noun]];
      const std::string ending = named.substr(named.size() - (many ? 2 : 1));
      ASSERT_TRUE(ending == (many ? "os" : "o") || ending == (many ? "as" : "a")) << pair.target;
      ASSERT_EQ(place[noun], place[i] + 1) << pair.target;
      for (std::size_t k = i + 1; k < noun; ++k) {
        ASSERT_TRUE(target[place[k]].ends_with(ending)) << pair.target;
        ASSERT_EQ(place[k], place[noun] + noun - k) << pair.target;
        ++adjectives;
      }
      if (noun + 1 < source.size() && source[noun + 1].starts_with("who")) {
        const bool actor = source[noun + 1] == "who";
        ASSERT_EQ(target[place[noun + 1]], (actor ? "ki" : "ke") + ending) << pair.target;
        ++pronouns;
      }
      plurals += many;
    }
  }
  EXPECT_GT(adjectives, 10000);
  EXPECT_GT(plurals, 10000);
  EXPECT_GT(pronouns, 3000);
}

TEST(GeneratedPairs, VerbsStandSecondOrLastAndAgree) {
  int second = 0, last = 0, apart = 0, negated = 0;
  for (const GeneratedPair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    const auto source_of = [&](std::size_t i) {
      return source[static_cast<std::size_t>(pair.alignment[i].first)];
    };
    const auto is_verb = [](const std::string& word) {
      return word.ends_with("e") || word.ends_with("en");
    };
    // A noun, a place and a noun of another number, then the verb: of the first one's number.
    if (target.size() > 5 && contains(kDeterminers, source[0]) && contains(kPlaces, source[2]) &&
        contains(kDeterminers, source[3]) && !contains(kAdjectives, source[4]) &&
        source_of(5) == source[5] && is_verb(target[5])) {
      const bool many = source[1].ends_with("s");
      if (many == source[4].ends_with("s")) continue;
      EXPECT_EQ(target[5].ends_with("en"), many) << pair.target;
      ++apart;
    }
    if (!is_plain(source)) continue;
    if (contains(kAdverbs, source[0])) {
      const bool no = target[1] == "ne" || target[1] == "nunk";
      const std::string verb = target[no ? 2 : 1];
      EXPECT_TRUE(is_verb(verb)) << pair.target;
      negated += no;
      // Many where an s, an "and", "we" or "they" come before the verb.
      auto at = static_cast<std::size_t>(pair.alignment[no ? 2 : 1].first) - (no ? 2 : 1);
      if (source[at] == "did") --at;
      const bool and_another =
          contains(Words(source.begin(), source.begin() + static_cast<Index>(at)), "and");
      const bool many = source[at] == "we" || source[at] == "they" ||
                        (source[at].ends_with("s") && std::islower(source[at][0]));
      EXPECT_EQ(verb.ends_with("en"), and_another || many) << pair.source << "\n" << pair.target;
      ++second;
    }
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (!contains({"because", "when", "while", "although"}, source_of(i))) continue;
      std::size_t end = i + 1;
      const Words kEnds = {"mas", "dunk", "od", "fordi", "kvan", "mentre", "enda"};
      while (end < target.size() && !contains(kEnds, target[end])) ++end;
      EXPECT_TRUE(is_verb(target[end - 1])) << pair.target;
      ++last;
    }
  }
  EXPECT_GT(second, 300);
  EXPECT_GT(last, 300);
  EXPECT_GT(apart, 30);
  EXPECT_GT(negated, 30);
}

TEST(GeneratedPairs, ASourceHasOneTranslation) {
  std::map<std::string, std::string> seen;
  int twice = 0;
  for (const GeneratedPair& pair : pairs()) {
    const auto [place, added] = seen.emplace(pair.source, pair.target);
    twice += !added;
    EXPECT_EQ(place->second, pair.target) << pair.source;
  }
  EXPECT_GT(twice, 100);
}

TEST(GeneratedPairs, LengthsAndVocabularies) {
  std::map<std::size_t, int> tens;
  std::set<std::string> sources, targets;
  std::size_t shortest = 100, longest = 0;
  for (const GeneratedPair& pair : pairs()) {
    const Words source = split(pair.source), target = split(pair.target);
    sources.insert(source.begin(), source.end());
    targets.insert(target.begin(), target.end());
    ++tens[source.size() / 10];
    shortest = std::min(shortest, source.size());
    longest = std::max(longest, source.size());
  }
  EXPECT_EQ(shortest, 2u);
  EXPECT_EQ(longest, 40u);
  for (const std::size_t ten : {0u, 1u, 2u, 3u}) EXPECT_GT(tens[ten], 1000) << ten;
  EXPECT_EQ(sources.size(), 197u);
  EXPECT_EQ(targets.size(), 248u);
}

TEST(GeneratedPairs, TheSameStreamGivesTheSamePairs) {
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

// The same for ever: figures of programs that learn it stand in READMEs.
TEST(GeneratedPairs, AreThoseOfTheirSeed) {
  Generator generator(1);
  const auto pairs = generate_pairs(3, generator);
  EXPECT_EQ(pairs[0].target, "hesta gusten nos bombo i Elena nos kantora kia venke");
  EXPECT_EQ(pairs[1].target, "balde lyte Marja fordi Anja smile kvan min doma fama Elena bese");
  EXPECT_EQ(pairs[2].target,
            "odia kante le garda sulta kea lor versa fremda veka kea nos garda skega "
            "alta nunk vise sege od le jegaro famo guste lor medikas petitas keas Ruta "
            "apud le rego vide od le ekvo bleko smile");
}

}  // namespace
}  // namespace heed::data
