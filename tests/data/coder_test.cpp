#include "../../data/subwords.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using heed::FormatError;
using heed::IndexError;
using heed::message_of;
using heed::ValueError;
using testing::ElementsAre;
using testing::StartsWith;
using Lines = std::vector<std::string>;

std::unique_ptr<Coder> learn(const Lines& lines, const CoderOptions& options) {
  std::vector<const std::string*> pointers;
  for (const std::string& line : lines) pointers.push_back(&line);
  return learn_coder(pointers, options);
}

std::unique_ptr<Coder> words(const Lines& lines) { return learn(lines, {.min_count = 1}); }

const Lines kText = {"the old dog saw the lower cat .", "der alte hund sah die schöne katze .",
                     "the newest and the lowest : 3,5 %", "老 狗 ! <s> \" ' a &amp; </s> <unk>"};

#define NEEDS_SUBWORDS() \
  if (!has_subwords()) GTEST_SKIP() << "built without sentencepiece"

TEST(Coder, NumbersWordsByFallingCount) {
  const Lines lines = {"b a  the", "the\ta the", "b rare", ""};
  const auto coder = learn(lines, {});
  EXPECT_EQ(coder->serialize(), "words\n<unk>\n<s>\n</s>\nthe\na\nb\n");
  EXPECT_EQ(coder->size(), 7);
  EXPECT_THAT(coder->encode("a rare the"), ElementsAre(5, kUnknown, 4));
  EXPECT_THAT(coder->encode(" the \t b\r"), ElementsAre(4, 6));
  EXPECT_TRUE(coder->encode(" ").empty());
  EXPECT_EQ(learn(lines, {.min_count = 1})->size(), 8);
  EXPECT_EQ(learn(lines, {.min_count = 1, .max_words = 1})->serialize(),
            "words\n<unk>\n<s>\n</s>\nthe\n");
}

TEST(Coder, DecodesWithoutMarks) {
  const auto coder = words({"a a a b b c"});
  EXPECT_EQ(coder->decode({kBegin, 4, 6, kUnknown, 5, kEnd, kPadding, kPadding}), "a c <unk> b");
  EXPECT_EQ(coder->decode({}), "");
  EXPECT_EQ(coder->part(5), "b");
  EXPECT_EQ(coder->part(kUnknown), "<unk>");
  EXPECT_ERROR(IndexError, "Vocabulary: id 7 is not in [0, 7)", coder->decode({4, 7}));
  EXPECT_THROW(coder->decode({-1}), IndexError);
  EXPECT_THROW(coder->part(7), IndexError);
}

TEST(Coder, AWordSpeltLikeAMarkIsUnknown) {
  const Lines lines = {"<s> a </s> <pad> <unk> <s> <s>"};
  const auto coder = words(lines);
  EXPECT_EQ(coder->size(), 5);
  EXPECT_THAT(coder->encode(lines[0]), ElementsAre(1, 4, 1, 1, 1, 1, 1));
  EXPECT_EQ(coder->join(coder->parts(lines[0])), lines[0]);
}

TEST(Coder, ReplacesWhatIsNotText) {
  const auto coder = words({"a\xff b", "\xc3"});
  EXPECT_THAT(coder->parts("a\xff b"), ElementsAre("a\uFFFD", "b"));
  EXPECT_THAT(coder->encode("a\xfe"), coder->encode("a\xff"));
  EXPECT_EQ(coder->decode(coder->encode("\xc3")), "\uFFFD");
  EXPECT_THAT(coder->parts(std::string("a\0b", 3)), ElementsAre("a", "b"));
}

