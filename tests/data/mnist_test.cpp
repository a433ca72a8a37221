#include "../../data/mnist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../io/temporary_folder.h"
#include "../support/gzip.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::HasSubstr;

// Images and labels of a part, their bytes counting up; the labels packed.
void write(const TemporaryFolder& folder, const std::string& sizes, int images, int labels,
           int first = 3) {
  std::string pixels = std::string("\0\0\x08", 3) + sizes, names("\0\0\x08\x01\0\0\0", 7);
  for (int i = 0; i < images * 28 * 28; ++i) pixels.push_back(static_cast<char>(i % 251));
  names.push_back(static_cast<char>(labels));
  for (int i = 0; i < labels; ++i) names.push_back(static_cast<char>(first + i));
  TemporaryFolder::put(folder / "train-images-idx3-ubyte", pixels);
  TemporaryFolder::put(folder / "train-labels-idx1-ubyte.gz", gzip(names));
}

const std::string kFive("\x03\0\0\0\5\0\0\0\x1c\0\0\0\x1c", 13);

TEST(Mnist, ReadsAPart) {
  const TemporaryFolder folder;
  write(folder, kFive, 5, 5);
  const Digits digits = read_mnist(folder.path(), "train");
  EXPECT_EQ(digits.count(), 5);
  EXPECT_EQ(digits.labels, (std::vector<Index>{3, 4, 5, 6, 7}));
  EXPECT_EQ(digits.pixels.size(), 5U * 28 * 28);
  EXPECT_EQ(digits.pixels[300], 49);
}

TEST(Mnist, SaysWhatDoesNotFit) {
  const TemporaryFolder folder;
  const auto complaint = [&] {
    return message_of<FormatError>([&] { read_mnist(folder.path(), "train"); });
  };
  EXPECT_ERROR_WITH(IoError, "train-images-idx3-ubyte: open: No such file",
                    read_mnist(folder.path(), "train"));
  write(folder, kFive, 5, 4);
  EXPECT_THAT(complaint(), HasSubstr("labels-idx1-ubyte.gz: at byte 4: mnist: labels of [4] for 5 "
                                     "images"));
  write(folder, kFive, 5, 5, 6);
  EXPECT_THAT(complaint(), HasSubstr("labels-idx1-ubyte.gz: at byte 12: mnist: 10 is no digit"));
  write(folder, std::string("\1\0\0\3\x10", 5), 1, 5);
  EXPECT_THAT(complaint(), HasSubstr("images of [784], not of [n, 28, 28], n > 0"));
  write(folder, std::string("\3\0\0\0\0\0\0\0\x1c\0\0\0\x1c", 13), 0, 5);
  EXPECT_THAT(complaint(), HasSubstr("images of [0, 28, 28]"));
}

}  // namespace
}  // namespace heed::data
