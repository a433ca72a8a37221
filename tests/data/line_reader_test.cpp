#include "../../data/line_reader.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "../../core/error.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

TEST(LineReader, ReadsAFileManyLinesAtOnce) {
  const TemporaryFolder folder;
  std::string content;
  for (int i = 1; i <= 1003; ++i) content += std::to_string(i) + "\n";
  TemporaryFolder::put(folder / "a.txt", content);
  LineReader reader(folder / "a.txt");
  std::vector<std::string> lines;
  ASSERT_TRUE(reader.next(lines));
  EXPECT_EQ(lines.size(), 1000U);
  EXPECT_EQ(reader.first(), 1U);
  ASSERT_TRUE(reader.next(lines));
  EXPECT_EQ(reader.first(), 1001U);
  EXPECT_EQ(lines.front(), "1001");
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_FALSE(reader.next(lines));
  EXPECT_THROW(LineReader(folder / "absent"), IoError);
}

// Standard input reads from a text.
class Typed {
 public:
  explicit Typed(const std::string& text) : text_(text), before_(std::cin.rdbuf(text_.rdbuf())) {
    std::cin.clear();
  }
  ~Typed() {
    std::cin.rdbuf(before_);
    std::cin.clear();
  }
  Typed(const Typed&) = delete;
  Typed& operator=(const Typed&) = delete;

 private:
  std::istringstream text_;
  std::streambuf* before_;
};

TEST(LineReader, ReadsStandardInput) {
  LineReader reader("");
  const Typed typed("a\r\n\n b");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "a");
  EXPECT_EQ(reader.first(), 1U);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, " b");
  EXPECT_EQ(reader.first(), 3U);
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, RefusesALineWithoutAnEnd) {
  const std::string longest(kLongestLine, 'x');
  LineReader reader("");
  const Typed typed(longest + "\n" + longest + "x");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line.size(), kLongestLine);
  EXPECT_ERROR(FormatError, "standard input:2: a line of more than 16 MiB", reader.next(line));
}

}  // namespace
}  // namespace heed::data
