#include "../../train/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../data/temporary_file.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

constexpr Colour kRed = {200, 10, 20}, kBlue = {0, 40, 240};

Index count_of(const Picture& picture, Colour colour) {
  Index count = 0;
  for (Index y = 0; y < picture.height(); ++y) {
    for (Index x = 0; x < picture.width(); ++x) count += picture.at(x, y) == colour ? 1 : 0;
  }
  return count;
}

TEST(Picture, DrawsAndCutsOffWhatIsOutside) {
  Picture picture(7, 5, kBlue);
  EXPECT_EQ(picture.width(), 7);
  EXPECT_EQ(picture.height(), 5);
  EXPECT_EQ(count_of(picture, kBlue), 35);
  picture.set(6, 4, kRed);
  picture.set(7, 4, kRed);
  picture.set(-1, 0, kRed);
  EXPECT_EQ(count_of(picture, kRed), 1);
  picture.fill(-2, -3, 4, 5, kRed);  // 2 x 2 of it are inside
  EXPECT_EQ(count_of(picture, kRed), 5);
  EXPECT_EQ(picture.at(1, 1), kRed);
  EXPECT_EQ(picture.at(2, 1), kBlue);
  constexpr Index kFar = std::numeric_limits<Index>::max();
  picture.fill(-kFar, 4, kFar, kFar, kRed);
  EXPECT_EQ(count_of(picture, kRed), 5);
  picture.fill(5, 3, kFar, kFar, kRed);
  EXPECT_EQ(count_of(picture, kRed), 8);  // one of these four was red
  picture.rectangle(-kFar, -kFar, 3, kFar, kRed);
  EXPECT_EQ(count_of(picture, kRed), 8);
}

TEST(Picture, DrawsBordersAndLines) {
  Picture picture(11, 7);
  picture.rectangle(2, 1, 5, 3, kRed);
  EXPECT_EQ(count_of(picture, kRed), 12);
  EXPECT_EQ(picture.at(4, 2), Colour{});
  EXPECT_EQ(picture.at(6, 3), kRed);
  picture.rectangle(0, 0, 0, 5, kBlue);
  EXPECT_EQ(count_of(picture, kBlue), 0);
  picture.line(10, 6, 0, 6, kBlue);
  EXPECT_EQ(count_of(picture, kBlue), 11);
  Picture slanted(5, 5);
  slanted.line(0, 4, 4, 0, kRed);
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(slanted.at(i, 4 - i), kRed);
  EXPECT_EQ(count_of(slanted, kRed), 5);
}

TEST(Picture, Blends) {
  Picture picture(2, 1, {100, 0, 200});
  picture.blend(0, 0, {200, 100, 0}, 0.25);
  EXPECT_EQ(picture.at(0, 0), (Colour{125, 25, 150}));
  picture.blend(1, 0, kRed, std::nan(""));
  EXPECT_EQ(picture.at(1, 0), (Colour{100, 0, 200}));
  picture.blend(1, 0, kRed, 7);
  EXPECT_EQ(picture.at(1, 0), kRed);
}

TEST(Picture, IsMadeOfImages) {
  const auto grey = Picture::from(Array::from<float>({0, 0.5F, 1, -3, 9, NAN}, {2, 3}));
  EXPECT_EQ(grey.width(), 3);
  EXPECT_EQ(grey.at(1, 0), (Colour{128, 128, 128}));
  EXPECT_EQ(grey.at(0, 1), Colour{});
  EXPECT_EQ(grey.at(1, 1), (Colour{255, 255, 255}));
  EXPECT_EQ(grey.at(2, 1), Colour{});
  const auto rgb = Picture::from(Array::from<double>({0, 1, 0.2, 0.4, 0.6, 0.8}, {3, 1, 2}));
  EXPECT_EQ(rgb.at(0, 0), (Colour{0, 51, 153}));
  EXPECT_EQ(rgb.at(1, 0), (Colour{255, 102, 204}));
}

TEST(Picture, ScalesAndPastes) {
  Picture small(2, 1, kRed);
  small.set(1, 0, kBlue);
  const Picture large = small.scaled(3);
  EXPECT_EQ(large.width(), 6);
  EXPECT_EQ(large.height(), 3);
  EXPECT_EQ(large.at(2, 2), kRed);
  EXPECT_EQ(large.at(3, 0), kBlue);
  Picture ground(5, 5);
  ground.paste(large, 3, 4);
  EXPECT_EQ(count_of(ground, kRed), 2);
}

