#include "../../train/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "../../train/crc32c.h"
#include "../io/temporary_folder.h"
#include "event_file.h"

namespace heed::train {
namespace {

using event_file::Message;

std::vector<Message> events(const std::string& path) {
  std::vector<Message> out;
  for (const std::string& record : event_file::records(TemporaryFolder::get(path))) {
    out.emplace_back(record);
  }
  return out;
}

// The value of an event, and its step.
Message value_of(const Message& event) { return event.at(5).at(1); }

TEST(Crc32c, HasKnownAnswers) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(event_file::crc("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43u);
}

TEST(TensorBoard, BeginsWithItsVersion) {
  const TemporaryFolder folder;
  const TensorBoard log(folder / "a/b");
  EXPECT_EQ(std::filesystem::path(log.path()).parent_path(), folder / "a/b");
  const auto found = events(log.path());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text(3), "brain.Event:2");
  EXPECT_GT(found[0].real(1), 1.6e9);
}

TEST(TensorBoard, WritesScalars) {
  const TemporaryFolder folder;
  TensorBoard log(folder / "board");
  log.scalar(7, "loss/train", 0.625);
  log.scalar(5'000'000'000, "loss/train", std::numeric_limits<double>::quiet_NaN());
  const auto found = events(log.path());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].number(2), 7U);
  EXPECT_EQ(value_of(found[1]).text(1), "loss/train");
  EXPECT_EQ(value_of(found[1]).real(2), 0.625);
  EXPECT_EQ(found[2].number(2), 5'000'000'000U);
  EXPECT_TRUE(std::isnan(value_of(found[2]).real(2)));
}

TEST(TensorBoard, WritesTextHistogramsAndPictures) {
  const TemporaryFolder folder;
  TensorBoard log(folder / "board");
  log.text(3, "sample", "**bold** ü");
  log.histogram(4, "weights", tensor({0, 1, 2, 3, 4, 5, 6, 64}, {2, 4}, DType::f64));
  Picture picture(3, 5);
  picture.set(1, 2, {255, 127, 31});
  log.image(5, "seen", picture);
  log.histogram(6, "nothing", tensor({std::nan("")}, {1}));
  const auto found = events(log.path());
  ASSERT_EQ(found.size(), 4U);

  const Message text = value_of(found[1]);
  EXPECT_EQ(text.at(8).number(1), 7U);  // DT_STRING
  EXPECT_EQ(text.at(8).at(2).at(2).number(1), 1U);
  EXPECT_EQ(text.at(8).text(8), "**bold** ü");
  EXPECT_EQ(text.at(9).at(1).text(1), "text");

  const Message histogram = value_of(found[2]).at(5);
  EXPECT_EQ(histogram.real(1), 0);
  EXPECT_EQ(histogram.real(2), 64);
  EXPECT_EQ(histogram.real(3), 8);
  EXPECT_EQ(histogram.real(4), 85);
  EXPECT_EQ(histogram.real(5), 1 + 4 + 9 + 16 + 25 + 36 + 64 * 64);
  const std::vector<double> limits = event_file::packed(histogram.text(6));
  const std::vector<double> counts = event_file::packed(histogram.text(7));
  ASSERT_EQ(limits.size(), 64U);
  ASSERT_EQ(counts.size(), 64U);
  EXPECT_EQ(limits.front(), 1);
  EXPECT_EQ(limits.back(), 64);
  EXPECT_EQ(counts[6], 1);
  EXPECT_EQ(counts[63], 1);

  const Message image = value_of(found[3]).at(4);
  EXPECT_EQ(image.number(1), 5U);
  EXPECT_EQ(image.number(2), 3U);
  EXPECT_EQ(image.number(3), 3U);
  EXPECT_EQ(image.text(4), encode_png(picture));
}

TEST(TensorBoard, ResumesInAFileOfItsOwn) {
  const TemporaryFolder folder;
  std::string before;
  {
    TensorBoard log(folder / "board");
    log.scalar(9, "loss", 1);
    before = log.path();
  }
  TensorBoard log(folder / "board");
  log.resume(4);
  log.scalar(5, "loss", 2);
  EXPECT_LT(before, log.path());  // read in this order
  const auto found = events(log.path());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].number(2), 5U);
  EXPECT_EQ(found[1].at(7).number(1), 1U);  // SessionLog START: from here on this file counts
  EXPECT_EQ(events(before).size(), 2U);
}

TEST(TensorBoard, IsWholeAfterEveryCall) {
  const TemporaryFolder folder;
  TensorBoard log(folder / "board");
  for (int step = 0; step < 17; ++step) {
    log.scalar(step, "loss", step);
    EXPECT_EQ(events(log.path()).size(), static_cast<std::size_t>(step) + 2);
  }
  std::string bytes = TemporaryFolder::get(log.path());
  bytes[20] = static_cast<char>(bytes[20] ^ 1);
  EXPECT_THROW(event_file::records(bytes), std::runtime_error);  // the reader reads
}

}  // namespace
}  // namespace heed::train
