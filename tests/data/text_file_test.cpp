#include "../../data/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "../../core/error.h"
#include "../support/throws.h"
#include "../support/zstd.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> lines_of(std::string_view content) {
  const TemporaryFile file(content);
  TextFile reader(file.path());
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
    EXPECT_EQ(reader.line(), lines.size());
  }
  return lines;
}

TEST(TextFile, ReadsLines) {
  EXPECT_THAT(lines_of("one\ntwo\r\n\nlast"), ElementsAre("one", "two", "", "last"));
  EXPECT_THAT(lines_of("one\n"), ElementsAre("one"));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo"), ElementsAre("one", "\uFEFFtwo"));
}

TEST(TextFile, ReadsGzipByItsFirstBytes) {
  EXPECT_THAT(lines_of(gzip("\xEF\xBB\xBFone\r\ntwo")), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(gzip("one\n") + gzip("two\n")), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(gzip("")), IsEmpty());
}

TEST(TextFile, ReadsZstdByItsFirstBytes) {
  EXPECT_THAT(lines_of(zstd("\xEF\xBB\xBFone\r\ntwo")), ElementsAre("one", "two"));
  const std::string skipped("\x53\x2A\x4D\x18\x02\0\0\0ab", 10);
  EXPECT_THAT(lines_of(skipped + zstd("one\n") + zstd("two\n") + skipped),
              ElementsAre("one", "two"));
  EXPECT_THAT(lines_of(zstd("")), IsEmpty());
  EXPECT_THAT(lines_of(zstd("one", 23)), ElementsAre("one"));
}

// A frame begins with all of its four bytes.
TEST(TextFile, TextsThatBeginLikeZstdInPartAreTexts) {
  for (const std::string text : {"(abc",
                                 "(\xB5"
                                 "bc",
                                 "(\xB5/c", "a\xB5/\xFD", "ab/\xFD", "abc\xFD", "Pabc", "P*bc",
                                 "P*Mc", "a*M\x18", "abM\x18", "abc\x18", "(", "(\xB5/"})
    EXPECT_THAT(lines_of(text), ElementsAre(text));
}

TEST(TextFile, GivesItsDescriptorBack) {
  for (const std::string& content : {std::string("one\n"), gzip("one\n"), zstd("one\n")}) {
    const TemporaryFile file(content);
    const int before = ::dup(STDIN_FILENO);
    ::close(before);
    TextFile(file.path());
    const int after = ::dup(STDIN_FILENO);
    ::close(after);
    EXPECT_EQ(after, before);
  }
}

TEST(TextFile, GoesOnWhereItStood) {
  std::string content;
  for (int i = 0; i < 30011; ++i) content += std::to_string(i * 7919) + "\n";
  for (const std::string& bytes :
       {content, gzip(content), zstd(content), "\xEF\xBB\xBF" + content}) {
    const TemporaryFile file(bytes);
    TextFile reader(file.path());
    std::vector<TextPlace> places = {reader.place()};
    for (std::string line; reader.next(line);) places.push_back(reader.place());
    EXPECT_EQ(places.size(), 30012u);
    for (const std::size_t at : {20011u, 5u, 30010u, 30011u, 0u}) {
      reader.go_to(places[at]);
      EXPECT_EQ(reader.place(), places[at]);
      std::string line;
      ASSERT_EQ(reader.next(line), at < 30011);
      EXPECT_EQ(line, at < 30011 ? std::to_string(at * 7919) : "");
      EXPECT_EQ(reader.line(), std::min<std::uint64_t>(at + 1, 30011));
    }
    reader.go_to({1 << 30, 7});
    std::string line;
    EXPECT_FALSE(reader.next(line));
  }
}

TEST(TextFile, ReadsLinesLongerThanItsBuffer) {
  const std::string big(200003, 'x');
  EXPECT_THAT(lines_of(big + "\n" + big + "y\nz"), ElementsAre(big, big + "y", "z"));
  EXPECT_THAT(lines_of(gzip(big + "\nz")), ElementsAre(big, "z"));
  EXPECT_THAT(lines_of(zstd(big + "\nz") + zstd("y\n" + big)), ElementsAre(big, "zy", big));
  // A line end right at, before and after the end of the buffer.
  for (const std::size_t length : {65535U, 65536U, 65537U}) {
    const std::string line(length, 'x');
    EXPECT_THAT(lines_of(line + "\nz"), ElementsAre(line, "z"));
    EXPECT_THAT(lines_of(line + "\r\n"), ElementsAre(line));
  }
}

