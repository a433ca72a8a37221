// Lines that users of PyTorch type first: each compiles, or is refused in at most three messages of
// the compiler that name our word. A message is an error or a note by itself; the source and the
// context that the compiler shows with it do not count.
#include <gtest/gtest.h>

#include <cstdlib>

#include "../support/places.h"
#include "compiled.h"

namespace heed::habits {
namespace {

constexpr std::size_t kMostMessages = 3;

std::string joined(const std::vector<std::string>& messages) {
  std::string out;
  for (const std::string& message : messages) out += "\n  " + message;
  return out;
}

class Snippets : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__GNUC__) || defined(__clang__)
    GTEST_SKIP() << "messages are counted as g++ writes them";
#endif
  }
};

// Ours: a line, or a line, "=>" and what the refusal must say.
TEST_F(Snippets, OfOurOwn) {
  std::vector<std::string> good, bad, words;
  for (const std::string& entry : lines_of(source_root() / "tests/habits/lines.txt")) {
    const std::size_t arrow = entry.find(" => ");
    (arrow == std::string::npos ? good : bad).push_back(entry.substr(0, arrow));
    if (arrow != std::string::npos) words.push_back(entry.substr(arrow));
  }
  ASSERT_GE(good.size() + bad.size(), 60U);
  for (const Compiled& each : compile(good, 16)) {
    EXPECT_TRUE(each.accepted) << each.line << joined(each.messages);
  }
  const std::vector<Compiled> refused = compile(bad, 1);
  for (std::size_t i = 0; i < refused.size(); ++i) {
    SCOPED_TRACE(bad[i] + joined(refused[i].messages));
    EXPECT_FALSE(refused[i].accepted);
    EXPECT_LE(refused[i].messages.size(), kMostMessages);
    EXPECT_NE(joined(refused[i].messages).find(words[i].substr(4)), std::string::npos) << words[i];
  }
}

TEST_F(Snippets, OfANewUser) {
  const char* const data = std::getenv("HEED_DATA");
  const auto file = std::filesystem::path(data ? data : "") / "../habits/snippets.txt";
  if (!data || !exists(file)) GTEST_SKIP() << "no " << file << ": set HEED_DATA";
  const std::vector<Compiled> found = compile(lines_of(file), 8);
  std::size_t accepted = 0;
  for (const Compiled& each : found) {
    accepted += each.accepted;
    EXPECT_LE(each.messages.size(), kMostMessages) << each.line << joined(each.messages);
  }
  RecordProperty("accepted", static_cast<int>(accepted));
  std::printf("%zu of %zu lines compile\n", accepted, found.size());
  EXPECT_GE(100 * accepted, 92 * found.size());
}

}  // namespace
}  // namespace heed::habits
