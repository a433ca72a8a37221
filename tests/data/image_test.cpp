#include "../../data/image.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <cstdio>
// It asks for <cstdio> before it.
#include <jpeglib.h>
#include <png.h>

#include <cstdlib>

#include "../../core/error.h"
#include "../../train/picture.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

// Colours that change slowly, as JPEG likes them.
train::Picture slope(Index width, Index height) {
  train::Picture out(width, height);
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      out.set(x, y,
              {static_cast<std::uint8_t>(250 * x / width),
               static_cast<std::uint8_t>(250 * y / height), 90});
    }
  }
  return out;
}

// Each coefficient in a pass of its own, the first `twice` of them in two: the lowest bit alone.
std::vector<jpeg_scan_info> many_passes(int twice) {
  std::vector<jpeg_scan_info> out = {{3, {0, 1, 2}, 0, 0, 0, 0}};
  for (int place = 1; place < 64; ++place) {
    const int bits = place <= twice ? 1 : 0;
    for (int bit = bits; bit >= 0; --bit) {
      out.push_back({1, {0}, place, place, bit == bits ? 0 : bit + 1, bit});
    }
  }
  return out;
}

std::string jpeg_of(const train::Picture& picture, bool progressive = false,
                    J_COLOR_SPACE space = JCS_RGB, std::vector<jpeg_scan_info> passes = {},
                    const std::string& notes = "") {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  jpeg_mem_dest(&info, &bytes, &count);
  info.image_width = static_cast<unsigned>(picture.width());
  info.image_height = static_cast<unsigned>(picture.height());
  const std::size_t channels = space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK ? 4 : 3;
  info.input_components = static_cast<int>(channels);
  info.in_color_space = space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  if (!passes.empty()) {
    info.scan_info = passes.data();
    info.num_scans = static_cast<int>(passes.size());
  }
  jpeg_start_compress(&info, TRUE);
  if (!notes.empty()) {
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(notes.data()),
                      static_cast<unsigned>(notes.size()));
  }
  for (Index y = 0; y < picture.height(); ++y) {
    std::vector<std::uint8_t> row;
    for (Index x = 0; x < picture.width(); ++x) {
      const train::Colour c = picture.at(x, y);
      row.insert(row.end(), {c.red, c.green, c.blue});
      row.resize(row.size() + channels - 3, 255);
    }
    JSAMPROW at = row.data();
    jpeg_write_scanlines(&info, &at, 1);
  }
  jpeg_finish_compress(&info);
  std::string out(reinterpret_cast<const char*>(bytes), count);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return out;
}

// Of two bytes a number, and nothing said of what they mean.
std::string png_of_16_bits(int width, int height, int channels,
                           const std::vector<std::uint16_t>& numbers) {
  std::string out;
  png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(writer);
  png_set_write_fn(
      writer, &out,
      [](png_structp of, png_bytep bytes, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(of))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      [](png_structp) {});
  png_set_IHDR(writer, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 16,
               channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer, info);
  for (std::size_t y = 0, at = 0; y < static_cast<std::size_t>(height); ++y) {
    std::vector<png_byte> row;
    for (int x = 0; x < width * channels; ++x, ++at) {
      row.push_back(static_cast<png_byte>(numbers[at] >> 8));
      row.push_back(static_cast<png_byte>(numbers[at] & 0xff));
    }
    png_write_row(writer, row.data());
  }
  png_write_end(writer, info);
  png_destroy_write_struct(&writer, &info);
  return out;
}

Image read(const std::string& content) { return read_image(TemporaryFile(content).path()); }

TEST(ImageFiles, APngIsReadToTheDot) {
  const train::Picture picture = slope(7, 5);
  const Image image = read(encode_png(picture));
  EXPECT_EQ(image.width, 7);
  EXPECT_EQ(image.height, 5);
  EXPECT_EQ(image.bytes, picture.bytes());
}

