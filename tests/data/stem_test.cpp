#include "../../data/stem.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace heed::data {
namespace {

// The words of the paper's own lists, step 1.
TEST(Stem, IsPortersFirstStep) {
  const std::map<std::string, std::string> kStems = {
      {"caresses", "caress"},  {"ponies", "poni"},       {"ties", "ti"},
      {"caress", "caress"},    {"cats", "cat"},          {"feed", "feed"},
      {"agreed", "agree"},     {"plastered", "plaster"}, {"bled", "bled"},
      {"motoring", "motor"},   {"sing", "sing"},         {"conflated", "conflate"},
      {"troubled", "trouble"}, {"sized", "size"},        {"hopping", "hop"},
      {"tanned", "tan"},       {"falling", "fall"},      {"hissing", "hiss"},
      {"fizzed", "fizz"},      {"failing", "fail"},      {"filing", "file"},
      {"happy", "happi"},      {"sky", "sky"},           {"playing", "plai"},
      {"plays", "plai"},       {"crying", "cry"}};
  for (const auto& [word, expected] : kStems) EXPECT_EQ(stem(word), expected) << word;
}

TEST(Stem, LeavesOtherWordsAlone) {
  for (const std::string word :
       {"", "is", "as", "children's", "caf\xC3\xA9s", "90s", ",", "\xFFs"}) {
    EXPECT_EQ(stem(word), word);
  }
  EXPECT_EQ(stem("sss"), "sss");
  EXPECT_EQ(stem("yyy"), "yyi");
  EXPECT_EQ(stem("ing"), "ing");
  // Each other "y" of many is a vowel; a word may be as long as memory.
  EXPECT_EQ(stem("byyed"), "by");
  const std::string many(2000003, 'y');
  EXPECT_EQ(stem(many + "ing"), many.substr(2) + "i");
}

}  // namespace
}  // namespace heed::data
