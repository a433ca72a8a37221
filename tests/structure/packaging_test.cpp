// Recipes for package managers that are not at hand say what the project says: version, files,
// libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "../../core/version.h"
#include "../support/places.h"

namespace heed {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ifstream in(source_root() / path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(Packaging, VersionsAgree) {
  const std::string now = version();
  EXPECT_THAT(text_of("CMakeLists.txt"), HasSubstr("project(heed VERSION " + now + " "));
  EXPECT_THAT(text_of("CHANGELOG.md"), HasSubstr("\n## " + now + "\n"));
  EXPECT_THAT(text_of("packaging/conan/conanfile.py"), HasSubstr("version = \"" + now + "\""));
  const auto port = nlohmann::json::parse(text_of("packaging/vcpkg/ports/heed/vcpkg.json"));
  EXPECT_EQ(port.at("version"), now);
}

TEST(Packaging, RecipesHaveEveryFolderAndLibrary) {
  const std::string lists = text_of("CMakeLists.txt"),
                    conan = text_of("packaging/conan/conanfile.py"),
                    vcpkg = text_of("packaging/vcpkg/ports/heed/vcpkg.json");
  std::smatch folders;
  ASSERT_TRUE(std::regex_search(lists, folders, std::regex(R"(set\(HEED_FOLDERS ([^)]*)\))")));
  std::istringstream each(folders[1]);
  for (std::string folder; each >> folder;) EXPECT_THAT(conan, HasSubstr('"' + folder + '"'));
  // As CMakeLists.txt asks for them, and as those call them.
  for (const auto& [ours, theirs] : {std::pair{"OpenBLAS", "openblas"},
                                     {"fmt", "fmt"},
                                     {"PNG", "libpng"},
                                     {"JPEG", "libjpeg-turbo"},
                                     {"ZLIB", "zlib"},
                                     {"libhwy", "highway"},
                                     {"libzstd", "zstd"},
                                     {"libutf8proc", "utf8proc"},
                                     {"libpcre2-8", "pcre2"}}) {
    EXPECT_THAT(lists, HasSubstr(ours));
    EXPECT_THAT(conan, HasSubstr('"' + std::string(theirs) + '/')) << ours;
    EXPECT_THAT(vcpkg, HasSubstr('"' + std::string(theirs) + '"')) << ours;
  }
  int asked = 0;
  const std::regex package(R"(find_package\(\w+|pkg_check_modules\()");
  for (std::sregex_iterator at(lists.begin(), lists.end(), package), end; at != end; ++at) ++asked;
  EXPECT_EQ(asked, 12)
      << "a library more: does it stand in the recipes, heed.pc and heedConfig.cmake?";
}

}  // namespace
}  // namespace heed
