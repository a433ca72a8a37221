#include "../../../data/generated/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace heed::data {
namespace {

// Reads a sentence by the rules of the grammar, and looks at each verb's noun.
class Reader {
 public:
  explicit Reader(const std::string& line) {
    std::istringstream in(line);
    for (std::string word; in >> word;) words_.push_back(word);
  }

  // False where a verb does not agree with its noun, or the words are no sentence.
  bool agrees() {
    verb(noun_phrase());
    if (peek() == "the") noun();
    if (peek() != ".") ++at_;  // an adverb
    return fine_ && peek() == "." && at_ + 1 == words_.size();
  }

 private:
  std::string peek() const { return at_ < words_.size() ? words_[at_] : ""; }

  // the [adjective] noun
  bool noun() {
    fine_ = fine_ && peek() == "the";
    ++at_;
    static const std::string kAdjectives = " old young small tall quiet brave tired proud ";
    if (kAdjectives.find(" " + peek() + " ") != std::string::npos) ++at_;
    const bool many = peek().ends_with("s");
    ++at_;
    return many;
  }

  // noun [near noun] [that verb noun | that noun-phrase verb]
  bool noun_phrase() {
    const bool many = noun();
    static const std::string kPlaces = " near behind beside with ";
    if (kPlaces.find(" " + peek() + " ") != std::string::npos) {
      ++at_;
      noun();
    }
    if (peek() != "that") return many;
    ++at_;
    if (peek() == "the") {
      verb(noun_phrase());
    } else {
      verb(many);
      noun();
    }
    return many;
  }

  void verb(bool many) {
    fine_ = fine_ && peek().ends_with("s") != many;
    ++at_;
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  bool fine_ = true;
};

TEST(GeneratedText, EveryVerbAgreesWithItsNoun) {
  Generator generator(3);
  const GeneratedText text = generate_text(997, generator);
  std::istringstream lines(text.text);
  std::size_t count = 0, clauses = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(Reader(line).agrees()) << line;
    clauses += line.find(" that ") != std::string::npos;
  }
  EXPECT_EQ(count, 997u);
  EXPECT_GT(clauses, 200u);
  EXPECT_FALSE(Reader("the dogs that the cat sees sleeps .").agrees());
}

// What counts of word pairs reach is above, as they know nothing of agreement, and not by far.
TEST(GeneratedText, ItsEntropyIsBelowThatOfItsWords) {
  Generator generator(5);
  const GeneratedText text = generate_text(4001, generator);
  std::map<std::string, double> pairs, firsts;
  std::istringstream in(text.text);
  std::string before = ".", word;
  double count = 0;
  for (; in >> word; ++count) {
    ++pairs[before + " " + word];
    ++firsts[before];
    before = word;
  }
  double bigrams = 0;
  for (const auto& [pair, n] : pairs) {
    bigrams -= n * std::log(n / firsts[pair.substr(0, pair.find(' '))]);
  }
  EXPECT_LT(text.nats, 0.97 * bigrams);
  EXPECT_GT(text.nats, 0.5 * bigrams);
}

TEST(GeneratedText, TheChanceOfAShortSentenceIsThatOfItsChoices) {
  // "the dog sleeps .": one; no adjective 2/3; dog 1/12; no place 3/4; no clause 3/5; no object
  // 1/2; sleep 1/8; no adverb 2/3.
  const double expected = -std::log(1.0 / 2 * 2 / 3 / 12 * 3 / 4 * 3 / 5 * 1 / 2 / 8 * 2 / 3);
  Generator generator(1);
  for (int i = 0; i < 100000; ++i) {
    const GeneratedText one = generate_text(1, generator);
    if (one.text != "the dog sleeps .\n") continue;
    EXPECT_NEAR(one.nats, expected, 1e-12);
    return;
  }
  FAIL() << "not one in 100,000";
}

// The same for ever: figures of programs that learn it stand in READMEs.
TEST(GeneratedText, IsThatOfItsSeed) {
  Generator generator(1);
  EXPECT_EQ(generate_text(2, generator).text,
            "the brave dogs beside the farmer that like the neighbours dream .\n"
            "the small bird that the king with the drivers likes sees the painters today .\n");
}

}  // namespace
}  // namespace heed::data