TEST(TextFile, SaysWhatItCannotOpen) {
  const TemporaryFile file("");
  const std::string missing = file.path() + ".missing";
  EXPECT_ERROR(IoError, missing + ": open: No such file or directory", TextFile reader(missing));
  EXPECT_ERROR(IoError, file.folder() + ": read: Is a directory", TextFile reader(file.folder()));
}

TEST(TextFile, SaysThatGzipIsDamaged) {
  std::string content;
  for (int i = 0; i < 50000; ++i) content += std::to_string(i * 7919) + "\n";
  const std::string good = gzip(content);
  std::string flipped = good;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  std::string wrong_sum = good;
  wrong_sum[wrong_sum.size() - 6] = static_cast<char>(wrong_sum[wrong_sum.size() - 6] ^ 1);
  for (const std::string& bytes :
       {flipped, wrong_sum, good.substr(0, good.size() - 1), good.substr(0, good.size() / 2),
        good.substr(0, 5), std::string("\x1F\x8Bnot gzip at all")}) {
    const TemporaryFile file(bytes);
    const std::string message = message_of<FormatError>([&] {
      TextFile reader(file.path());
      for (std::string line; reader.next(line);) {
      }
    });
    EXPECT_THAT(message, StartsWith(file.path() + ": at byte ")) << bytes.size();
    EXPECT_THAT(message, HasSubstr("damaged gzip file: "));
    EXPECT_EQ(message.find(file.path(), 1), std::string::npos) << message;
  }
}

TEST(TextFile, SaysThatZstdIsDamaged) {
  std::string content;
  for (int i = 0; i < 50000; ++i) content += std::to_string(i * 7919) + "\n";
  const std::string good = zstd(content);
  std::string flipped = good, wrong_sum = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 0x55);
  wrong_sum[good.size() - 2] = static_cast<char>(wrong_sum[good.size() - 2] ^ 1);
  for (const std::string& bytes :
       {flipped, wrong_sum, good.substr(0, good.size() - 1), good.substr(0, good.size() / 2),
        good.substr(0, 5), good.substr(0, 4), good + "more", good + good.substr(0, 2)}) {
    const TemporaryFile file(bytes);
    const std::string message = message_of<FormatError>([&] {
      TextFile reader(file.path());
      for (std::string line; reader.next(line);) {
      }
    });
    EXPECT_THAT(message, StartsWith(file.path() + ": at byte ")) << bytes.size();
    EXPECT_THAT(message, HasSubstr("damaged zstd file: "));
  }
}

// The library reads what was written before the format was settled, and takes a window of any size
// for it.
TEST(TextFile, ZstdFramesOfOlderFormatsAreRefused) {
  for (const char version : {'\x22', '\x25', '\x26', '\x27'}) {
    std::string older = "?\xB5\x2F\xFD ... \x1F\x1F\x1F\x1F\x1F\x1F\x1F\x1F";
    older[0] = version;
    EXPECT_ERROR_WITH(FormatError, "no frame of today's format", lines_of(zstd("one\n") + older));
  }
  EXPECT_ERROR_WITH(FormatError, "it ends within a frame", lines_of(zstd("one\n") + "\x28\xB5"));
}

TEST(TextFile, RefusesAWindowThatWantsMuchMemory) {
  const TemporaryFile file(zstd("one\n", 24));
  EXPECT_ERROR_WITH(FormatError, "larger than 8 MiB: pack it without --ultra and --long",
                    TextFile reader(file.path()));
}

TEST(TextFile, RefusesALineWithoutEnd) {
  const TemporaryFile file(gzip("short\n" + std::string(kLongestLine + 1, 'x')));
  TextFile reader(file.path());
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_ERROR(FormatError, file.path() + ":2: a line of more than 16 MiB", reader.next(line));
}

}  // namespace
}  // namespace heed::data
