#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../data/generated/belongings.h"
#include "../../../examples/cloze/corpus.h"
#include "../../io/temporary_folder.h"
#include "../../support/places.h"
#include "../../support/throws.h"

namespace cloze {
namespace {

std::set<std::vector<std::vector<std::string>>> passages_of(const std::vector<Cloze>& rows) {
  std::set<std::vector<std::vector<std::string>>> out;
  for (Cloze row : rows) {
    for (auto& sentence : row.passage) {
      for (std::string& word : sentence) word = word == data::kBlank ? row.answer : word;
    }
    out.insert(row.passage);
  }
  return out;
}

TEST(ClozeCorpus, GeneratedPartsDifferAndFollowTheSeed) {
  const Corpus a = load_corpus({.stories = 60, .seed = 3}, {}),
               same = load_corpus({.stories = 60, .seed = 3}, {}),
               b = load_corpus({.stories = 60, .seed = 4}, {});
  EXPECT_ERROR_WITH(FormatError, "generated:1: cloze: a passage of ",
                    load_corpus({.stories = 60}, {.passage = 50}));
  EXPECT_EQ(a.train.size(), 60U);
  EXPECT_EQ(a.validation.size(), 6U);
  EXPECT_EQ(a.test.size(), 6U);
  EXPECT_EQ(a.test[5].passage, same.test[5].passage);
  EXPECT_NE(a.train[0].passage, b.train[0].passage);
}

TEST(ClozeCorpus, MorePassagesToTrainOnAreNoneOfTheTest) {
  const Corpus usual = load_corpus({.seed = 3}, {}),
               few = load_corpus({.stories = 61, .seed = 3}, {}),
               many = load_corpus({.stories = 5011, .seed = 3}, {});
  Generator generator(3 + 0xc102e);
  const auto all = data::tell_belongings(5000 + 500 + 500 + 11, generator);
  const auto is = [&](const std::vector<Cloze>& part, std::size_t at, std::size_t begin) {
    return part.at(at).passage == all.at(begin + at).passage;
  };
  ASSERT_EQ(many.train.size(), 5011U);
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_TRUE(is(usual.validation, i, 5000) && is(many.validation, i, 5000)) << i;
    EXPECT_TRUE(is(usual.test, i, 5500) && is(many.test, i, 5500)) << i;
  }
  for (std::size_t i = 0; i < 5000; ++i) EXPECT_TRUE(is(many.train, i, 0)) << i;
  for (std::size_t i = 5000; i < 5011; ++i) EXPECT_TRUE(is(many.train, i, 1000)) << i;
  ASSERT_EQ(few.test.size(), 6U);
  EXPECT_TRUE(is(few.train, 60, 0) && is(few.validation, 5, 5000) && is(few.test, 5, 5500));
}

// A hen of 30 passages each, asked for once and, where queries are made, twice.
TEST(ClozeCorpus, PassagesAreHeldOutWithAllThatIsAskedOfThem) {
  const TemporaryFolder folder;
  std::string lines, questions, answers;
  for (int i = 0; i < 30; ++i) {
    const std::string hen =
        "hen" + std::string(1, static_cast<char>('a' + i % 26)) + (i < 26 ? "" : "x");
    lines += "1 ||| the " + hen + " ate all of it .\n2 ||| and the " + hen +
             " ran .\n3 ||| XXXXX ran . ||| " + hen + "\n";
    lines += "1 ||| nothing\n2 ||| XXXXX ran . ||| " + hen + "\n";
  }
  TemporaryFolder::put(folder / "cft.test.human", lines);
  TemporaryFolder::put(folder / "cft.test.auto", lines);
  TemporaryFolder::put(folder / "cmrc2017.user.valid.doc_query", "1 ||| a b\n<qid_0> ||| who ?\n");
  TemporaryFolder::put(folder / "cmrc2017.user.valid.answer", "<qid_0> ||| a\n");
  TemporaryFolder::put(folder / "cmrc2017.cloze.valid.doc_query",
                       "1 ||| a b\n<qid_0> ||| XXXXX b b b\n");
  TemporaryFolder::put(folder / "cmrc2017.cloze.valid.answer", "<qid_0> ||| b\n");
  const Corpus corpus = load_corpus({.path = folder / "", .made = 3}, {});
  EXPECT_EQ(corpus.left_out, 60);
  // Of the three that are held out nothing more is asked: no other passage has their hens.
  EXPECT_EQ(corpus.made, 27);
  EXPECT_EQ(corpus.train.size() + corpus.validation.size(), 88U);
  EXPECT_EQ(corpus.test.size(), 1U);
  const auto train = passages_of(corpus.train), held = passages_of(corpus.validation);
  EXPECT_EQ(train.size(), 28U);
  EXPECT_EQ(held.size(), 3U);
  for (const auto& passage : held) EXPECT_FALSE(train.contains(passage));
  EXPECT_EQ(load_corpus({.path = folder / "", .made = 0}, {}).made, 0);
  EXPECT_ERROR_WITH(FormatError, "doc_query:2: cloze: a query of 4 words, above 3",
                    load_corpus({.path = folder / ""}, {.query = 3}));
}

TEST(ClozeCorpus, IsThatOfCftAndCmrc) {
  const std::string path = data_folder() + "/cmrc_cft";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const Corpus corpus = load_corpus({.path = path, .made = 0}, {});
  EXPECT_EQ(corpus.train.size() + corpus.validation.size(), 5940U);
  EXPECT_EQ(corpus.left_out, 720);
  EXPECT_EQ(corpus.test.size(), 2000U);
}

}  // namespace
}  // namespace cloze
