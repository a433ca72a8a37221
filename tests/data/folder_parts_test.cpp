#include "../../data/folder_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../data/parallel_folder.h"
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
  EXPECT_THROW(find_parallel(folder / "absent", "en", "de", {"train"}), IoError);
}

}  // namespace
}  // namespace heed::data