// As one byte a number would say it: 257 times as much.
TEST(ImageFiles, APngOfTwoBytesANumberIsNoBrighter) {
  const std::vector<std::uint8_t> dots = {0,   1,   7,   40, 64, 100, 128, 130,
                                          200, 254, 255, 90, 3,  17,  31};
  std::vector<std::uint16_t> numbers;
  for (const std::uint8_t each : dots) numbers.push_back(static_cast<std::uint16_t>(257 * each));
  EXPECT_EQ(read(png_of_16_bits(5, 1, 3, numbers)).bytes, dots);
  const Image grey = read(png_of_16_bits(5, 3, 1, numbers));
  ASSERT_EQ(grey.bytes.size(), 45U);
  for (std::size_t i = 0; i < grey.bytes.size(); ++i) EXPECT_EQ(grey.bytes[i], dots[i / 3]) << i;
}

TEST(ImageFiles, AJpegIsReadNearly) {
  const train::Picture picture = slope(53, 37);
  for (const bool progressive : {false, true}) {
    const Image image = read(jpeg_of(picture, progressive));
    ASSERT_EQ(image.bytes.size(), picture.bytes().size());
    EXPECT_EQ(image.width, 53);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) {
      ASSERT_NEAR(image.bytes[i], picture.bytes()[i], 16) << i;
    }
  }
}

TEST(ImageFiles, AJpegOfACameraHeldAskewIsTurned) {
  const std::string notes("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0", 28);
  const train::Picture picture = slope(53, 37);
  const Image image = read(jpeg_of(picture, false, JCS_RGB, {}, notes));
  ASSERT_EQ(image.width, 37);
  ASSERT_EQ(image.height, 53);
  for (Index y = 0; y < 53; ++y) {
    for (Index x = 0; x < 37; ++x) {  // the first row of the file is the right side
      const std::uint8_t red = image.bytes[static_cast<std::size_t>(3 * (y * 37 + x))];
      ASSERT_NEAR(red, picture.at(y, 36 - x).red, 16) << x << " " << y;
    }
  }
}

TEST(ImageFiles, AGreyJpegHasThreeEqualChannels) {
  train::Picture picture(11, 3, {130, 130, 130});
  const Image image = read(jpeg_of(picture, false, JCS_GRAYSCALE));
  ASSERT_EQ(image.bytes.size(), 99U);
  for (const std::uint8_t byte : image.bytes) EXPECT_NEAR(byte, 130, 2);
}

// A PNG's last 12 bytes say only that it ends.
TEST(ImageFiles, WhatIsCutShortIsRefusedWhereverItEnds) {
  for (const std::string& whole :
       {encode_png(slope(13, 11)), jpeg_of(slope(13, 11)), jpeg_of(slope(13, 11), true)}) {
    for (std::size_t length = 0; length + 16 < whole.size(); length += 7) {
      EXPECT_THROW(read(whole.substr(0, length)), FormatError) << length;
    }
  }
}

TEST(ImageFiles, AJpegWithoutItsLastMarkIsRefused) {
  for (const bool progressive : {false, true}) {
    const std::string whole = jpeg_of(slope(16, 16), progressive);
    EXPECT_EQ(read(whole).width, 16);
    EXPECT_ERROR_WITH(FormatError, "damaged JPEG: ", read(whole.substr(0, whole.size() - 2)));
  }
}

TEST(ImageFiles, APngIsSeenOnWhite) {
  const std::uint8_t dots[] = {10, 20, 30, 255, 10, 20, 30, 0};
  png_image of{};
  of.version = PNG_IMAGE_VERSION;
  of.width = 2;
  of.height = 1;
  of.format = PNG_FORMAT_RGBA;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&of, nullptr, &size, 0, dots, 0, nullptr);
  std::string bytes(size, '\0');
  png_image_write_to_memory(&of, bytes.data(), &size, 0, dots, 0, nullptr);
  EXPECT_EQ(read(bytes).bytes, (std::vector<std::uint8_t>{10, 20, 30, 255, 255, 255}));
}

