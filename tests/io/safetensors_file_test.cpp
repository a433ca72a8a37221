#include "../../io/safetensors_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "../../core/error.h"
#include "../support/throws.h"
#include "descriptors.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

TEST(SafetensorsFile, IsReadTensorByTensor) {
  const TemporaryFolder folder;
  const std::string path = folder / "f";
  write_safetensors(path,
                    {{"w", Array::from(std::vector<float>{1, 2, 3}, Shape{3, 1})},
                     {"n", Array::from(std::vector<Index>{7})}},
                    {{"format", "pt"}});
  SafetensorsFile first(path);
  const SafetensorsFile file(std::move(first));
  EXPECT_EQ(file.shapes(), (NamedShapes{{"w", Shape{3, 1}}, {"n", Shape{1}}}));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_TRUE(file.has("n"));
  EXPECT_FALSE(file.has("m"));
  const Array numbers = file.read("w");
  std::filesystem::remove(path);
  EXPECT_EQ(numbers.to_vector<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(file.read("n").item(), 7);  // as long as it is mapped
  EXPECT_ERROR_WITH(ValueError, "no tensor \"m\"", file.read("m"));
}

TEST(SafetensorsFile, TheFileIsCheckedFirst) {
  const TemporaryFolder folder;
  const auto open = [](const std::string& path) { SafetensorsFile file(path); };
  EXPECT_THROW(open(folder / "none"), IoError);
  EXPECT_THROW(open(folder.path().string()), IoError);
  EXPECT_ERROR_WITH(IoError, "/dev/null: cannot map: ", open("/dev/null"));
  EXPECT_ERROR_WITH(IoError, "none: cannot open: ", open(folder / "none"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR_WITH(IoError, "pipe: cannot map: ", open(folder / "pipe"));  // and no wait for bytes
  EXPECT_ERROR_WITH(FormatError, "the file ends before", open(folder.write("empty", "")));
  EXPECT_ERROR_WITH(FormatError, "a header of", open(folder.write("long", std::string(8, '\1'))));
  const std::string path = folder / "f";
  write_safetensors(path, {{"w", Array::from(std::vector<float>(3000))}});
  const SafetensorsFile file(path);
  std::filesystem::resize_file(path, 100);
  EXPECT_ERROR_WITH(FormatError, "has been cut", file.read("w"));
}

TEST(SafetensorsFile, HoldsWhatItReadsOpenAndNoLonger) {
  const TemporaryFolder folder;
  const std::string path = folder / "f", broken = folder.write("broken", "{}");
  write_safetensors(path, {{"w", Array::from(std::vector<float>{1, 2, 3})}});
  const auto mapped = [&] {
    return TemporaryFolder::get("/proc/self/maps").find(path) != std::string::npos;
  };
  const auto before = open_files();
  {
    const SafetensorsFile file(path);
    EXPECT_EQ(open_files(), before + 1);
    EXPECT_TRUE(mapped());
    EXPECT_THROW(SafetensorsFile again(broken), FormatError);
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_FALSE(mapped());
  const WithoutStandardInput closed;
  EXPECT_EQ(SafetensorsFile(path).read("w").numel(), 3);
}

}  // namespace
}  // namespace heed::io
