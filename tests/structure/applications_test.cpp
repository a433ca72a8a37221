// What every folder of examples/ has, so that a stranger finds the same things in each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../support/places.h"
#include "source_tree.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

// Those that have a program of their own, by name.
std::vector<std::string> applications() {
  std::vector<std::string> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(source_root() / "examples")) {
    if (exists(entry.path() / "main.cpp")) out.push_back(entry.path().filename());
  }
  return out;
}

TEST(Applications, HaveAManualADemonstrationAndAPlaceInTheGallery) {
  const std::string gallery = text_of(source_root() / "examples/README.md");
  ASSERT_GE(applications().size(), 7U);
  for (const std::string& name : applications()) {
    const fs::path folder = source_root() / "examples" / name;
    EXPECT_THAT(text_of(folder / "README.md"), testing::HasSubstr("## Run it")) << name;
    if (name != "pretrained" && name != "show") {  // which have nothing of their own to learn from
      const std::string demo = text_of(folder / "demo.txt");
      EXPECT_TRUE(demo.starts_with("what: ")) << name;
      EXPECT_THAT(demo, testing::HasSubstr("\ntrain: train --")) << name;
    }
    EXPECT_THAT(gallery, testing::HasSubstr("](" + name + "/README.md)")) << name;
    EXPECT_TRUE(exists(source_root() / "tests/examples" / name)) << name;
  }
}

// A model, its data, and a page of glue: the README apart. Those that came before the library's
// training loop are longer.
TEST(Applications, HaveAtMost700Lines) {
  const std::map<std::string, std::size_t> longer = {
      {"translation", 2250}, {"language_model", 1110},     {"captioning", 890},
      {"babi", 910},         {"document_classifier", 840}, {"glimpses", 735}};
  for (const std::string& name : applications()) {
    std::size_t lines = 0;
    for (const SourceFile& file : source_files()) {
      if (file.place.parent_path() == fs::path("examples") / name) lines += file.lines.size();
    }
    const auto more = longer.find(name);
    EXPECT_LE(lines, more == longer.end() ? 700 : more->second) << name;
  }
}

}  // namespace
}  // namespace heed
