#include "../../train/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

double now = 0.0;

// Collects what is written to a FILE*.
class Sink {
 public:
  Sink() : file_(::open_memstream(&text_, &size_)) {}
  ~Sink() {
    std::fclose(file_);
    ::free(text_);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  ProgressOptions options(ProgressOptions::Style style) {
    now = 1000.0;
    return {.out = file_, .style = style, .clock = [] { return now; }};
  }
  std::string text() {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Progress, PlainLinesAtEveryTenth) {
  Sink sink;
  Progress progress("epoch 2/5", 700, sink.options(ProgressOptions::Style::lines));
  for (Index done = 1; done <= 700; ++done) {
    now += 0.5;
    progress.update(done, 0.25);
  }
  const std::string text = sink.text();
  EXPECT_EQ(count(text, "\n"), 10);
  EXPECT_THAT(text, StartsWith("epoch 2/5: 70/700, 2.00/s, ETA 5:15, loss 0.2500\n"
                               "epoch 2/5: 140/700, 2.00/s, ETA 4:40, loss 0.2500\n"));
  EXPECT_THAT(text, HasSubstr("epoch 2/5: 700 in 5:50, 2.00/s, loss 0.2500\n"));
  EXPECT_EQ(count(text, "\x1b"), 0);
}

TEST(Progress, ALossOfNothingHasNoSign) {
  for (const auto style : {ProgressOptions::Style::lines, ProgressOptions::Style::bar}) {
    Sink sink;
    Progress progress("x", 3, sink.options(style));
    progress.update(1, -1e-7);
    progress.update(3, -0.0);
    EXPECT_EQ(count(sink.text(), "loss 0.0000"), 2);
  }
}

TEST(Progress, AFileIsNoTerminal) {
  Sink sink;
  Progress progress("x", 3, sink.options(ProgressOptions::Style::detect));
  progress.update(1, NAN);
  EXPECT_EQ(sink.text(), "x: 1/3, -/s, ETA 0:00, loss nan\n");
}

TEST(Progress, TheBarIsDrawnTenTimesASecond) {
  Sink sink;
  Progress progress("epoch", 4000, sink.options(ProgressOptions::Style::bar));
  for (Index done = 1; done < 4000; ++done) {
    now += 1.0 / 1024;
    progress.update(done, 0.5);
  }
  const int drawn = count(sink.text(), "\r\x1b[K");
  EXPECT_GT(drawn, 30);
  EXPECT_LE(drawn, 40);
  progress.update(4000, 0.125);
  EXPECT_THAT(sink.text(), HasSubstr("\r\x1b[Kepoch: 4000 in 0:04, 1024/s, loss 0.1250\n"));
  EXPECT_EQ(count(sink.text(), "\n"), 1);
  progress.update(4000, 0.125);
  EXPECT_EQ(count(sink.text(), "\n"), 1);
}

TEST(Progress, TheBarGrowsWithTheWork) {
  Sink sink;
  Progress progress("go", 8, sink.options(ProgressOptions::Style::bar));
  now += 10;
  progress.update(2, 0.5);
  // 26 cells are free in 80 columns; a quarter of them is 6 and four eighths.
  EXPECT_THAT(sink.text(), HasSubstr("█████▌"));
  EXPECT_THAT(sink.text(), HasSubstr(" 25%  2/8  0.20/s  ETA 0:30  loss 0.5000"));
}

TEST(Progress, AnUnfinishedBarEndsItsLine) {
  Sink sink;
  {
    Progress progress("x", 7, sink.options(ProgressOptions::Style::bar));
    progress.update(1, 0.0);
  }
  EXPECT_EQ(sink.text().back(), '\n');
}

TEST(Progress, ChecksItsTotal) {
  EXPECT_ERROR(ValueError, "progress: the total 0 must be positive", Progress("x", 0));
}

TEST(Progress, DurationsRead) {
  EXPECT_EQ(format_duration(0.0), "0:00");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(754.0), "12:34");
  EXPECT_EQ(format_duration(11109.0), "3:05:09");
  EXPECT_EQ(format_duration(-1.0), "-:--");
  EXPECT_EQ(format_duration(NAN), "-:--");
  EXPECT_EQ(format_duration(INFINITY), "-:--");
}

}  // namespace
}  // namespace heed::train
