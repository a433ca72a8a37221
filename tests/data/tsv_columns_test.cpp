#include "../../data/tsv_columns.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> read_all(const std::string& path, const Row& columns) {
  TsvColumns table(path, columns);
  std::vector<Row> out;
  for (Row row; table.next(row);) {
    row.push_back(std::to_string(table.line()));
    out.push_back(row);
  }
  return out;
}

// The error of reading `content`, without the file's folder.
std::string error_of(std::string_view content, const Row& columns) {
  const TemporaryFile file(content, "a.tsv");
  const std::string message = message_of<Error>([&] { read_all(file.path(), columns); });
  return message.starts_with(file.folder()) ? message.substr(file.folder().size() + 1) : message;
}

TEST(TsvColumns, ReadsWhatIsAskedForInThatOrder) {
  const TemporaryFile named("id\ttext\tclass\n7\tA cat\tpos\n\n8\tcaf\xE9\t\r\n");
  EXPECT_EQ(read_all(named.path(), {"class", "id", "2", "class"}),
            (std::vector<Row>{{"pos", "7", "A cat", "pos", "2"}, {"", "8", "caf\uFFFD", "", "4"}}));
  const TemporaryFile bare(gzip("7\tA cat\tpos\n"));
  EXPECT_EQ(read_all(bare.path(), {"3", "1"}), (std::vector<Row>{{"pos", "7", "1"}}));
  const TemporaryFile empty("");
  EXPECT_TRUE(read_all(empty.path(), {"1"}).empty());
}

TEST(TsvColumns, NamesTheLineThatIsWrong) {
  EXPECT_EQ(error_of("", {"1", "text"}), "a.tsv:1: the file is empty");
  EXPECT_EQ(error_of("id\ttext\n", {"id", "class"}),
            "a.tsv:1: no column \"class\"; the columns are \"id\", \"text\"");
  EXPECT_EQ(error_of("id\ttext\n1\ta\n2\n", {"id"}),
            "a.tsv:3: 1 columns, but the first line has 2");
  EXPECT_EQ(error_of("a\tb\n", {"1", "3", "7"}), "a.tsv:1: 2 columns, but column 7 is wanted");
  EXPECT_EQ(error_of("a\tb\n", {"0"}), "tsv: column \"0\": columns are counted from 1");
}

}  // namespace
}  // namespace heed::data
