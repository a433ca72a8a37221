#include "../../data/folder_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../../core/error.h"
#include "../../data/articles.h"
#include "../../data/labelled_parts.h"
#include "../../data/parallel_folder.h"
#include "../../data/sick.h"
#include "../../data/text_parts.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;

TEST(FolderParts, AreToldByTheFilesNames) {
  const TemporaryFolder folder;
  for (const char* name : {"train-2", "train-1", "ptb.train", "constrained", "dev", "a_valid.txt",
                           "latest", "set-test"}) {
    TemporaryFolder::put(folder / name, "x");
  }
  const auto at = [&](const char* name) { return folder / name; };
  const FolderParts begins = parts_of_folder(folder.path());
  EXPECT_THAT(begins.train, ElementsAre(at("train-1"), at("train-2")));
  EXPECT_THAT(begins.validation, ElementsAre(at("dev")));
  EXPECT_TRUE(begins.test.empty());
  const FolderParts stands = parts_of_folder(folder.path(), PartName::stands);
  EXPECT_THAT(stands.train, ElementsAre(at("ptb.train"), at("train-1"), at("train-2")));
  EXPECT_THAT(stands.validation, ElementsAre(at("a_valid.txt"), at("dev")));
  EXPECT_THAT(stands.test, ElementsAre(at("set-test")));
  EXPECT_THROW(parts_of_folder(at("absent")), IoError);
}

TEST(FolderParts, APlainFileComesBeforeAPackedOne) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "a.zst", "x");
  EXPECT_EQ(plain_or_packed(folder.path(), "a"), folder / "a.zst");
  EXPECT_EQ(plain_or_packed(folder.path(), "b"), folder / "b");
  TemporaryFolder::put(folder / "a.gz", "x");
  EXPECT_EQ(plain_or_packed(folder.path(), "a"), folder / "a.gz");
  TemporaryFolder::put(folder / "a", "x");
  EXPECT_EQ(plain_or_packed(folder.path(), "a"), folder / "a");
}

TEST(FolderParts, OfParallelTextsArePairs) {
  const TemporaryFolder folder;
  for (const char* name : {"train.en", "train.fr", "train.tok.en.gz", "train.tok.de", "dev.de"}) {
    TemporaryFolder::put(folder / name, "x");
  }
  const auto [source, target] = find_parallel(folder.path(), "en", "de", {"val", "train"});
  EXPECT_EQ(source, folder / "train.tok.en.gz");
  EXPECT_EQ(target, folder / "train.tok.de");
  EXPECT_ERROR_WITH(ValueError, "no file train*.xx or train*.xx.gz",
                    find_parallel(folder.path(), "en", "xx", {"train"}));
  EXPECT_ERROR_WITH(ValueError, "no file val*.xx",
                    find_parallel(folder.path(), "xx", "en", {"val", "dev"}));
  TemporaryFolder::put(folder / "train.a.en", "x");
  TemporaryFolder::put(folder / "train.a.de.gz", "x");
  EXPECT_THAT(find_all_parallel(folder.path(), "en", "de", {"val", "train"}),
              ElementsAre(ParallelFiles{folder / "train.a.en", folder / "train.a.de.gz"},
                          ParallelFiles{source, target}));
  EXPECT_EQ(find_parallel(folder.path(), "en", "de", {"train"}).first, folder / "train.a.en");
  EXPECT_THROW(find_parallel(folder / "absent", "en", "de", {"train"}), IoError);
}

// Links in a circle, and a name that is longer than any.
TEST(FolderParts, WhatCannotBeLookedAtIsThereAndIsNoFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("loop", folder / "loop");
  const std::string too_long = folder / std::string(300, 'x');
  for (const std::string& path : {folder / "loop", too_long}) {
    EXPECT_FALSE(is_folder(path));
    EXPECT_TRUE(is_there(path));
  }
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_TRUE(is_there(folder.path()));
  EXPECT_FALSE(is_there(folder / "absent"));
  EXPECT_FALSE(is_there(folder.write("file", "") + "/within"));
  EXPECT_EQ(plain_or_packed(folder.path(), "loop"), folder / "loop");
}

TEST(FolderParts, ReadersOfAFileOrAFolderNameWhatCannotBeOpened) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("loop.tsv", folder / "loop.tsv");
  const auto labelled = [](const std::string& path) {
    read_labelled_parts<std::string>(path, {.label = "y", .text = "x"},
                                     [](const std::string& text) { return text; });
  };
  for (const std::string& path : {folder / "loop.tsv", folder / (std::string(300, 'x') + ".tsv")}) {
    EXPECT_ERROR_WITH(IoError, path, read_text_parts(path, TextLevel::words));
    EXPECT_ERROR_WITH(IoError, path, labelled(path));
    EXPECT_ERROR_WITH(IoError, path, read_articles(path));
    EXPECT_ERROR_WITH(IoError, path, read_sick(path));
  }
  for (const char* name : {"bbc.jsonl", "SICK.tsv"}) {
    std::filesystem::create_symlink(name, folder / name);
  }
  EXPECT_ERROR_WITH(IoError, folder / "bbc.jsonl: ", read_articles(folder.path()));
  EXPECT_ERROR_WITH(IoError, folder / "SICK.tsv: ", read_sick(folder.path()));
}

}  // namespace
}  // namespace heed::data
