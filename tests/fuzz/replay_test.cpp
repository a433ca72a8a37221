// The corpus, replayed: inputs that were made by hand, and each that ever broke a promise.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "../../core/error.h"
#include "../support/places.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return source_root() / "tests" / "fuzz"; }

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, KeepsEveryPromise) {
  const Target& target = GetParam();
  target.run({});
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder() / "corpus" / target.name)) {
    SCOPED_TRACE(entry.path().filename().string());
    const std::string content = content_of(entry.path());
    EXPECT_NO_THROW(target.run(content));
    // Cut anywhere, as by a full disk.
    for (std::size_t size = 0; size < content.size(); size += 1 + content.size() / 50) {
      EXPECT_NO_THROW(target.run(content.substr(0, size))) << size << " bytes of it";
    }
    ++count;
  }
  EXPECT_GE(count, 3u);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, testing::ValuesIn(targets()),
                         [](const auto& target) { return target.param.name; });

TEST(Fuzz, EachTargetHasAFileACorpusAndADictionary) {
  std::set<std::string> names, corpora, dictionaries;
  for (const Target& target : targets()) names.insert(target.name);
  for (const auto& entry : fs::directory_iterator(folder() / "corpus")) {
    corpora.insert(entry.path().filename().string());
  }
  for (const auto& entry : fs::directory_iterator(folder() / "dictionaries")) {
    dictionaries.insert(entry.path().stem().string());
  }
  EXPECT_EQ(corpora, names);
  EXPECT_EQ(dictionaries, names);
  for (const std::string& name : names) EXPECT_TRUE(exists(folder() / (name + ".cpp"))) << name;
  EXPECT_THROW(target_named("none"), ValueError);
}

}  // namespace
}  // namespace heed::fuzz
