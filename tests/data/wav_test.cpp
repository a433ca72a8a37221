#include "../../data/wav.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string bytes(std::uint64_t value, int count) {
  std::string out;
  for (; count > 0; --count, value >>= 8) out += static_cast<char>(value & 255);
  return out;
}

struct Format {
  std::uint64_t kind = 1, channels = 1, rate = 8000, bits = 16;
};
std::string format_chunk(const Format& f) {
  const std::uint64_t frame = f.channels * f.bits / 8;
  return "fmt " + bytes(16, 4) + bytes(f.kind, 2) + bytes(f.channels, 2) + bytes(f.rate, 4) +
         bytes(f.rate * frame, 4) + bytes(frame, 2) + bytes(f.bits, 2);
}
std::string riff(const std::string& chunks) {
  return "RIFF" + bytes(4 + chunks.size(), 4) + "WAVE" + chunks;
}
std::string data_chunk(const std::string& samples) {
  return "data" + bytes(samples.size(), 4) + samples;
}
std::string file(const Format& f, const std::string& samples) {
  return riff(format_chunk(f) + data_chunk(samples));
}
const std::string kThree = bytes(0x4000, 2) + bytes(0xC000, 2) + bytes(1, 2);  // 1/2, -1/2, 2^-15

class Wav : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_sound()) GTEST_SKIP() << "built without libsndfile";
  }
  static Sound read(const std::string& content, const WavOptions& options = {}) {
    const TemporaryFile file(content, "a.wav");
    return read_wav(file.path(), options);
  }
  static std::string complaint(const std::string& content, const WavOptions& options = {}) {
    const TemporaryFile file(content, "a.wav");
    const std::string message = message_of<FormatError>([&] { read_wav(file.path(), options); });
    EXPECT_THAT(message, StartsWith(file.path() + ": at byte "));
    return message.substr(std::min(message.size(), file.path().size() + 2));
  }
};

TEST_F(Wav, ReadsWholeNumbersOfAnyWidthAndFloats) {
  const Sound sound = read(file({}, kThree));
  EXPECT_EQ(sound.rate, 8000);
  EXPECT_EQ(sound.seconds(), 3.0 / 8000);
  EXPECT_THAT(sound.samples, ElementsAre(0.5f, -0.5f, 1.0f / 32768));
  EXPECT_THAT(read(file({.bits = 8}, bytes(0x0040C080, 4))).samples,
              ElementsAre(0, 0.5f, -0.5f, -1));
  EXPECT_THAT(
      read(file({.rate = 44100, .bits = 24}, bytes(0x400000, 3) + bytes(0xC00000, 3))).samples,
      ElementsAre(0.5f, -0.5f));
  EXPECT_THAT(read(file({.bits = 32}, bytes(0xC0000000, 4))).samples, ElementsAre(-0.5f));
  const auto real = [](float x) { return bytes(std::bit_cast<std::uint32_t>(x), 4); };
  EXPECT_THAT(read(file({.kind = 3, .bits = 32}, real(0.3f) + real(-1.7f))).samples,
              ElementsAre(0.3f, -1.7f));
}

TEST_F(Wav, ReadsDoublesAndLongFiles) {
  const auto real = [](double x) { return bytes(std::bit_cast<std::uint64_t>(x), 8); };
  EXPECT_THAT(read(file({.kind = 3, .bits = 64}, real(0.25) + real(-1.5) + real(0))).samples,
              ElementsAre(0.25f, -1.5f, 0));
  std::string samples;
  for (std::uint64_t i = 0; i < 70001; ++i) samples += bytes(i & 0x7FFF, 2);
  const Sound sound = read(file({}, samples));
  ASSERT_EQ(sound.samples.size(), 70001U);
  for (std::size_t i = 0; i < 70001; i += 997) {
    EXPECT_EQ(sound.samples[i], static_cast<float>(i & 0x7FFF) / 32768) << i;
  }
}

