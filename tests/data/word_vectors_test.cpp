#include "../../data/word_vectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;

TEST(WordVectors, AreReadWithAndWithoutAFirstLine) {
  const std::string lines = "ice 1 -2e-3\n  cr\xc3\xa9me  3.25 -0 \n";
  for (const std::string& content : {lines, "2 2\n" + lines, gzip(lines)}) {
    const TemporaryFile file(content);
    const WordVectors read = read_word_vectors(file.path());
    EXPECT_EQ(read.vocabulary.size(), 4);
    EXPECT_EQ(read.vocabulary.word(3), "cr\xc3\xa9me");
    EXPECT_EQ(read.rows.shape(), (Shape{4, 2}));
    EXPECT_THAT(read.rows.to_vector<float>(), ElementsAre(0, 0, 0, 0, 1, -2e-3F, 3.25F, 0));
  }
  const TemporaryFile unknown("a 1\n<unk> 7\n");
  const WordVectors read = read_word_vectors(unknown.path());
  EXPECT_EQ(read.vocabulary.size(), 3);
  EXPECT_THAT(read.rows.to_vector<float>(), ElementsAre(0, 7, 1));
  const TemporaryFile year("1984 0.5\n");  // a word, not how many there are
  EXPECT_EQ(read_word_vectors(year.path()).vocabulary.word(2), "1984");
}

TEST(WordVectors, GoToTheWordsThatAVocabularyKnows) {
  const TemporaryFile file("ice 1 2 3\n<unk> 9 9 9\nwarm 7 8 9\n");
  const WordVectors read = read_word_vectors(file.path());
  const Vocabulary known({"cold", "ice"});
  Array table = Array::full({4, 3}, 5, DType::f32);
  EXPECT_EQ(copy_known(read, known, table), 1);
  EXPECT_THAT(table.to_vector<float>(), ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 2, 3));
  Array narrow = Array::zeros({4, 2}, DType::f32);
  EXPECT_ERROR(ShapeError, "word vectors: of width 3 for a table f32[4, 2] of 4 words",
               copy_known(read, known, narrow));
}

TEST(WordVectors, AreReadBackToTheSameBits) {
  Generator generator(3);
  std::vector<std::vector<std::string>> texts;
  for (int i = 0; i < 29; ++i) texts.push_back({"the", "ice", "is", i % 2 ? "fine" : "cold"});
  texts.push_back({"<pad>", "seldom"});
  const WordVectors learned = learn_word_vectors(texts, 2, {.width = 7, .epochs = 2}, generator);
  EXPECT_EQ(learned.vocabulary.size(), 2 + 5);
  EXPECT_FALSE(learned.vocabulary.contains("seldom"));
  const auto numbers = learned.rows.to_vector<float>();
  EXPECT_THAT(std::vector<float>(numbers.begin(), numbers.begin() + 7), Each(0));
  EXPECT_NE(numbers[7], 0);
  const TemporaryFile file(to_text(learned));
  const WordVectors read = read_word_vectors(file.path());
  EXPECT_EQ(read.vocabulary.serialize(), learned.vocabulary.serialize());
  EXPECT_EQ(read.rows.to_vector<float>(), numbers);
}

TEST(WordVectors, AreNotWrittenWhereTheyCouldNotBeRead) {
  for (const char* word : {"a b", "a\tb", "\x7f"}) {
    const WordVectors vectors{Vocabulary({word}), Array::zeros({3, 2}, DType::f32)};
    EXPECT_ERROR_WITH(ValueError, "has a blank or a control character", to_text(vectors));
  }
}

std::string complaint(const std::string& content) {
  const TemporaryFile file(content);
  const std::string message = message_of<FormatError>([&] { read_word_vectors(file.path()); });
  EXPECT_THAT(message, StartsWith(file.path() + ":"));
  return message.substr(std::min(message.size(), file.path().size() + 1));
}

TEST(WordVectors, SayWhatIsWrong) {
  EXPECT_EQ(complaint(""), "1: word vectors: the file has no word");
  EXPECT_EQ(complaint("3 4\n"), "2: word vectors: the file has no word");
  EXPECT_EQ(complaint("3 1\na 1\n"), "2: word vectors: 1 words, but the first line says 3");
  EXPECT_EQ(complaint("a 1 2\nb 1\n"), "2: word vectors: 1 numbers, but 2 are wanted");
  EXPECT_EQ(complaint("1 2\na 1\n"), "2: word vectors: 1 numbers, but 2 are wanted");
  EXPECT_EQ(complaint("a\n"), "1: word vectors: a line must be a word and its numbers");
  EXPECT_EQ(complaint("a 1\n\n"), "2: word vectors: a line must be a word and its numbers");
  for (const char* number : {"x", "1x", "nan", "inf", "1e999", "0x1", "+1"}) {
    EXPECT_EQ(complaint(std::string("a 1 ") + number + "\n"),
              std::string("1: word vectors: \"") + number + "\" is no finite number");
  }
  EXPECT_EQ(complaint("a 1\na 2\n"), "2: word vectors: \"a\" comes twice");
  EXPECT_EQ(complaint("<unk> 1\n<unk> 2\n"), "2: word vectors: \"<unk>\" comes twice");
  EXPECT_EQ(complaint("<pad> 1\n"), "1: word vectors: <pad> has no vector");
  EXPECT_EQ(complaint("a\xff 1\n"), "1: word vectors: is not UTF-8");
  EXPECT_EQ(complaint("a\tb 1\n"), "1: word vectors: has a control character");
  EXPECT_THAT(message_of<IoError>([] { read_word_vectors("/no/such/file"); }),
              StartsWith("/no/such/file: "));
}

}  // namespace
}  // namespace heed::data
