#include "../../data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "../../core/error.h"
#include "../support/places.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string header(std::initializer_list<std::uint32_t> sizes, char type = 8) {
  std::string out = {0, 0, type, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(size >> shift & 255));
  }
  return out;
}

std::string complaint(const std::string& content) {
  const TemporaryFile file(content);
  const std::string message = message_of<FormatError>([&] { read_idx(file.path()); });
  EXPECT_THAT(message, StartsWith(file.path() + ": at byte "));
  return message.substr(std::min(message.size(), file.path().size() + 2));
}

TEST(Idx, ReadsPlainAndGzip) {
  const std::string content =
      header({2, 3, 5}) + std::string("abcdefghijklmnopqrstuvwxyz\0\1\2\377", 30);
  for (const std::string& bytes : {content, gzip(content)}) {
    const TemporaryFile file(bytes);
    const IdxFile read = read_idx(file.path());
    EXPECT_EQ(read.shape, (Shape{2, 3, 5}));
    ASSERT_EQ(read.bytes.size(), 30U);
    EXPECT_EQ(read.bytes[0], 'a');
    EXPECT_EQ(read.bytes[29], 255);
  }
  const TemporaryFile labels(header({3}) + "xyz");
  EXPECT_THAT(read_idx(labels.path()).bytes, ElementsAre('x', 'y', 'z'));
  const TemporaryFile none(header({0, 28, 28}));
  EXPECT_EQ(read_idx(none.path()).shape, (Shape{0, 28, 28}));
}

TEST(Idx, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(""), "at byte 0: idx: the file ends within its first 4 bytes");
  EXPECT_EQ(complaint("\0\0\x08"), "at byte 0: idx: the file ends within its first 4 bytes");
  EXPECT_EQ(complaint("PNG and so on"),
            "at byte 4: idx: begins with 0x50 0x4e, not with two zero bytes");
  EXPECT_EQ(complaint(header({1}, 0x0D) + "abcd"),
            "at byte 4: idx: elements of type 0x0d, not of 0x08, unsigned bytes");
  EXPECT_EQ(complaint(header({})), "at byte 4: idx: 0 axes, not 1 to 8");
  EXPECT_EQ(complaint(header({1, 1, 1, 1, 1, 1, 1, 1, 1}) + "a"),
            "at byte 4: idx: 9 axes, not 1 to 8");
  EXPECT_EQ(complaint(header({2, 3}).substr(0, 11)),
            "at byte 11: idx: the file ends within its sizes");
  EXPECT_EQ(complaint(header({2, 3}) + "abcde"),
            "at byte 17: idx: the file ends after 5 of 6 elements");
  EXPECT_EQ(complaint(header({2, 3}) + "abcdefg"),
            "at byte 19: idx: the file goes on after its 6 elements");
}

TEST(Idx, DoesNotBelieveItsHeader) {
  // 2^62 elements, and more than 64 bits can count: neither is allocated.
  EXPECT_THAT(complaint(header({0x80000000U, 0x80000000U}) + "abc"),
              HasSubstr("the file ends after 3 of 4611686018427387904 elements"));
  EXPECT_THAT(complaint(header({0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU})),
              HasSubstr("have no product in 64 bits"));
}

TEST(Idx, SaysThatGzipIsDamaged) {
  const std::string good = gzip(header({100}) + std::string(100, 'x'));
  EXPECT_THAT(complaint(good.substr(0, good.size() - 3)), HasSubstr("damaged gzip file: "));
  std::string flipped = good;
  flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);
  EXPECT_THAT(complaint(flipped), HasSubstr("damaged gzip file: "));
}

TEST(Idx, SaysWhatItCannotOpen) {
  const TemporaryFile file("");
  EXPECT_ERROR(IoError, file.path() + ".missing: open: No such file or directory",
               read_idx(file.path() + ".missing"));
  EXPECT_ERROR(IoError, file.folder() + ": read: Is a directory", read_idx(file.folder()));
}

TEST(Idx, ReadsMnist) {
  const std::filesystem::path folder = std::filesystem::path(data_folder()) / "mnist";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no MNIST in " << folder;
  const IdxFile images = read_idx((folder / "t10k-images-idx3-ubyte.gz").string());
  const IdxFile labels = read_idx((folder / "t10k-labels-idx1-ubyte.gz").string());
  EXPECT_EQ(images.shape, (Shape{10000, 28, 28}));
  EXPECT_EQ(labels.shape, (Shape{10000}));
  EXPECT_EQ(labels.bytes[0], 7);  // the first digit of the test set
}

}  // namespace
}  // namespace heed::data
