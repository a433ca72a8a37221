#include "../../io/model_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "full_disk.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

const DirectoryFiles kOld = {{kWeightsFile, "old weights"}, {kVocabularyFile, "old words"}};
const DirectoryFiles kNew = {{kWeightsFile, "new weights"}, {kVocabularyFile, "new words"}};

TEST(ModelDirectory, IsMadeAndReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder / "deep/er/model";
  save_directory(path, kOld);
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "old weights");
  save_directory(path + "/", kNew);
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "new weights");
  EXPECT_EQ(read_from_directory(path, kVocabularyFile), "new words");
  // Nothing else is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "deep/er"), {}), 1);
}

TEST(ModelDirectory, KeepsWhatIsNotItsOwn) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  std::filesystem::create_directories(path + "/notes");
  TemporaryFolder::put(path + "/notes/day", "kept");
  TemporaryFolder::put(path + "/" + kConfigFile, "kept too");
  save_directory(path, kNew);
  EXPECT_EQ(TemporaryFolder::get(path + "/notes/day"), "kept");
  EXPECT_EQ(read_from_directory(path, kConfigFile), "kept too");
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "new weights");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(ModelDirectory, KeepsFoldersThemselvesForThoseWhoWorkInThem) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  std::filesystem::create_directories(path + "/logs/today");
  TemporaryFolder::put(path + "/logs/today/events", "begun");
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat((path + "/logs").c_str(), &before), 0);
  save_directory(path, kNew);
  ASSERT_EQ(::stat((path + "/logs").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(TemporaryFolder::get(path + "/logs/today/events"), "begun");
  EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(path), {}), 5);
}

TEST(ModelDirectory, WritesWhatIsMissing) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, {{"state", "1"}}, kOld);
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "old weights");
  save_directory(path, {{"state", "2"}}, kNew);
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "old weights");
  EXPECT_EQ(read_from_directory(path, "state"), "2");
  std::filesystem::remove(path + "/" + kVocabularyFile);
  save_directory(path, {{"state", "3"}}, kNew);
  EXPECT_EQ(read_from_directory(path, kVocabularyFile), "new words");
  std::filesystem::remove_all(path);
  save_directory(path, {{"state", "4"}}, kNew);
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "new weights");
  EXPECT_EQ(read_from_directory(path, "state"), "4");
  EXPECT_THROW(save_directory(path, {}, {{"..", "x"}}), ValueError);
}

TEST(ModelDirectory, KeepsItsPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, kOld);
  std::filesystem::create_directory(path + "/notes");
  ::chmod((path + "/notes").c_str(), 03751);
  ::chmod(path.c_str(), 02751);
  save_directory(path, kNew);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 02751U);
  ASSERT_EQ(::stat((path + "/notes").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 03751U);
}

TEST(ModelDirectory, KeepsItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, kOld);
  ASSERT_EQ(::chown(path.c_str(), 12345, 23456), 0);
  save_directory(path, kNew);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 12345U);
  EXPECT_EQ(info.st_gid, 23456U);
}

TEST(ModelDirectory, FollowsALink) {
  const TemporaryFolder folder;
  save_directory(folder / "model-1", kOld);
  std::filesystem::create_directory_symlink("model-1", folder / "latest");
  save_directory(folder / "latest", kNew);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "latest"));
  EXPECT_EQ(read_from_directory(folder / "model-1", kWeightsFile), "new weights");
  // Also to where it was deleted.
  std::filesystem::remove_all(folder / "model-1");
  save_directory(folder / "latest", kOld);
  EXPECT_EQ(read_from_directory(folder / "model-1", kWeightsFile), "old weights");
  std::filesystem::create_symlink("ring", folder / "ring");
  EXPECT_THROW(save_directory(folder / "ring", kOld), IoError);
}

TEST(ModelDirectory, SaysWhereNobodyMaySave) {
  // The kernel's own folder takes none, whoever asks.
  EXPECT_ERROR_WITH(IoError, "/sys/heed-model: cannot save there",
                    save_directory("/sys/heed-model", kOld));
}

TEST(ModelDirectory, AFullDiskKeepsTheOldOne) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, kOld);
  DirectoryFiles large = kNew;
  large[1].second.assign(5003, 'x');
  {
    const FullDisk full(1009);
    EXPECT_ERROR_WITH(IoError, "cannot write", save_directory(path, large));
  }
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "old weights");
  EXPECT_EQ(read_from_directory(path, kVocabularyFile), "old words");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(ModelDirectory, SurvivesAKillAtAnyMoment) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, kOld);
  for (unsigned round = 0; round < 29; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) save_directory(path, kNew), save_directory(path, kOld);
    }
    ::usleep(200 + round * 211);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string weights = read_from_directory(path, kWeightsFile);
    const std::string words = read_from_directory(path, kVocabularyFile);
    ASSERT_EQ(weights.substr(0, 3), words.substr(0, 3));
    ASSERT_TRUE(weights == "old weights" || weights == "new weights") << weights;
  }
}

TEST(ModelDirectory, NamesWhatIsMissing) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "file", "x");
  EXPECT_ERROR_WITH(IoError, "/no: no model directory: No such file",
                    read_from_directory(folder / "no", kConfigFile));
  EXPECT_ERROR_WITH(IoError, "/file: not a model directory: Not a directory",
                    read_from_directory(folder / "file", kConfigFile));
  EXPECT_ERROR_WITH(IoError, "/config.json: missing from the model directory",
                    read_from_directory(folder.path().string(), kConfigFile));
  EXPECT_ERROR_WITH(IoError, "/file: cannot save there: Not a directory",
                    save_directory(folder / "file", kNew));
  EXPECT_THROW(save_directory(folder / "file/model", kNew), IoError);
  EXPECT_THROW(save_directory("", kNew), IoError);
  for (const char* const name : {"../x", "", ".", ".."}) {
    EXPECT_ERROR(ValueError, "save_directory: \"" + std::string(name) + "\" is not a file name",
                 save_directory(folder / "m", {{name, "y"}}));
  }
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(ModelDirectory, TheOneThatTheProcessWorksInStaysItself) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, kOld);
  TemporaryFolder::put(path + "/day", "kept");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(path);
  for (const std::string& place : std::vector<std::string>{".", "../model", path, "./"}) {
    EXPECT_NO_THROW(save_directory(place, {{kWeightsFile, "by " + place}})) << place;
    EXPECT_EQ(TemporaryFolder::get(kWeightsFile), "by " + place);
    EXPECT_EQ(TemporaryFolder::get(path + "/" + kWeightsFile), "by " + place);
    EXPECT_EQ(TemporaryFolder::get("day"), "kept");
  }
  std::filesystem::current_path(before);
  EXPECT_EQ(read_from_directory(path, kVocabularyFile), "old words");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path), {}), 3);
}

TEST(ModelDirectory, TakesANameOnce) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  EXPECT_ERROR(ValueError, "save_directory: \"a\" is given twice",
               save_directory(path, {{"a", "1"}, {"b", "2"}, {"a", "3"}}));
  EXPECT_ERROR(ValueError, "save_directory: \"a\" is given twice",
               save_directory(path, {}, {{"a", "1"}, {"a", "1"}}));
  EXPECT_EQ(folder.entries(), 0U);
  save_directory(path, {{"a", "1"}}, {{"a", "2"}, {"b", "3"}});
  EXPECT_EQ(read_from_directory(path, "a"), "1");
  EXPECT_EQ(read_from_directory(path, "b"), "3");
}

}  // namespace
}  // namespace heed::io
