// What errors carry beside their words.
#include "../../core/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "../../core/scope.h"
#include "../support/named_part.h"

namespace heed {
namespace {

TEST(Error, OutsideOfAllScopesHasNoPlace) {
  const ValueError error("add: no");
  EXPECT_STREQ(error.what(), "add: no");
  EXPECT_STREQ(error.message(), "add: no");
  EXPECT_EQ(error.where(), "");
}

TEST(Error, KnowsItsPlaceAndItsWordsApart) {
  const NamedPart part("encoder.layers.2");
  const Scope scope(part);
  const ShapeError error("add: no");
  EXPECT_STREQ(error.what(), "encoder.layers.2: add: no");
  EXPECT_STREQ(error.message(), "add: no");
  EXPECT_EQ(error.where(), "encoder.layers.2");
}

TEST(Error, ThatQuotesAnotherHasThePathOnce) {
  const NamedPart part("decoder");
  const Scope scope(part);
  const IndexError inner("embedding: id 7");
  const ValueError outer("batch 3: " + std::string(inner.what()) + ", of 5");
  EXPECT_STREQ(outer.what(), "decoder: batch 3: embedding: id 7, of 5");
  const ValueError again(outer.what());
  EXPECT_STREQ(again.what(), "decoder: batch 3: embedding: id 7, of 5");
  EXPECT_STREQ(ValueError("something else").what(), "decoder: something else");
}

TEST(Error, ThatQuotesOneOfAnotherPlaceKeepsBoth) {
  const NamedPart inner("decoder.norm"), outer("decoder"), beside("encoder");
  std::string quoted;
  {
    const Scope scope(inner);
    quoted = ShapeError("norm: no").what();
  }
  const std::string theirs = ShapeError("add: no").what();
  const Scope scope(beside);
  EXPECT_EQ(ValueError(quoted).what(), "encoder: " + quoted);
  EXPECT_STREQ(ValueError(theirs).what(), "encoder: add: no");
  EXPECT_STREQ(ValueError("the file encoder: is no text").what(),
               "encoder: the file encoder: is no text");
}

TEST(Error, OfAFormatSaysWhere) {
  const FormatError at_byte("a.bin", 17, "cut short");
  EXPECT_STREQ(at_byte.what(), "a.bin: at byte 17: cut short");
  EXPECT_EQ(at_byte.path(), "a.bin");
  EXPECT_EQ(at_byte.offset(), 17U);
  const FormatError at_line = FormatError::at_line("a.tsv", 3, "two columns");
  EXPECT_STREQ(at_line.what(), "a.tsv:3: two columns");
  EXPECT_EQ(at_line.path(), "a.tsv");
  EXPECT_EQ(at_line.offset(), 3U);
}

TEST(Error, OfTheSystemCarriesItsNumber) {
  const IoError error("a.bin", "cannot write", ENOSPC);
  EXPECT_STREQ(error.what(), "a.bin: cannot write: No space left on device");
  EXPECT_EQ(error.path(), "a.bin");
  EXPECT_EQ(error.code(), ENOSPC);
}

TEST(Error, AllAreErrorsOfTheLibrary) {
  EXPECT_THROW(throw ShapeError("a"), Error);
  EXPECT_THROW(throw DTypeError("a"), Error);
  EXPECT_THROW(throw IndexError("a"), Error);
  EXPECT_THROW(throw GradError("a"), Error);
  EXPECT_THROW(throw OutOfMemory("a"), Error);
  EXPECT_THROW(throw FormatError("a", 0, "b"), std::runtime_error);
}

}  // namespace
}  // namespace heed
