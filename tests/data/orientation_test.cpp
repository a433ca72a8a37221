#include "../../data/orientation.h"

#include <gtest/gtest.h>

#include <string>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

// A TIFF header and a list of entries, in both orders of bytes.
std::string notes_of(bool little, const std::vector<std::vector<std::uint32_t>>& entries) {
  const auto number = [&](std::uint32_t value, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
      out += static_cast<char>(value >> 8 * (little ? i : count - 1 - i));
    }
    return out;
  };
  std::string out =
      std::string("Exif\0\0", 6) + (little ? "II" : "MM") + number(42, 2) + number(8, 4);
  out += number(static_cast<std::uint32_t>(entries.size()), 2);
  for (const auto& entry : entries) {
    out += number(entry[0], 2) + number(entry[1], 2) + number(entry[2], 4) + number(entry[3], 2);
    out += number(0, 2);
  }
  return out;
}

TEST(Orientation, IsFoundAmongTheNotes) {
  for (const bool little : {false, true}) {
    for (std::uint32_t value = 1; value <= 8; ++value) {
      EXPECT_EQ(exif_orientation(notes_of(little, {{0x10f, 2, 9, 7}, {0x112, 3, 1, value}})),
                static_cast<int>(value));
    }
    EXPECT_EQ(exif_orientation(notes_of(little, {{0x112, 3, 1, 9}})), 1);
    EXPECT_EQ(exif_orientation(notes_of(little, {{0x112, 3, 1, 0}})), 1);
    EXPECT_EQ(exif_orientation(notes_of(little, {{0x112, 4, 1, 6}})), 1);
    EXPECT_EQ(exif_orientation(notes_of(little, {{0x112, 3, 2, 6}})), 1);
    EXPECT_EQ(exif_orientation(notes_of(little, {{0x113, 3, 1, 6}})), 1);
    EXPECT_EQ(exif_orientation(notes_of(little, {})), 1);
  }
}

TEST(Orientation, OfBrokenNotesIsNone) {
  const std::string whole = notes_of(true, {{0x112, 3, 1, 6}});
  EXPECT_EQ(exif_orientation(whole), 6);
  // Two bytes behind the value belong to nobody.
  for (std::size_t length = 0; length < whole.size() - 2; ++length) {
    EXPECT_EQ(exif_orientation(std::string_view(whole).substr(0, length)), 1) << length;
  }
  for (const std::size_t place : {0U, 6U, 8U}) {
    std::string other = whole;
    other[place] = 'x';
    EXPECT_EQ(exif_orientation(other), 1) << place;
  }
  std::string far = whole;  // a list that begins beyond the end
  far[10] = far[11] = far[12] = far[13] = '\xff';
  EXPECT_EQ(exif_orientation(far), 1);
}

// 1 2 3
// 4 5 6
TEST(Orientation, TurnsAndMirrors) {
  const auto seen = [](int orientation) {
    Image image{3, 2, {}};
    for (std::uint8_t i = 1; i <= 6; ++i) image.bytes.insert(image.bytes.end(), {i, 70, i});
    const Image out = upright(std::move(image), orientation);
    std::string text;
    for (Index y = 0; y < out.height; ++y) {
      for (Index x = 0; x < out.width; ++x) {
        text += std::to_string(out.bytes[static_cast<std::size_t>(3 * (y * out.width + x) + 2)]);
      }
      text += '/';
    }
    return text;
  };
  EXPECT_EQ(seen(1), "123/456/");
  EXPECT_EQ(seen(2), "321/654/");
  EXPECT_EQ(seen(3), "654/321/");
  EXPECT_EQ(seen(4), "456/123/");
  EXPECT_EQ(seen(5), "14/25/36/");
  EXPECT_EQ(seen(6), "41/52/63/");
  EXPECT_EQ(seen(7), "63/52/41/");
  EXPECT_EQ(seen(8), "36/25/14/");
  EXPECT_ERROR(ValueError, "upright: orientation 9 is not in [1, 8]", upright({}, 9));
  EXPECT_THROW(upright({}, 0), ValueError);
}

}  // namespace
}  // namespace heed::data