TEST(Picture, HeatIsBrightestWhereTheWeightIs) {
  Picture picture(6, 4, {100, 100, 100});
  picture.heat(Array::from<float>({0, 0, 0, 0, 0.3F, NAN}, {2, 3}), false);
  for (Index y = 0; y < 4; ++y) {
    for (Index x = 0; x < 6; ++x) {
      const bool hot = x / 2 == 1 && y / 2 == 1;
      EXPECT_EQ(picture.at(x, y), (hot ? Colour{185, 122, 45} : Colour{35, 35, 35})) << x << y;
    }
  }
  Picture smooth(30, 30, {100, 100, 100});
  smooth.heat(Array::from<double>({0, 1, 0, 0, 0, 0, 0, 0, 0}, {3, 3}));
  EXPECT_GT(smooth.at(15, 5).red, smooth.at(15, 10).red);
  EXPECT_GT(smooth.at(15, 10).red, smooth.at(15, 14).red);
  EXPECT_EQ(smooth.at(15, 29), (Colour{35, 35, 35}));
}

TEST(Picture, WritesText) {
  EXPECT_EQ(text_width(""), 0);
  EXPECT_EQ(text_width("ab"), 11);
  Picture picture(20, 8);
  picture.text(0, 0, "l", kRed);  // a stem of seven dots, one more at its head, two at its foot
  EXPECT_EQ(count_of(picture, kRed), 10);
  for (Index y = 0; y < 7; ++y) EXPECT_EQ(picture.at(2, y), kRed);
  Picture unknown(5, 8), mark(5, 8);
  unknown.text(0, 0, "\xE9", kRed);
  mark.text(0, 0, "?", kRed);
  EXPECT_EQ(unknown.bytes(), mark.bytes());
}

TEST(Picture, LaysPicturesSideBySide) {
  const Picture both = strip({{Picture(20, 10, kRed), "a"}, {Picture(3, 5, kBlue), "long"}});
  EXPECT_EQ(both.width(), 4 + 20 + 4 + text_width("long") + 4);
  EXPECT_EQ(both.height(), 4 + 10 + 4 + 8 + 4);
  EXPECT_EQ(count_of(both, kRed), 200);
  EXPECT_EQ(count_of(both, kBlue), 15);
  EXPECT_EQ(strip({{Picture(2, 3), ""}}).height(), 11);
  const Picture column = stack({Picture(2, 3, kRed), Picture(5, 1, kBlue)});
  EXPECT_EQ(column.width(), 5);
  EXPECT_EQ(column.height(), 4);
  EXPECT_EQ(column.at(4, 0), (Colour{255, 255, 255}));
  EXPECT_EQ(column.at(4, 3), kBlue);
}

TEST(Picture, IsWrittenAsPng) {
  const TemporaryFolder folder;
  Picture picture(17, 11, kBlue);
  picture.line(0, 0, 16, 10, kRed);
  write_png(folder / "a.png", picture);
  const std::string bytes = TemporaryFolder::get(folder / "a.png");
  ASSERT_GT(bytes.size(), 40U);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  // Width, height, 8 bits a channel, RGB.
  EXPECT_EQ(bytes.substr(16, 10), std::string("\0\0\0\x11\0\0\0\x0b\x08\x02", 10));
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_ERROR_WITH(IoError, "No such file or directory", write_png(folder / "no/a.png", picture));
}

TEST(Picture, SaysWhatIsWrong) {
  EXPECT_ERROR(ShapeError, "Picture: at most 268435456 dots: -1 x 5 came", Picture(-1, 5));
  EXPECT_ERROR(ShapeError, "Picture: at most 268435456 dots: 1099511627776 x 1099511627776 came",
               Picture(Index{1} << 40, Index{1} << 40));
  EXPECT_ERROR(IndexError, "Picture: no dot (3, 1) in 3 x 2", Picture(3, 2).at(3, 1));
  EXPECT_ERROR(DTypeError, "Picture: an image must be f32 or f64, not undefined",
               Picture::from(Array()));
  EXPECT_ERROR(ShapeError, "Picture: an image must be [H, W] or [3, H, W], not f32[2, 5, 5]",
               Picture::from(Array::zeros({2, 5, 5}, DType::f32)));
  EXPECT_ERROR(DTypeError, "Picture: weights must be f32 or f64, not i64[2, 2]",
               Picture(1, 1).heat(Array::zeros({2, 2}, DType::i64)));
  EXPECT_ERROR(ShapeError, "Picture: weights must be [rows, columns] of one or more, not f32[0, 2]",
               Picture(1, 1).heat(Array::zeros({0, 2}, DType::f32)));
  EXPECT_ERROR(ValueError, "Picture: a scale must be 1 or more, not 0", Picture(1, 1).scaled(0));
  EXPECT_ERROR(ValueError, "encode_png: a picture without dots: 0 x 4",
               write_png("never.png", Picture(0, 4)));
}

}  // namespace
}  // namespace heed::train
