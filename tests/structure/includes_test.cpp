// Which folder may include which, read off the sources themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "../support/places.h"
#include "source_tree.h"

namespace heed {
namespace {

using std::filesystem::path;

// What a folder may include beside itself. Examples, tests and benchmarks may include everything.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {}},
    {"autograd", {"core"}},
    {"nn", {"core", "autograd"}},
    {"attention", {"core", "autograd", "nn"}},
    {"optim", {"core", "autograd"}},
    {"data", {"core"}},
    {"io", {"core", "autograd", "nn", "optim"}},
    {"train", {"core", "autograd", "nn", "optim", "data", "io"}},
    {"pretrained", {"core", "autograd", "nn", "attention", "data", "io"}},
    {"onnx", {"core", "autograd", "nn", "attention", "io"}},
    {"distributed", {"core", "autograd", "nn", "attention", "optim", "data", "io", "train"}},
    {"python",
     {"heed.h", "core", "autograd", "nn", "attention", "optim", "data", "io", "train",
      "pretrained"}},
};

// Kept to .cpp files, so that users' builds need neither their headers nor their compile time.
const std::set<std::string> kThirdParty = {"Random123", "cblas.h",     "fmt",          "hwy",
                                           "jpeglib.h", "kiss_fftr.h", "mpi.h",        "nlohmann",
                                           "pcre2.h",   "png.h",       "sndfile.h",    "utf8proc.h",
                                           "zlib.h",    "zstd.h",      "zstd_errors.h"};

bool in_library(const SourceFile& file) { return kMayInclude.contains(file.folder()); }

TEST(Includes, FollowTheTableOfFolders) {
  for (const SourceFile& file : source_files()) {
    if (!in_library(file)) continue;
    for (const Include& include : file.includes()) {
      if (include.angled) continue;
      const std::string to =
          (file.place.parent_path() / include.name).lexically_normal().begin()->string();
      EXPECT_TRUE(to == file.folder() || kMayInclude.at(file.folder()).contains(to))
          << file.at(include.line) << ": " << file.folder() << "/ may not include " << to << "/";
    }
  }
}

TEST(Includes, OfOurFilesAreRelative) {
  for (const SourceFile& file : source_files()) {
    for (const Include& include : file.includes()) {
      if (include.angled) {
        EXPECT_FALSE(in_library(file) && include.name.starts_with("heed/"))
            << file.at(include.line) << ": write the path from this file, in quotes";
      } else {
        EXPECT_TRUE(exists(source_root() / file.place.parent_path() / include.name))
            << file.at(include.line) << ": \"" << include.name << "\" is no file beside this one";
      }
    }
  }
}

TEST(Includes, OfThirdPartiesStayOutOfPublicHeaders) {
  for (const SourceFile& file : source_files()) {
    const bool is_public = in_library(file) && file.place.extension() == ".h" &&
                           !file.place.stem().string().ends_with("-inl");
    if (!is_public) continue;
    for (const Include& include : file.includes()) {
      EXPECT_FALSE(kThirdParty.contains(path(include.name).begin()->string()))
          << file.at(include.line) << ": <" << include.name << "> belongs into a .cpp file";
    }
  }
}

TEST(Includes, AreThereToBeChecked) {
  std::set<std::string> folders;
  std::size_t count = 0;
  for (const SourceFile& file : source_files()) {
    folders.insert(file.folder());
    count += file.includes().size();
  }
  EXPECT_THAT(folders, testing::IsSupersetOf({"core", "tests"}));
  EXPECT_GT(count, source_files().size());
}

}  // namespace
}  // namespace heed
