#include "../../data/labelled_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../core/error.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const LabelledTextOptions kColumns = {.format = "tsv", .label = "1", .text = "2"};
const auto kLength = [](const std::string& text) { return text.size(); };

LabelledParts<std::size_t> read(const std::string& path) {
  return read_labelled_parts<std::size_t>(path, kColumns, kLength);
}

TEST(LabelledParts, AFolderHasAFileForEach) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "train-1.tsv", "bad\tabc\ngood\tab\n");
  TemporaryFolder::put(folder / "train-2.tsv", "bad\ta\n");
  TemporaryFolder::put(folder / "dev.tsv", "good\tabcde\n");
  TemporaryFolder::put(folder / "test.tsv", "new\tabcdefg\n");
  TemporaryFolder::put(folder / "old-train.tsv", "old\tabc\n");
  const auto parts = read(folder.path());
  ASSERT_EQ(parts.train.size(), 3U);
  EXPECT_EQ(parts.train[1].item, 2U);
  EXPECT_EQ(parts.train[2].line, 1U);
  EXPECT_THAT(parts.train[2].path, HasSubstr("train-2.tsv"));
  ASSERT_EQ(parts.validation.size(), 1U);
  EXPECT_EQ(parts.validation[0].label, "good");
  const auto classes = classes_of(parts.train);
  EXPECT_THAT(classes, ElementsAre("bad", "good"));
  EXPECT_EQ(class_of(parts.validation[0], classes), 1);
  EXPECT_ERROR_WITH(FormatError,
                    "test.tsv:1: class \"new\" is none of those known: \"bad\", \"good\"",
                    class_of(parts.test.at(0), classes));
}

TEST(LabelledParts, AFileIsAllToBeTrainedOn) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "a.tsv", "x\tabc\ny\tab\n");
  const auto parts = read(folder / "a.tsv");
  EXPECT_EQ(parts.train.size(), 2U);
  EXPECT_TRUE(parts.validation.empty() && parts.test.empty());
  EXPECT_ERROR_WITH(FormatError, "the folder has no file whose name begins with train or test",
                    read(folder.path()));
  EXPECT_THROW(read(folder / "absent"), IoError);
}

TEST(LabelledParts, WhatIsHeldOutIsMissingFromTheRest) {
  std::vector<int> all = {2, 3, 5, 7, 11, 13, 17};
  const std::vector<int> before = all;
  Generator generator(3);
  std::vector<int> held = hold_out(all, 0.3, generator);
  EXPECT_EQ(held.size(), 2U);
  EXPECT_EQ(all.size(), 5U);
  all.insert(all.end(), held.begin(), held.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, before);
}

}  // namespace
}  // namespace heed::data
