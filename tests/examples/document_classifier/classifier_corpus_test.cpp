#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../../examples/document_classifier/corpus.h"
#include "../../io/temporary_folder.h"
#include "../../support/throws.h"

namespace document_classifier {
namespace {

// Whatever is held out, some class is not among what is left to train on.
TEST(ClassifierCorpus, AClassThatIsHeldOutIsKnown) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 29; ++i) lines += fmt::format("class{}\ta text .\n", 10 + i);
  TemporaryFolder::put(folder / "rare.tsv", lines);
  CorpusOptions options;
  options.path = folder / "rare.tsv";
  options.columns = {.label = "1", .text = "2"};
  TextReader reader;
  const Corpus corpus = load_corpus(options, reader, {});
  EXPECT_EQ(corpus.classes.size(), 29U);
  EXPECT_EQ(corpus.test.size(), 6U);
  EXPECT_EQ(corpus.train.size() + corpus.validation.size(), 23U);
  EXPECT_ERROR_WITH(FormatError, "is none of those known",
                    load_corpus(options, reader, {"a", "b"}));
}

// A folder's test files say nothing of what there is to learn.
TEST(ClassifierCorpus, AClassOfTestFilesAloneIsRefused) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "train.tsv", "a\tx .\nb\ty .\na\tz .\nb\tx .\n");
  TemporaryFolder::put(folder / "test.tsv", "a\tx .\nc\ty .\n");
  CorpusOptions options;
  options.path = folder.path();
  options.columns = {.label = "1", .text = "2"};
  TextReader reader;
  EXPECT_ERROR_WITH(FormatError, "test.tsv:2: class \"c\"", load_corpus(options, reader, {}));
}

// Of two documents one is for the test, so that none is left.
TEST(ClassifierCorpus, WithoutADocumentToValidateOnIsRefused) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "two.tsv", "a\tx .\nb\ty .\n");
  CorpusOptions options;
  options.path = folder / "two.tsv";
  options.columns = {.label = "1", .text = "2"};
  TextReader reader;
  EXPECT_ERROR_WITH(FormatError, "too few documents to validate on any",
                    load_corpus(options, reader, {}));
}

}  // namespace
}  // namespace document_classifier