TEST(ImageFiles, OtherFilesAreRefused) {
  EXPECT_ERROR_WITH(FormatError, "is neither PNG nor JPEG", read("GIF89a"));
  EXPECT_ERROR_WITH(FormatError, "is neither PNG nor JPEG", read(""));
  EXPECT_ERROR_WITH(FormatError, "damaged PNG: ", read("\x89PNX"));
  EXPECT_ERROR_WITH(FormatError, "damaged JPEG: ", read("\xff\xd9"));
  EXPECT_ERROR_WITH(FormatError, "a JPEG in CMYK is not read",
                    read(jpeg_of(slope(5, 3), false, JCS_CMYK)));
  EXPECT_ERROR_WITH(IoError, "No such file", read_image("/nowhere/at/all"));
  EXPECT_ERROR_WITH(IoError, "Is a directory", read_image("/"));
}

TEST(ImageFiles, ALargePictureIsRefusedBeforeItIsRead) {
  std::string png = encode_png(train::Picture(1, 1));
  // Width and height stand behind the signature, a length and a name; their checksum is not asked.
  for (const std::size_t at : {16U, 20U}) png.replace(at, 4, std::string("\0\0\x40\0", 4));
  EXPECT_THROW(read(png), FormatError);
  std::string jpeg = jpeg_of(slope(16, 16));
  const std::size_t frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_ERROR_WITH(FormatError, "a picture of 65500 x 65500 dots; at most 33554432 dots are read",
                    read(jpeg));
}

TEST(ImageFiles, AJpegOfVeryManyPassesIsRefused) {
  const train::Picture picture = slope(19, 17);
  EXPECT_EQ(read(jpeg_of(picture, false, JCS_RGB, many_passes(36))).width, 19);  // 100
  EXPECT_ERROR_WITH(FormatError, "damaged JPEG: more than 100 passes",
                    read(jpeg_of(picture, false, JCS_RGB, many_passes(37))));
}

TEST(Fitted, EachDotIsTheMeanOfWhatItCovers) {
  // Columns of 0, 60, 120; 1.5 of them make one of two.
  const Image image{3,
                    2,
                    {0, 0, 0, 60, 0, 0, 120, 0, 0,  //
                     120, 0, 0, 60, 0, 0, 0, 0, 0}};
  const Array two = fitted(image, 2, 3);
  EXPECT_EQ(two.shape(), (Shape{3, 2, 3}));
  const Array one = fitted(image, 1, 1);  // the middle square: half of the outer columns
  EXPECT_NEAR(one.to_vector<float>()[0], 60.0 / 255, 1e-6);
  const Image wide{3, 1, {0, 255, 30, 60, 255, 30, 120, 255, 30}};
  const auto halves = fitted(wide, 1, 2).to_vector<float>();  // of 2 places, from 0.5 to 2.5
  EXPECT_NEAR(halves[0], 30.0 / 255, 1e-6);
  EXPECT_NEAR(halves[1], 90.0 / 255, 1e-6);
  EXPECT_NEAR(halves[2], 1, 1e-6);
  EXPECT_NEAR(halves[5], 30.0 / 255, 1e-6);
}

TEST(Fitted, TheSameSizeIsTheImage) {
  const train::Picture picture = slope(5, 7);
  const Image image{5, 7, picture.bytes()};
  const Array out = fitted(image, 7, 5);
  EXPECT_EQ(train::Picture::from(out).bytes(), picture.bytes());
  EXPECT_EQ(train::Picture::from(fitted(image, 14, 10)).scaled(1).bytes(),
            picture.scaled(2).bytes());
}

TEST(Fitted, RefusesNoSize) {
  const Image image{1, 1, {1, 2, 3}};
  EXPECT_ERROR(ValueError, "fitted: 0 x 3 is no size", fitted(image, 0, 3));
  EXPECT_ERROR_WITH(ValueError, "an image without dots", fitted(Image{}, 1, 1));
}

}  // namespace
}  // namespace heed::data
