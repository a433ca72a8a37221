#include "../../data/line_reader.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../io/temporary_folder.h"

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

}  // namespace
}  // namespace heed::data
