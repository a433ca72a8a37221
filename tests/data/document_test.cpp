#include "../../data/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../data/document_batch.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Document, IsCutToItsLimits) {
  const Document document =
      make_document("One two three four. Five.<br /> * <br />Six! Seven.", {3, 2}, 5);
  EXPECT_THAT(document.sentences, ElementsAre(ElementsAre("one", "two"), ElementsAre("five", "."),
                                              ElementsAre("six", "!")));
  EXPECT_EQ(document.label, 5);
  EXPECT_THAT(make_document(" $ ", {}).sentences, IsEmpty());
  EXPECT_ERROR(ValueError, "document: limits of 0 sentences and 7 words must be positive",
               make_document("a", {0, 7}));
  EXPECT_THROW(make_document("a", {7, 0}), ValueError);
}

TEST(Document, MayHaveWordsOfAnotherKind) {
  const auto letters = [](std::string_view sentence) {
    std::vector<std::string> out;
    for (const char c : sentence) out.emplace_back(1, c);
    return out;
  };
  EXPECT_THAT(make_document("Ab c.\n\nDE", {3, 4}, letters).sentences,
              ElementsAre(ElementsAre("A", "b", " ", "c"), ElementsAre("D", "E")));
  EXPECT_ERROR(ValueError, "document: limits of 3 sentences and 0 words must be positive",
               make_document("a", {3, 0}, letters));
}

TEST(Document, TokensLieWhereTheWordsWereWritten) {
  const std::string text = "A Dog. %%\nThe Café<br />closed! 你好。吗";
  const DocumentLimits limits{.sentences = 5, .words = 3};
  const Document document = make_document(text, limits);
  const auto tokens = document_tokens(text, limits);
  ASSERT_EQ(tokens.size(), document.sentences.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ASSERT_EQ(tokens[i].size(), document.sentences[i].size());
    for (std::size_t k = 0; k < tokens[i].size(); ++k) {
      const Token& token = tokens[i][k];
      EXPECT_EQ(token.text, document.sentences[i][k]);
      EXPECT_EQ(tokenize(text.substr(token.begin, token.end - token.begin)),
                std::vector<std::string>{token.text});
    }
  }
  EXPECT_EQ(text.substr(tokens[1][1].begin, 5), "Café");
}

TEST(Document, IsCountedAndEncoded) {
  const Document document = make_document("the cat saw the dog. the end", {}, 1);
  WordCounts counts;
  count_words(document, counts);
  EXPECT_EQ(counts["the"], 3);
  EXPECT_EQ(counts["."], 1);
  const EncodedDocument encoded = encode(document, Vocabulary({"the", "dog"}));
  EXPECT_THAT(encoded.sentences, ElementsAre(ElementsAre(2, 1, 1, 2, 3, 1), ElementsAre(2, 1)));
  EXPECT_EQ(encoded.label, 1);
}

TEST(DocumentBatch, PutsTheSentencesOfAllDocumentsInOneBlock) {
  const std::vector<EncodedDocument> documents = {
      {{{2, 3, 4}, {}, {5}}, 1}, {{{9, 9, 9, 9, 9, 9, 9}}, 0}, {{}, kNoLabel}, {{{6, 7}}, 2}};
  const DocumentBatch batch = make_document_batch(documents, {3, 0, 2});
  EXPECT_EQ(batch.words.shape(), (Shape{4, 3}));
  EXPECT_THAT(batch.words.to_vector<Index>(), ElementsAre(6, 7, 0, 2, 3, 4, 5, 0, 0, 1, 0, 0));
  EXPECT_THAT(batch.word_counts, ElementsAre(2, 3, 1, 1));
  EXPECT_THAT(batch.sentence_counts, ElementsAre(1, 2, 1));
  EXPECT_THAT(batch.labels.to_vector<Index>(), ElementsAre(2, 1, -1));
  EXPECT_THAT(lengths_of(documents),
              ElementsAre(LengthKey{2, 3}, LengthKey{1, 7}, LengthKey{0, 0}, LengthKey{1, 2}));
}

TEST(DocumentBatch, ChecksItsIndices) {
  const std::vector<EncodedDocument> documents(3);
  EXPECT_ERROR(IndexError, "make_document_batch: index 3 is not in [0, 3)",
               make_document_batch(documents, {0, 3}));
  EXPECT_THROW(make_document_batch(documents, {-1}), IndexError);
  EXPECT_ERROR(ValueError, "make_document_batch: there are no indices",
               make_document_batch(documents, {}));
}

}  // namespace
}  // namespace heed::data
