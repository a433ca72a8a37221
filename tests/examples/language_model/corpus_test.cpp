#include "../../../examples/language_model/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "../../../core/error.h"
#include "../../support/places.h"

namespace language_model {
namespace {

namespace fs = std::filesystem;
using heed::data::Vocabulary;
using testing::ElementsAre;
using testing::HasSubstr;

class LanguageModelCorpus : public testing::Test {
 protected:
  LanguageModelCorpus() { fs::create_directories(folder_); }
  ~LanguageModelCorpus() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  fs::path folder_ =
      fs::temp_directory_path() / ("heed_language_model_corpus_" + std::to_string(::getpid()));
};

std::string refusal(const std::string& path, Level level) {
  try {
    load_corpus({.path = path}, level);
  } catch (const heed::Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(LanguageModelCorpus, TheLastTenthOfAFileIsForValidation) {
  const std::string text = "0123456789abcdefghi\nABCDEFGHIJ\n";  // 31 characters
  const Corpus corpus = load_corpus({.path = write("a.txt", text)}, Level::characters);
  EXPECT_EQ(corpus.train, text.substr(0, 27));
  EXPECT_EQ(corpus.validation, text.substr(27));
  EXPECT_TRUE(corpus.test.empty());
  EXPECT_TRUE(std::isnan(corpus.validation_nats));
}

TEST_F(LanguageModelCorpus, AFileIsCutBetweenWordsAndCharacters) {
  std::string words;
  for (int i = 0; i < 30; ++i) words += "häuser ";
  const Corpus by_word = load_corpus({.path = write("w.txt", words)}, Level::words);
  EXPECT_EQ(tokens_of(by_word.train, Level::words).size(), 27u);
  EXPECT_EQ(by_word.validation, "häuser häuser häuser \n");
  std::string umlauts;
  for (int i = 0; i < 29; ++i) umlauts += "ä";
  const Corpus by_character = load_corpus({.path = write("c.txt", umlauts)}, Level::characters);
  EXPECT_EQ(by_character.validation, "ää\n");  // 3 of 30 tokens
}

TEST_F(LanguageModelCorpus, AFolderHasFilesOfItsOwn) {
  write("ptb.train.txt", "a b\n");
  write("ptb.valid.txt", "c\n");
  write("test.txt", "d\n");
  write("SOURCE-latest.txt", "not read\n");
  const Corpus corpus = load_corpus({.path = folder_.string()}, Level::words);
  EXPECT_EQ(corpus.train, "a b\n");
  EXPECT_EQ(corpus.validation, "c\n");
  EXPECT_EQ(corpus.test, "d\n");
}

TEST_F(LanguageModelCorpus, RefusesWhatItCannotUse) {
  EXPECT_THAT(refusal((folder_ / "absent").string(), Level::words), HasSubstr("absent"));
  EXPECT_THAT(refusal(write("short.txt", "three little words"), Level::words),
              HasSubstr("short.txt: at byte 0: 4 tokens are too few to learn from"));
  EXPECT_THAT(refusal(folder_.string(), Level::words),
              HasSubstr("the folder lacks a file named train or one named valid"));
  EXPECT_THROW(level_of("line"), heed::ValueError);
}

TEST_F(LanguageModelCorpus, ReadsGzipAndRepairsWhatIsNotUtf8) {
  const std::string path = (folder_ / "a.gz").string();
  const std::string text = "one two\r\nthree\xff four and some more\n";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  const Corpus corpus = load_corpus({.path = path}, Level::characters);
  EXPECT_EQ(corpus.train + corpus.validation, "one two\nthree\xEF\xBF\xBD four and some more\n");
}

TEST(LanguageModelTokens, CharactersAndWordsComeBack) {
  const std::string text = "the cat\nä cat \n";
  EXPECT_THAT(tokens_of(text, Level::words), ElementsAre("the", "cat", "\n", "ä", "cat", "\n"));
  EXPECT_EQ(tokens_of(text, Level::characters).size(), 15u);
  for (const Level level : {Level::characters, Level::words}) {
    const Vocabulary vocabulary = vocabulary_of(text, level, 0);
    EXPECT_TRUE(vocabulary.contains("<eos>"));
    EXPECT_EQ(vocabulary.size(), level == Level::words ? 6 : 10);
    EXPECT_EQ(decode(encode(text, level, vocabulary), level, vocabulary),
              level == Level::words ? "the cat\nä cat\n" : text);
  }
  const Vocabulary two = vocabulary_of("<unk> a b a\n", Level::words, 2);
  EXPECT_THAT(
      encode("<unk> a zebra\n", Level::words, two),
      ElementsAre(Vocabulary::kUnknown, two.id("a"), Vocabulary::kUnknown, two.id("<eos>")));
}

TEST(LanguageModelTokens, PennTreebankHasTenThousandWords) {
  const std::string path = heed::data_folder() + "/ptb";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is absent";
  const Corpus corpus = load_corpus({.path = path}, Level::words);
  EXPECT_EQ(tokens_of(corpus.train, Level::words).size(), 887521u + 42068u);
  EXPECT_EQ(tokens_of(corpus.test, Level::words).size(), 78669u + 3761u);
  const Vocabulary vocabulary = vocabulary_of(corpus.train, Level::words, 0);
  EXPECT_EQ(vocabulary.size(), 10000 + 1);  // and the padding
}

TEST(LanguageModelGenerated, TheSameSeedGivesTheSameTextAndPartsDiffer) {
  const CorpusOptions options{.path = "", .sentences = 211, .seed = 7};
  const Corpus a = load_corpus(options, Level::words), b = load_corpus(options, Level::words);
  EXPECT_EQ(a.train, b.train);
  EXPECT_EQ(a.validation, b.validation);
  EXPECT_FALSE(a.train.starts_with(a.validation));
  EXPECT_NE(a.train, load_corpus({.path = "", .sentences = 211, .seed = 8}, Level::words).train);
  EXPECT_EQ(std::count(a.train.begin(), a.train.end(), '\n'), 211);
  EXPECT_EQ(std::count(a.validation.begin(), a.validation.end(), '\n'), 21);
}

}  // namespace
}  // namespace language_model
