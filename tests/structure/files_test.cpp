// One idea a file, named after it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "../support/places.h"
#include "source_tree.h"

namespace heed {
namespace {

TEST(Files, HaveAtMost400Lines) {
  for (const SourceFile& file : source_files()) {
    EXPECT_LE(file.lines.size(), 400U) << file.place.string() << " holds two ideas";
  }
}

TEST(Files, AreNamedAfterWhatTheyHold) {
  const std::set<std::string> nothings = {"common", "helper", "helpers", "misc", "util", "utils"};
  for (const SourceFile& file : source_files()) {
    for (const auto& part : file.place) {
      EXPECT_FALSE(nothings.contains(part.stem().string())) << file.place.string();
    }
  }
}

TEST(Files, HeadersBeginWithTheirManualAndAreIncludedOnce) {
  for (const SourceFile& file : source_files()) {
    if (file.place.extension() != ".h" || file.lines.empty()) continue;
    const bool once =
        std::find(file.lines.begin(), file.lines.end(), "#pragma once") != file.lines.end();
    EXPECT_TRUE(once || file.place.stem().string().ends_with("-inl")) << file.place.string();
    EXPECT_TRUE(file.lines.front().starts_with("//")) << file.place.string();
  }
}

TEST(Files, UmbrellasCoverEveryFolder) {
  std::set<std::string> in_heed_h;
  for (const SourceFile& file : source_files()) {
    if (file.place != "heed.h") continue;
    for (const Include& include : file.includes()) in_heed_h.insert(include.name);
  }
  for (const std::string folder : {"core", "autograd", "nn", "attention", "optim", "data", "io",
                                   "train", "pretrained", "onnx", "distributed"}) {
    const std::string umbrella = folder + "/" + folder + ".h";
    EXPECT_TRUE(exists(source_root() / umbrella)) << umbrella;
    EXPECT_EQ(in_heed_h.contains(umbrella),
              folder != "train" && folder != "pretrained" && folder != "distributed")
        << umbrella << " in heed.h";
  }
}

}  // namespace
}  // namespace heed
