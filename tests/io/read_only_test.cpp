#include "../../io/read_only.h"

#include <gtest/gtest.h>

#include "../../io/append_file.h"
#include "../../io/file.h"
#include "../../io/model_directory.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

TEST(ReadOnly, NothingIsWritten) {
  const TemporaryFolder folder;
  const std::string file = folder / "file", log = folder / "log", model = folder / "model";
  write_file_atomically(file, "before");
  set_read_only(true);
  EXPECT_TRUE(read_only());
  write_file_atomically(file, "after");
  save_directory(model, {{"a", "b"}});
  AppendFile lines(log);
  lines.append("line");
  lines.reopen();
  set_read_only(false);
  EXPECT_EQ(read_file(file), "before");
  EXPECT_FALSE(std::filesystem::exists(log));
  EXPECT_FALSE(std::filesystem::exists(model));
  write_file_atomically(file, "after");
  EXPECT_EQ(read_file(file), "after");
}

TEST(ReadOnly, HoldsForWhatWasOpenedBefore) {
  const TemporaryFolder folder;
  AppendFile lines(folder / "log");
  lines.append("before\n");
  set_read_only(true);
  lines.append("meanwhile\n");
  lines.take_back(3);
  set_read_only(false);
  lines.append("after\n");
  EXPECT_EQ(read_file(folder / "log"), "before\nafter\n");
}

}  // namespace
}  // namespace heed::io