TEST(Coder, TheLineComesBack) {
  std::vector<std::unique_ptr<Coder>> coders;
  coders.push_back(words(kText));
  if (has_subwords()) coders.push_back(learn(kText, {.subwords = 97}));
  for (const auto& coder : coders) {
    const auto again = parse_coder(coder->serialize(), "coder.txt");
    EXPECT_EQ(again->serialize(), coder->serialize());
    EXPECT_EQ(again->size(), coder->size());
    Lines lines = kText;
    lines.push_back("a ☃☃ word never seen : ž <pad> x☃y");
    for (const std::string& line : lines) {
      const auto ids = again->encode(line);
      EXPECT_EQ(ids, coder->encode(line));
      EXPECT_EQ(again->parts(line).size(), ids.size());
      EXPECT_EQ(again->join(again->parts(line)), line);
      for (const Index id : ids) EXPECT_TRUE(id == kUnknown || (id > kEnd && id < again->size()));
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(again->decode(again->encode(kText[i])), kText[i]);
  }
}

TEST(Coder, ChecksItsOptions) {
  const Lines some = {"a b"};
  EXPECT_ERROR(ValueError, "learn_coder: -1 subwords: must be in [0, 16777216]",
               learn(some, {.subwords = -1}));
  EXPECT_THROW(learn(some, {.subwords = Index{1} << 40}), ValueError);
  EXPECT_ERROR(ValueError, "learn_coder: min_count -3 and max_words 0 must not be negative",
               learn(some, {.min_count = -3}));
  EXPECT_THROW(learn(some, {.max_words = -1}), ValueError);
  for (const Lines& none : {Lines{}, Lines{"", " \t "}}) {
    for (const Index subwords : {0, 50}) {
      EXPECT_ERROR(ValueError, "learn_coder: the text has no words",
                   learn(none, {.subwords = subwords}));
    }
  }
}

TEST(Coder, ReadsOnlyWhatItWrote) {
  const auto wrong = [](const std::string& content) {
    return message_of<FormatError>([&] { parse_coder(content, "m/coder.txt"); });
  };
  const std::string marks = "words\n<unk>\n<s>\n</s>\n";
  EXPECT_EQ(parse_coder(marks, "m/coder.txt")->size(), 4);
  EXPECT_EQ(wrong(""), "m/coder.txt:1: must be \"words\" or \"subwords\"");
  EXPECT_EQ(wrong("<pad>\n<unk>\n<s>\n</s>\n"), wrong(""));
  EXPECT_EQ(wrong("words"), "m/coder.txt:1: the last line has no end: the file was cut short");
  EXPECT_EQ(wrong("words\n"), "m/coder.txt:2: the file ends where <unk> must be");
  EXPECT_EQ(wrong("words\n<unk>\n"), "m/coder.txt:3: must be <s>");
  EXPECT_EQ(wrong("words\n<unk>\n<s>\na\n"), "m/coder.txt:4: must be </s>");
  EXPECT_EQ(wrong(marks + "a"), "m/coder.txt:5: the last line has no end: the file was cut short");
  EXPECT_EQ(wrong(marks + "a\nb\na\n"), "m/coder.txt:7: the word \"a\" a second time");
  EXPECT_EQ(wrong(marks + "<s>\n"), "m/coder.txt:5: the word \"<s>\" a second time");
  EXPECT_EQ(wrong(marks + "a\n\nb\n"), "m/coder.txt:6: an empty word");
  EXPECT_EQ(wrong(marks + "a\nb c\n"), "m/coder.txt:6: a word with a blank in it");
  EXPECT_EQ(wrong(marks + "\xff\n"), "m/coder.txt:5: a word that is not valid UTF-8");
}

TEST(Coder, DamagedContentIsAnErrorOrAnotherCoder) {
  Lines contents = {words(kText)->serialize()};
  if (has_subwords()) contents.push_back(learn(kText, {.subwords = 83})->serialize());
  heed::Generator generator(5);
  int errors = 0, read = 0;
  for (const std::string& content : contents) {
    for (int trial = 0; trial < 1009; ++trial) {
      std::string damaged = content.substr(
          0, content.size() - static_cast<std::size_t>(trial % 7 == 0 ? generator.below(97) : 0));
      for (Index changes = generator.below(4); changes > 0; --changes) {
        const auto at = generator.below(static_cast<Index>(damaged.size()));
        damaged[static_cast<std::size_t>(at)] = static_cast<char>(generator.below(256));
      }
      try {
        const auto coder = parse_coder(damaged, "coder.txt");
        for (const std::string& line : kText) {
          const auto ids = coder->encode(line);
          for (const Index id : ids) ASSERT_TRUE(id >= 0 && id < coder->size());
          ASSERT_EQ(coder->parts(line).size(), ids.size());
          coder->decode(ids);
        }
        ++read;
      } catch (const FormatError& error) {
        EXPECT_THAT(error.what(), StartsWith("coder.txt:"));
        ++errors;
      }
    }
  }
  EXPECT_GT(errors, 300);
  EXPECT_GT(read, 300);
}

TEST(Coder, WithoutSentencepieceThereAreOnlyWords) {
  if (has_subwords()) GTEST_SKIP() << "built with sentencepiece";
  EXPECT_ERROR(ValueError, "subwords: this program was built without sentencepiece",
               learn(kText, {.subwords = 97}));
  EXPECT_ERROR(FormatError,
               "m/coder.txt: at byte 0: subwords: this program was built without sentencepiece",
               parse_coder("subwords\n<unk>\n<s>\n</s>\n▁a\n", "m/coder.txt"));
}

// Merged first is what stands together most often: "_a" 6 times, then "_ab" 4 times.
TEST(Coder, SubwordsAreMergedPairs) {
  NEEDS_SUBWORDS();
  const Lines lines = {"ab ab ac", "ab", "ac ab"};
  const auto coder = learn(lines, {.subwords = 10});
  EXPECT_EQ(coder->serialize(), "subwords\n<unk>\n<s>\n</s>\n▁a\n▁ab\na\n▁\nb\nc\n");
  EXPECT_THAT(coder->encode("ab ac  cab"), ElementsAre(5, 4, 9, 7, 9, 6, 8));
  EXPECT_THAT(coder->parts("ab ac  cab"), ElementsAre("▁ab", "▁a", "c", "▁", "c", "a", "b"));
  EXPECT_THAT(coder->encode("axxb"), ElementsAre(4, kUnknown, 8));
  EXPECT_THAT(coder->parts("axxb"), ElementsAre("▁a", "xx", "b"));
  EXPECT_EQ(coder->decode({kBegin, 5, 4, kUnknown, 9, 7, 7, 6, kEnd, kPadding}), "ab a<unk>c a");
  EXPECT_THROW(coder->decode({10}), IndexError);
  // There is nothing more to merge.
  EXPECT_LT(learn(lines, {.subwords = 5003})->size(), 17);
  EXPECT_ERROR(
      ValueError,
      "learn_coder: 7 subwords are too few: the marks and the text's different characters are 8",
      learn(lines, {.subwords = 7}));
  EXPECT_EQ(learn(lines, {.subwords = 8})->size(), 8);
}

TEST(Coder, SubwordsMayBeLong) {
  NEEDS_SUBWORDS();
  const std::string most(300, 'b'), more(120, 'c');
  const auto coder = parse_coder(
      "subwords\n<unk>\n<s>\n</s>\n\u2581a\n" + most + "\n" + more + "\na\n\u2581\n", "coder.txt");
  EXPECT_THAT(coder->encode("a aa"), ElementsAre(4, 4, 7));
  EXPECT_EQ(coder->part(5), most);
  EXPECT_EQ(coder->part(6), more);
}

TEST(Coder, SubwordsDoNotDependOnTheOrderOfLines) {
  NEEDS_SUBWORDS();
  Lines turned = kText;
  std::reverse(turned.begin(), turned.end());
  const std::string once = learn(kText, {.subwords = 97})->serialize();
  EXPECT_EQ(learn(kText, {.subwords = 97})->serialize(), once);
  EXPECT_EQ(learn(turned, {.subwords = 97})->serialize(), once);
}

TEST(Coder, SubwordsTakeAnyLine) {
  NEEDS_SUBWORDS();
  std::string many, one(20011, 'x');
  for (int i = 0; i < 10007; ++i) many += i % 3 == 0 ? "low " : "lower ";
  Lines lines = kText;
  lines.insert(lines.end(), {many, one, "a\xff ▁ b▁c", "▅ ⁇", std::string(1, '\0')});
  const auto coder = learn(lines, {.subwords = 113});
  many.pop_back();
  for (const std::string& line : {many, one}) {
    EXPECT_EQ(coder->join(coder->parts(line)), line);
    EXPECT_EQ(coder->parts(line).size(), coder->encode(line).size());
  }
  EXPECT_EQ(coder->decode(coder->encode(many)), many);
  // Its mark for a blank is a blank.
  EXPECT_EQ(coder->decode(coder->encode("a ▁ b▁c")), "a b c");
  EXPECT_EQ(coder->join(coder->parts("a\xff")), "a\uFFFD");
  EXPECT_TRUE(coder->encode(" ").empty());
  // A text of nothing but marks.
  const auto marks = learn({"<s> <s> </s> <s> <unk> <pad>"}, {.subwords = 41});
  for (const Index id : marks->encode("<s> </s>")) EXPECT_TRUE(id == kUnknown || id > kEnd);
  EXPECT_EQ(marks->join(marks->parts("<s> </s>")), "<s> </s>");
}

}  // namespace
}  // namespace heed::data
