#include "../../data/text_parts.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "../../core/error.h"
#include "../io/temporary_folder.h"
#include "../support/places.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

namespace fs = std::filesystem;

class TextPartsFiles : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) const {
    return folder_.write(name, content);
  }

  TemporaryFolder folder_;
};

TEST_F(TextPartsFiles, TheLastTenthOfAFileIsForValidation) {
  const std::string text = "0123456789abcdefghi\nABCDEFGHIJ\n";  // 31 characters
  const TextParts corpus = read_text_parts(write("a.txt", text), TextLevel::characters);
  EXPECT_EQ(corpus.train, text.substr(0, 27));
  EXPECT_EQ(corpus.validation, text.substr(27));
  EXPECT_TRUE(corpus.test.empty());
}

TEST_F(TextPartsFiles, AFileIsCutBetweenWordsAndCharacters) {
  std::string words;
  for (int i = 0; i < 30; ++i) words += "häuser ";
  const TextParts by_word = read_text_parts(write("w.txt", words), TextLevel::words);
  EXPECT_EQ(tokens_of(by_word.train, TextLevel::words).size(), 27u);
  EXPECT_EQ(by_word.validation, "häuser häuser häuser \n");
  std::string umlauts;
  for (int i = 0; i < 29; ++i) umlauts += "ä";
  const TextParts by_character = read_text_parts(write("c.txt", umlauts), TextLevel::characters);
  EXPECT_EQ(by_character.validation, "ää\n");  // 3 of 30 tokens
}

TEST_F(TextPartsFiles, AFolderHasFilesOfItsOwn) {
  write("ptb.train.txt", "a b\n");
  write("ptb.valid.txt", "c\n");
  write("test.txt", "d\n");
  write("SOURCE-latest.txt", "not read\n");
  const TextParts corpus = read_text_parts(folder_.path().string(), TextLevel::words);
  EXPECT_EQ(corpus.train, "a b\n");
  EXPECT_EQ(corpus.validation, "c\n");
  EXPECT_EQ(corpus.test, "d\n");
}

TEST_F(TextPartsFiles, RefusesWhatItCannotUse) {
  EXPECT_ERROR_WITH(Error, "absent", read_text_parts(folder_ / "absent", TextLevel::words));
  EXPECT_ERROR_WITH(Error, "short.txt: at byte 0: 4 tokens are too few to learn from",
                    read_text_parts(write("short.txt", "three little words"), TextLevel::words));
  EXPECT_ERROR_WITH(Error, "the folder lacks a file named train or one named valid",
                    read_text_parts(folder_.path().string(), TextLevel::words));
}

TEST_F(TextPartsFiles, ReadsGzipAndRepairsWhatIsNotUtf8) {
  const std::string path = folder_ / "a.gz";
  const std::string text = "one two\r\nthree\xff four and some more\n";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const TextParts corpus = read_text_parts(path, TextLevel::characters);
  EXPECT_EQ(corpus.train + corpus.validation, "one two\nthree\xEF\xBF\xBD four and some more\n");
}

TEST(TextPartsOf, PennTreebankHasTenThousandWords) {
  const std::string path = data_folder() + "/ptb";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is absent";
  const TextParts corpus = read_text_parts(path, TextLevel::words);
  EXPECT_EQ(tokens_of(corpus.train, TextLevel::words).size(), 887521u + 42068u);
  EXPECT_EQ(tokens_of(corpus.test, TextLevel::words).size(), 78669u + 3761u);
  const Vocabulary vocabulary = vocabulary_of(corpus.train, TextLevel::words, 0);
  EXPECT_EQ(vocabulary.size(), 10000 + 1);  // and the padding
}

}  // namespace
}  // namespace heed::data