TEST_F(Wav, RangesHoldTheirEnds) {
  for (const std::uint64_t rate : {1000U, 192000U}) {
    const auto own = static_cast<Index>(rate);
    EXPECT_EQ(read(file({.rate = rate}, kThree)).rate, own);
    EXPECT_EQ(read(encode_wav({own, {0, 0.5f}}), {.rate = own}).rate, own);
  }
  EXPECT_THAT(complaint(file({.rate = 192001}, kThree)), HasSubstr("192001 samples a second, not"));
  EXPECT_THAT(complaint(file({.rate = 999}, kThree)), HasSubstr("999 samples a second, not"));
  EXPECT_ERROR(ValueError, "encode_wav: 192001 samples a second, not 1000 to 192000",
               encode_wav({192001, {0}}));
  const std::string second = file({.rate = 1000}, std::string(2000, 'x'));
  EXPECT_EQ(read(second, {.shortest = 1, .longest = 1}).samples.size(), 1000U);
}

TEST_F(Wav, IsNotReadBeyondWhatMayBeInIt) {
  // 8 bytes a sample of the longest, and a megabyte for what else is in it.
  const WavOptions options{.rate = 1000, .longest = 0.5};
  const std::string good = riff(format_chunk({.rate = 1000}) + data_chunk(kThree));
  EXPECT_EQ(read(good + std::string(900'000, 'x'), options).samples.size(), 3U);
  EXPECT_EQ(complaint(good + std::string(1'200'000, 'x'), options),
            "at byte 1004000: wav: the file has more than 1004000 bytes");
}

TEST_F(Wav, PassesOverOtherChunks) {
  const std::string other = "LIST" + bytes(3, 4) + "abc" + '\0';
  EXPECT_EQ(
      read(riff(other + format_chunk({}) + other + data_chunk(kThree) + other)).samples.size(), 3U);
}

// libsndfile would look into what follows the samples, and with this never come back.
TEST_F(Wav, DoesNotLookBehindTheSamples) {
  const std::string list = "LIST" + bytes(0xFFFFFF02, 4) + std::string(30, '\xFF');
  EXPECT_THAT(read(riff(format_chunk({}) + data_chunk(kThree) + list)).samples,
              ElementsAre(0.5f, -0.5f, 1.0f / 32768));
}

TEST_F(Wav, ReadsAnExtensibleFormatOfANameItKnows) {
  const auto chunk = [](char last) {
    const std::string plain = format_chunk({.kind = 0xFFFE}).substr(8);
    return "fmt " + bytes(40, 4) + plain + bytes(22, 2) + bytes(16, 2) + bytes(4, 4) + bytes(1, 2) +
           std::string("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B", 13) + last;
  };
  EXPECT_THAT(read(riff(chunk('\x71') + data_chunk(kThree))).samples,
              ElementsAre(0.5f, -0.5f, 1.0f / 32768));
  EXPECT_THAT(complaint(riff(chunk('\x72') + data_chunk(kThree))), HasSubstr("kind 65534"));
}

TEST_F(Wav, ReadsWhatItWrote) {
  const Sound sound{11025, {0, 0.25f, -1, 0.999f, 3, -3, std::nanf("")}};
  const Sound again = read(encode_wav(sound), {.rate = 11025});
  ASSERT_EQ(again.samples.size(), 7U);
  EXPECT_EQ(again.rate, 11025);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(again.samples[i], sound.samples[i], 1.0 / 65536);
  EXPECT_NEAR(again.samples[4], 1, 1.0 / 16384);
  EXPECT_EQ(again.samples[5], -1);
  EXPECT_EQ(again.samples[6], 0);
  EXPECT_ERROR_WITH(ValueError, "999 samples a second", encode_wav({999, {0}}));
}

TEST_F(Wav, SaysWhatIsWrong) {
  const std::string good = file({}, kThree);
  EXPECT_EQ(complaint("OggS and so on, and so on"),
            "at byte 0: wav: does not begin as a WAV file, with RIFF and WAVE");
  for (const char* const begin : {"RIFX....WAVE", "RIFF....WAVX", "RIFF....WAV", "RIFF", ""}) {
    EXPECT_THAT(complaint(begin), StartsWith("at byte 0: wav: does not begin as a WAV file"));
  }
  EXPECT_EQ(complaint("RIFF....WAVE"), "at byte 12: wav: the file ends before its samples");
  for (const Format& other : {Format{.kind = 3, .bits = 16}, Format{.kind = 3, .bits = 24},
                              Format{.bits = 64}, Format{.bits = 12}, Format{.kind = 0xFFFE}}) {
    EXPECT_THAT(complaint(file(other, kThree + kThree)),
                HasSubstr("at byte 20: wav: samples of kind " + std::to_string(other.kind) +
                          " with " + std::to_string(other.bits) + " bits are not read"));
  }
  EXPECT_EQ(complaint(riff("fmt " + bytes(15, 4) + format_chunk({}).substr(8, 15) + '\0' +
                           data_chunk(kThree))),
            "at byte 20: wav: its chunk about the format is too short");
  EXPECT_EQ(complaint(file({.channels = 2}, kThree + kThree)),
            "at byte 22: wav: 2 channels, not one");
  EXPECT_EQ(complaint(file({.rate = 16000}, kThree), {.rate = 8000}),
            "at byte 24: wav: 16000 samples a second, not 8000");
  EXPECT_EQ(complaint(file({.rate = 7}, kThree)),
            "at byte 24: wav: 7 samples a second, not 1000 to 192000");
  EXPECT_EQ(complaint(file({.kind = 2, .bits = 4}, kThree)),
            "at byte 20: wav: samples of kind 2 with 4 bits are not read: PCM and floats are");
  EXPECT_EQ(complaint(good.substr(0, good.size() - 1)),
            "at byte 49: wav: the file ends after 5 of 6 bytes of samples");
  EXPECT_EQ(complaint(good.substr(0, 30)),
            "at byte 12: wav: the file ends within a chunk before its samples");
  EXPECT_EQ(complaint(good.substr(0, 36)), "at byte 36: wav: the file ends before its samples");
  EXPECT_EQ(complaint(file({}, "")), "at byte 36: wav: no samples");
  EXPECT_EQ(complaint(file({}, "abc")), "at byte 36: wav: the samples end within one");
  EXPECT_EQ(complaint(riff(data_chunk(kThree))),
            "at byte 12: wav: samples come before what says their format");
  EXPECT_EQ(complaint(riff(format_chunk({}) + format_chunk({}) + data_chunk(kThree))),
            "at byte 44: wav: a second chunk about the format");
  EXPECT_EQ(complaint(riff("fmt " + bytes(8, 4) + bytes(1, 8) + data_chunk(kThree))),
            "at byte 20: wav: its chunk about the format is too short");
  EXPECT_EQ(complaint(file({.rate = 1000}, std::string(2200, 'x')), {.longest = 1}),
            "at byte 36: wav: 1.1 s; at most 1 are read");
  EXPECT_EQ(complaint(file({.rate = 1000}, std::string(180, 'x')), {.shortest = 0.1}),
            "at byte 36: wav: 0.090 s; at least 0.1 are wanted");
  const auto infinite = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity());
  EXPECT_EQ(complaint(file({.kind = 3, .bits = 32}, bytes(0, 4) + bytes(infinite, 4))),
            "at byte 48: wav: a sample is not finite");
}

TEST_F(Wav, DoesNotBelieveItsHeader) {
  const std::string claims =
      riff(format_chunk({}) + "data" + bytes(0xFFFFFFFE, 4) + std::string(10, 'x'));
  EXPECT_EQ(complaint(claims),
            "at byte 54: wav: the file ends after 10 of 4294967294 bytes of samples");
  std::string frame = file({}, kThree);
  frame[32] = 4;
  EXPECT_EQ(complaint(frame), "at byte 32: wav: 4 bytes a sample of 16 bits");
}

TEST_F(Wav, SaysWhatItCannotOpen) {
  const TemporaryFile file("");
  EXPECT_ERROR(IoError, file.path() + ".missing: open: No such file or directory",
               read_wav(file.path() + ".missing"));
  EXPECT_ERROR(IoError, file.folder() + ": read: Is a directory", read_wav(file.folder()));
}

TEST(WavWithout, SaysSo) {
  if (has_sound()) GTEST_SKIP() << "built with libsndfile";
  EXPECT_ERROR(ValueError, "read_wav: this program was built without libsndfile",
               read_wav("a.wav"));
}

}  // namespace
}  // namespace heed::data
