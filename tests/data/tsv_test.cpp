#include "../../data/tsv.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using Lines = std::vector<std::string>;

Lines read_all(const std::string& path, const std::string& label, const std::string& text) {
  TsvReader reader(path, label, text);
  Lines out;
  for (LabelledText read; reader.next(read);) {
    out.push_back(std::to_string(read.line) + "|" + read.label + "|" + read.text);
  }
  return out;
}

// The error of reading `content`, without the file's folder.
std::string error_of(std::string_view content, const std::string& label, const std::string& text) {
  const TemporaryFile file(content, "a.tsv");
  const std::string message = message_of<Error>([&] { read_all(file.path(), label, text); });
  return message.starts_with(file.folder()) ? message.substr(file.folder().size() + 1) : message;
}

TEST(Tsv, ReadsColumnsByNumber) {
  const TemporaryFile file(
      "\xEF\xBB\xBF"
      "1\t9\tid_0\tGood film\r\n\n0\t2\tid_1\tBad\n");
  EXPECT_EQ(read_all(file.path(), "1", "4"), (Lines{"1|1|Good film", "3|0|Bad"}));
  EXPECT_EQ(read_all(file.path(), "", "3"), (Lines{"1||id_0", "3||id_1"}));
}

TEST(Tsv, ReadsColumnsByNameOfAHeader) {
  const TemporaryFile file("id\ttext\tclass\n7\tA cat\tpos\n");
  EXPECT_EQ(read_all(file.path(), "class", "text"), Lines{"2|pos|A cat"});
  EXPECT_EQ(read_all(file.path(), "3", "text"), Lines{"2|pos|A cat"});
  EXPECT_EQ(error_of("id\ttext\n", "class", "text"),
            "a.tsv:1: no column \"class\"; the columns are \"id\", \"text\"");
}

TEST(Tsv, ReplacesInvalidUtf8) {
  const TemporaryFile file("p\xFFs\tcaf\xE9\n");
  EXPECT_EQ(read_all(file.path(), "1", "2"), Lines{"1|p\uFFFDs|caf\uFFFD"});
}

TEST(Tsv, NamesTheLineThatIsWrong) {
  EXPECT_EQ(error_of("", "1", "2"), "a.tsv:1: the file has no texts");
  EXPECT_EQ(error_of("\n\n", "1", "2"), "a.tsv:3: the file has no texts");
  EXPECT_EQ(error_of("", "label", "2"), "a.tsv:1: the file is empty");
  EXPECT_EQ(error_of("label\ttext\n", "label", "text"), "a.tsv:2: the file has no texts");
  EXPECT_EQ(error_of("pos\n", "1", "2"), "a.tsv:1: 1 columns, but column 2 is wanted");
  EXPECT_EQ(error_of("pos\ta\nneg\tb\tc\n", "1", "2"),
            "a.tsv:2: 3 columns, but the first line has 2");
  EXPECT_EQ(error_of("pos\ta\n\tb\n", "1", "2"), "a.tsv:2: no label");
  EXPECT_EQ(error_of("pos\t \n", "1", "2"), "a.tsv:1: no text");
}

TEST(Tsv, ChecksItsColumns) {
  EXPECT_EQ(error_of("a\tb\n", "0", "2"), "tsv: column \"0\": columns are counted from 1");
  EXPECT_EQ(error_of("a\tb\n", "1", ""), "tsv: no column is chosen for the text");
  EXPECT_EQ(error_of("a\tb\n", "1", "99999999999999999999999"),
            "tsv: column \"99999999999999999999999\": columns are counted from 1");
}

}  // namespace
}  // namespace heed::data
