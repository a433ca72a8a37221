#include "../../data/parallel_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "../../core/error.h"
#include "../support/places.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using Lines = std::vector<std::string>;
using Numbers = std::vector<std::uint64_t>;

ParallelText read(std::string_view source, std::string_view target,
                  const ParallelOptions& options = {}) {
  const TemporaryFile a(source, "a.en"), b(target, "b.de");
  return read_parallel(a.path(), b.path(), options);
}

ParallelText read_tsv(std::string_view content, const ParallelOptions& options = {}) {
  const TemporaryFile file(content, "a.tsv");
  return read_parallel_tsv(file.path(), options);
}

// Without folders.
template <class E, class Body>
std::string error_of(const Body& body) {
  std::string message = message_of<E>(body);
  for (std::size_t at; (at = message.find("/heed-test-")) != std::string::npos;) {
    const std::size_t begin =
        message.rfind(' ', at) == std::string::npos ? 0 : message.rfind(' ', at) + 1;
    message.erase(begin, message.find('/', at + 1) + 1 - begin);
  }
  return message;
}

TEST(ParallelText, KeepsEveryLineByDefault) {
  const ParallelText text = read("one\n\n  \nfour five\nlast", "eins\r\nzwei\r\n\r\nvier f\n\n");
  EXPECT_EQ(text.source, (Lines{"one", "", "  ", "four five", "last"}));
  EXPECT_EQ(text.target, (Lines{"eins", "zwei", "", "vier f", ""}));
  EXPECT_EQ(text.lines, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(text.empty + text.too_long + text.unequal + text.repaired, 0);
}

TEST(ParallelText, ReadsGzipBesidePlain) {
  const ParallelText text = read(gzip("one\ntwo\n"), "eins\nzwei\n");
  EXPECT_EQ(text.source, (Lines{"one", "two"}));
  EXPECT_EQ(text.target, (Lines{"eins", "zwei"}));
}

TEST(ParallelText, GoesOnWithAnother) {
  ParallelText text = read("one\n\n", "eins\nzwei\n", {.skip_empty = true});
  append(text, read("\nthree\n \nfour\n", "a\ndrei\nb\nvier\n", {.skip_empty = true}));
  EXPECT_EQ(text.source, (Lines{"one", "three", "four"}));
  EXPECT_EQ(text.target, (Lines{"eins", "drei", "vier"}));
  EXPECT_EQ(text.lines, (Numbers{1, 2, 4}));
  EXPECT_EQ(text.empty, 3);
}

TEST(ParallelText, LeavesOutAndCounts) {
  const ParallelOptions options{.skip_empty = true, .max_words = 5, .max_ratio = 2.0};
  const ParallelText text = read(
      "a b\n"          // kept
      "\n"             // empty
      "a b c d e f\n"  // too long
      "a b c d e\n"    // unequal
      "\xC2\xA0 \t\n"  // empty: a no-break space is a space
      "a b c d\n"      // kept, just
      "a\n"            // too long before unequal
      "a b c d e\n",   // kept
      "x\nx\nx y z\nx y\nx\nx y\nu v w x y z\nx y z u v\n", options);
  EXPECT_EQ(text.source, (Lines{"a b", "a b c d", "a b c d e"}));
  EXPECT_EQ(text.target, (Lines{"x", "x y", "x y z u v"}));
  EXPECT_EQ(text.lines, (Numbers{1, 6, 8}));
  EXPECT_EQ(text.empty, 2);
  EXPECT_EQ(text.too_long, 2);
  EXPECT_EQ(text.unequal, 1);
}

TEST(ParallelText, FiltersOneByOne) {
  const std::string source = "a b c\n\na\n\n", target = "x\ny\n\n\n";
  const ParallelText no_empty = read(source, target, {.skip_empty = true});
  EXPECT_EQ(no_empty.lines, Numbers{1});
  EXPECT_EQ(no_empty.empty, 3);
  const ParallelText short_ones = read(source, target, {.max_words = 2});
  EXPECT_EQ(short_ones.lines, (Numbers{2, 3, 4}));
  EXPECT_EQ(short_ones.too_long, 1);
  // Nothing is any number of times longer than nothing, but for nothing.
  const ParallelText alike = read(source, target, {.max_ratio = 3.0});
  EXPECT_EQ(alike.lines, (Numbers{1, 4}));
  EXPECT_EQ(alike.unequal, 2);
}

// Where no blanks stand between words, each ideograph counts.
TEST(ParallelText, CountsIdeographsOneByOne) {
  const std::string source = "I like to eat fresh apples\nno\n";
  const std::string target = "我喜欢吃新鲜的苹果\n我喜欢 OK\n";
  const ParallelText text = read(source, target, {.max_words = 9, .max_ratio = 3.0});
  EXPECT_EQ(text.lines, Numbers{1});
  EXPECT_EQ(text.unequal, 1);
  EXPECT_EQ(read(source, target, {.max_words = 8}).too_long, 1);
}

TEST(ParallelText, ALineOfTenThousandWords) {
  std::string line;
  for (int i = 0; i < 10000; ++i) line += "word ";
  const std::string source = "a\n" + line + "\nb\n", target = "x\ny\nz\n";
  const ParallelText kept = read(source, target);
  EXPECT_EQ(kept.source, (Lines{"a", line, "b"}));
  const ParallelText filtered = read(source, target, {.max_words = 9999});
  EXPECT_EQ(filtered.lines, (Numbers{1, 3}));
  EXPECT_EQ(filtered.too_long, 1);
  EXPECT_EQ(read(source, target, {.max_words = 10000}).too_long, 0);
}

TEST(ParallelText, RepairsWhatIsNotUtf8) {
  const ParallelText text = read("caf\xE9\nb\n\xFF\n", "x\n\xC3\n\n", {.skip_empty = true});
  EXPECT_EQ(text.source, (Lines{"caf\uFFFD", "b"}));
  EXPECT_EQ(text.target, (Lines{"x", "\uFFFD"}));
  EXPECT_EQ(text.repaired, 2);
  EXPECT_EQ(text.empty, 1);
}

TEST(ParallelText, NamesTheLineWhereAFileEnds) {
  EXPECT_EQ(error_of<FormatError>([] { read("a\nb\nc\nd\ne\n", "x\ny\nz\n"); }),
            "b.de:4: the file ends after 3 lines, but a.en has 5; the same line of both is a pair");
  EXPECT_EQ(error_of<FormatError>([] { read("a\n", "x\n\n"); }),
            "a.en:2: the file ends after 1 lines, but b.de has 2; the same line of both is a pair");
  EXPECT_EQ(error_of<FormatError>([] { read("", "x\n"); }),
            "a.en:1: the file ends after 0 lines, but b.de has 1; the same line of both is a pair");
  EXPECT_EQ(error_of<FormatError>([] { read("", ""); }), "a.en:1: the file is empty");
  const TemporaryFile file("a\n", "a.en");
  EXPECT_EQ(error_of<IoError>([&] { read_parallel(file.path(), file.folder() + "/no"); }),
            "no: open: No such file or directory");
  EXPECT_THROW(read_parallel(file.folder(), file.path()), IoError);
}

TEST(ParallelText, ReadsTsv) {
  const ParallelText text = read_tsv("a b\tx\n\nc\t\n\tz\n");
  EXPECT_EQ(text.source, (Lines{"a b", "", "c", ""}));
  EXPECT_EQ(text.target, (Lines{"x", "", "", "z"}));
  EXPECT_EQ(text.lines, (Numbers{1, 2, 3, 4}));
  // Further columns, such as where a sentence came from, are passed over.
  const ParallelText more = read_tsv(gzip("\na\tx\tby A\nb\ty\t\n"), {.skip_empty = true});
  EXPECT_EQ(more.source, (Lines{"a", "b"}));
  EXPECT_EQ(more.target, (Lines{"x", "y"}));
  EXPECT_EQ(more.lines, (Numbers{2, 3}));
  EXPECT_EQ(more.empty, 1);
}

TEST(ParallelText, NamesTheLineOfTsvThatIsWrong) {
  EXPECT_EQ(error_of<FormatError>([] { read_tsv("a\tx\nb\n"); }),
            "a.tsv:2: 1 column; needs source and target");
  EXPECT_EQ(error_of<FormatError>([] { read_tsv("a\n"); }),
            "a.tsv:1: 1 column; needs source and target");
  EXPECT_EQ(error_of<FormatError>([] { read_tsv("\na\tx\nb\ty\tz\n"); }),
            "a.tsv:3: 3 columns, but the first line has 2");
  EXPECT_EQ(error_of<FormatError>([] { read_tsv(""); }), "a.tsv:1: the file is empty");
}

TEST(ParallelText, ChecksItsOptions) {
  EXPECT_EQ(error_of<ValueError>([] { read("a\n", "x\n", {.max_words = -3}); }),
            "parallel text: max_words is -3; needs at least 0");
  EXPECT_EQ(error_of<ValueError>([] { read("a\n", "x\n", {.max_ratio = 0.5}); }),
            "parallel text: max_ratio is 0.5; needs 0 or at least 1");
  EXPECT_THROW(read("a\n", "x\n", {.max_ratio = std::nan("")}), ValueError);
  EXPECT_THROW(read("a\n", "x\n", {.max_ratio = HUGE_VAL}), ValueError);
  EXPECT_EQ(read("a\nb c\n", "x\ny\n", {.max_ratio = 1}).unequal, 1);
  EXPECT_THROW(read_tsv("a\tx\n", {.max_words = -1}), ValueError);
}

TEST(ParallelText, SaysWhatWasLeftOut) {
  ParallelText text;
  EXPECT_EQ(left_out(text), "");
  text.empty = 1;
  text.repaired = 5;
  EXPECT_EQ(left_out(text), "1 empty");
  text.unequal = 4;
  EXPECT_EQ(left_out(text), "1 empty, 4 of unequal lengths");
  text.empty = 0;
  text.too_long = 3;
  EXPECT_EQ(left_out(text), "3 too long, 4 of unequal lengths");
}

TEST(ParallelText, ReadsMulti30k) {
  const std::string folder = data_folder() + "/multi30k/";
  const auto path = [&](const std::string& part, const std::string& language) {
    return folder + part + ".lc.norm.tok." + language + ".gz";
  };
  if (!std::filesystem::exists(path("train", "en"))) GTEST_SKIP() << "no " << folder;
  const ParallelText test =
      read_parallel(path("test_2016_flickr", "en"), path("test_2016_flickr", "de"));
  EXPECT_EQ(test.source.size(), 1000U);
  EXPECT_EQ(test.repaired, 0);
  const ParallelText train = read_parallel(path("train", "en"), path("train", "de"),
                                           {.skip_empty = true, .max_words = 30, .max_ratio = 3.0});
  EXPECT_EQ(static_cast<Index>(train.source.size()) + train.empty + train.too_long + train.unequal,
            29000);
  EXPECT_EQ(train.target.size(), train.source.size());
  EXPECT_GT(train.too_long, 0);
  EXPECT_LT(train.too_long, 1000);
}

}  // namespace
}  // namespace heed::data
