#include "../../data/shard_files.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "../../core/error.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;

TEST(ShardFiles, AreFoundByAPatternOfTheirNames) {
  const TemporaryFolder folder;
  for (const char* name :
       {"b-10.txt", "b-1.txt", "a-1.txt", "b-1.txt.gz", ".b-2.txt", "b[3].txt"}) {
    TemporaryFolder::put(folder / name, "x");
  }
  std::filesystem::create_directory(folder / "b-folder.txt");
  const auto at = [&](const char* name) { return folder / name; };
  EXPECT_THAT(files_like(folder / "b-*.txt"), ElementsAre(at("b-1.txt"), at("b-10.txt")));
  EXPECT_THAT(files_like(folder / "?-1.txt*"),
              ElementsAre(at("a-1.txt"), at("b-1.txt"), at("b-1.txt.gz")));
  EXPECT_THAT(files_like(folder / "b[3].txt"), ElementsAre(at("b[3].txt")));
  EXPECT_THAT(
      files_like(folder.path().string()),
      ElementsAre(at("a-1.txt"), at("b-1.txt"), at("b-1.txt.gz"), at("b-10.txt"), at("b[3].txt")));
  EXPECT_ERROR_WITH(ValueError, "no file is like", files_like(folder / "c*"));
  EXPECT_ERROR_WITH(ValueError, "no file is like", files_like(folder / "b-folder*"));
  EXPECT_THROW(files_like(folder / "absent/*"), IoError);
}

TEST(ShardFiles, OfOtherSizesAreOthers) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "a", "abc");
  TemporaryFolder::put(folder / "b", "ABC");
  TemporaryFolder::put(folder / "c", "abcd");
  const auto print = [&](std::vector<std::string> names) {
    for (std::string& name : names) name = folder / name;
    return ShardFiles(names).fingerprint();
  };
  EXPECT_EQ(print({"a"}), print({"b"}));
  EXPECT_NE(print({"a"}), print({"c"}));
  EXPECT_NE(print({"a"}), print({"a", "a"}));
  EXPECT_NE(print({"a", "c"}), print({"c", "a"}));
  // States that were saved hold it: FNV-1a of how many there are and their sizes, in 8 bytes each.
  TemporaryFolder::put(folder / "d", std::string(70001, 'x'));
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::uint64_t number : {2, 3, 70001}) {
    for (int shift = 0; shift < 64; shift += 8)
      sum = (sum ^ (number >> shift & 255)) * 0x100000001b3;
  }
  EXPECT_EQ(print({"a", "d"}), static_cast<std::int64_t>(sum));
}

}  // namespace
}  // namespace heed::data
