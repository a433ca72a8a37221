#include "../../data/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;

TEST(Vocabulary, NumbersWordsByCountThenBytes) {
  const WordCounts counts = {{"b", 3}, {"a", 3}, {"the", 11}, {"é", 3}, {"rare", 1}, {"two", 2}};
  const Vocabulary v = Vocabulary::from_counts(counts, {.min_count = 2});
  EXPECT_EQ(v.serialize(), "<pad>\n<unk>\nthe\na\nb\né\ntwo\n");
  EXPECT_EQ(v.size(), 7);
  EXPECT_EQ(v.id("the"), 2);
  EXPECT_EQ(v.id("é"), 5);
  EXPECT_EQ(v.id("rare"), Vocabulary::kUnknown);
  EXPECT_EQ(v.id("<pad>"), Vocabulary::kPadding);
  EXPECT_EQ(v.word(3), "a");
  EXPECT_TRUE(v.contains("two"));
  EXPECT_FALSE(v.contains("rare"));
  EXPECT_THAT(v.ids({"b", "what", "the"}), ElementsAre(4, 1, 2));
}

TEST(Vocabulary, KeepsTheMostFrequentWords) {
  const WordCounts counts = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 2}};
  EXPECT_EQ(Vocabulary::from_counts(counts, {.max_words = 2}).serialize(), "<pad>\n<unk>\nc\nb\n");
  EXPECT_EQ(Vocabulary::from_counts(counts).size(), 6);
  EXPECT_EQ(Vocabulary().size(), 2);
}

TEST(Vocabulary, ChecksItsArguments) {
  const Vocabulary v({"a"});
  EXPECT_ERROR(IndexError, "Vocabulary: id 3 is not in [0, 3)", v.word(3));
  EXPECT_THROW(v.word(-1), IndexError);
  EXPECT_ERROR(ValueError, "Vocabulary: the word \"a\" a second time", Vocabulary({"a", "a"}));
  EXPECT_THROW(Vocabulary({"<unk>"}), ValueError);
  EXPECT_THROW(Vocabulary({""}), ValueError);
  EXPECT_THROW(Vocabulary({"a\nb"}), ValueError);
  EXPECT_THROW(Vocabulary({"\xFF"}), ValueError);
  EXPECT_ERROR(ValueError, "Vocabulary: min_count -1 and max_words 0 must not be negative",
               Vocabulary::from_counts({}, {.min_count = -1}));
  EXPECT_ERROR(ValueError, "Vocabulary: min_count 1 and max_words -1 must not be negative",
               Vocabulary::from_counts({}, {.max_words = -1}));
  EXPECT_EQ(Vocabulary::from_counts({{"never", 0}}, {.min_count = 0}).size(), 3);
}

TEST(Vocabulary, IsReadBackAsWritten) {
  const Vocabulary v({"film", "你", "don't", "two words"});
  const Vocabulary back = Vocabulary::parse(v.serialize(), "vocabulary.txt");
  EXPECT_EQ(back.serialize(), v.serialize());
  EXPECT_EQ(back.id("你"), 3);
  EXPECT_EQ(Vocabulary::parse(v.serialize(), "vocabulary.txt", 6).size(), 6);
  EXPECT_ERROR(FormatError, "vocabulary.txt: at byte 0: 6 words, but the model was trained with 7",
               Vocabulary::parse(v.serialize(), "vocabulary.txt", 7));
}

TEST(Vocabulary, IsReadStrictly) {
  const auto error = [](std::string_view content) {
    return message_of<FormatError>([&] { Vocabulary::parse(content, "v.txt"); });
  };
  EXPECT_EQ(error(""), "v.txt:1: the file ends where <pad> must be");
  EXPECT_EQ(error("<pad>\n"), "v.txt:2: the file ends where <unk> must be");
  EXPECT_EQ(error("film\n"), "v.txt:1: must be <pad>");
  EXPECT_EQ(error("<pad>\nfilm\n"), "v.txt:2: must be <unk>");
  EXPECT_EQ(error("<pad>\n<unk>\na\nb\na\n"), "v.txt:5: the word \"a\" a second time");
  EXPECT_EQ(error("<pad>\n<unk>\n<pad>\n"), "v.txt:3: the word \"<pad>\" a second time");
  EXPECT_EQ(error("<pad>\n<unk>\n\nb\n"), "v.txt:3: an empty word");
  EXPECT_EQ(error("<pad>\n<unk>\nb\r\n"), "v.txt:3: a word with a line end in it");
  EXPECT_EQ(error("<pad>\n<unk>\ncaf\xE9\n"), "v.txt:3: a word that is not valid UTF-8");
  EXPECT_EQ(error("<pad>\n<unk>\nfi"), "v.txt:3: the last line has no end: the file was cut short");
}

}  // namespace
}  // namespace heed::data
