#include "../../../data/generated/belongings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

const std::set<std::string> kGets = {"bought", "found", "given", "inherited"},
                            kLacks = {"wanted", "sold", "lost", "saw"};

bool has(const std::vector<std::string>& sentence, const std::string& word) {
  return std::find(sentence.begin(), sentence.end(), word) != sentence.end();
}
bool any(const std::vector<std::string>& sentence, const std::set<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const auto& word) { return has(sentence, word); });
}

TEST(GeneratedBelongings, OnePersonOwnsWhatIsAskedFor) {
  Generator generator(3), same(3), other(4);
  const auto rows = tell_belongings(211, generator);
  ASSERT_EQ(rows.size(), 211U);
  for (const Cloze& row : rows) {
    check_cloze(row, "told");
    ASSERT_EQ(row.passage.size(), 12U);
    ASSERT_EQ(row.query.size(), 6U);
    std::map<std::string, int>
        named;  // the three times the answer is, and what else comes three times
    int owners = 0, lacking = 0;
    for (const auto& sentence : row.passage) {
      EXPECT_NE(any(sentence, kGets), any(sentence, kLacks));
      EXPECT_FALSE(has(sentence, "owns"));
      for (const std::string& word : sentence) ++named[word];
      if (!has(sentence, row.query[3]) || !has(sentence, row.query[4])) continue;
      ++(any(sentence, kGets) ? owners : lacking);
      EXPECT_EQ(has(sentence, row.answer), any(sentence, kGets));
    }
    EXPECT_EQ(owners, 1);
    EXPECT_EQ(lacking, 1);
    EXPECT_EQ(named[row.answer], 3);
  }
  EXPECT_EQ(tell_belongings(211, same)[210].passage, rows[210].passage);
  EXPECT_NE(tell_belongings(211, other)[210].passage, rows[210].passage);
  EXPECT_EQ(rows[210].line, 211U);
  EXPECT_TRUE(tell_belongings(0, other).empty());
  EXPECT_ERROR(ValueError, "belongings: -1 passages cannot be told", tell_belongings(-1, other));
}

// Each of the six things that a passage tells of is asked for about as often as the others.
TEST(GeneratedBelongings, ThePassageDoesNotTellWhatIsAskedFor) {
  Generator generator(5);
  std::map<std::string, int> answers;
  int first = 0;
  const auto rows = tell_belongings(2003, generator);
  for (const Cloze& row : rows) {
    ++answers[row.answer];
    first += has(row.passage[0], row.query[3]) && has(row.passage[0], row.query[4]);
  }
  EXPECT_EQ(answers.size(), 16U);
  EXPECT_NEAR(first, 2003 / 6.0, 60);
}

}  // namespace
}  // namespace heed::data
