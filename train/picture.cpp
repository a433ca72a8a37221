#include "picture.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "../core/error.h"
#include "../data/bitmap_font.h"
#include "../io/file.h"

namespace heed::train {
namespace {

constexpr Index kMostDots = Index{1} << 28;
constexpr Index kMargin = 4;
constexpr Colour kWhite = {255, 255, 255}, kInk = {32, 32, 32};
constexpr Colour kHot = {255, 140, 0};
constexpr double kDarkest = 0.65, kHottest = 0.55;  // shares of black and of orange

Index checked_dots(Index width, Index height) {
  if (width < 0 || height < 0 || (height > 0 && width > kMostDots / height)) {
    throw ShapeError(
        fmt::format("Picture: at most {} dots: {} x {} came", kMostDots, width, height));
  }
  return width * height;
}

void check_floating(const char* what, const Array& array) {
  if (array.defined() && is_computed(array.dtype())) return;
  throw DTypeError(fmt::format("Picture: {} must be f32 or f64, not {}", what, describe(array)));
}

// Far outside is as good as anywhere outside, and nothing overflows.
Index near(Index coordinate) { return std::clamp(coordinate, -kMostDots, kMostDots); }

std::uint8_t byte_of(double share) {
  return static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(share, 0.0, 1.0)));
}

std::uint8_t mix(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
}

}  // namespace

Picture::Picture(Index width, Index height, Colour colour)
    : width_(width),
      height_(height),
      bytes_(3 * static_cast<std::size_t>(checked_dots(width, height))) {
  fill(0, 0, width, height, colour);
}

Picture Picture::from(const Array& image) {
  check_floating("an image", image);
  const bool grey = image.rank() == 2;
  if (!grey && (image.rank() != 3 || image.size(0) != 3)) {
    throw ShapeError("Picture: an image must be [H, W] or [3, H, W], not " + describe(image));
  }
  const std::vector<double> values = image.to(DType::f64).to_vector<double>();
  Picture out(image.size(-1), image.size(-2));
  const auto dots = static_cast<std::size_t>(out.width_ * out.height_);
  for (std::size_t dot = 0; dot < dots; ++dot) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const double value = values[grey ? dot : channel * dots + dot];
      out.bytes_[3 * dot + channel] = std::isnan(value) ? std::uint8_t{0} : byte_of(value);
    }
  }
  return out;
}

Colour Picture::at(Index x, Index y) const {
  if (!inside(x, y)) {
    throw IndexError(fmt::format("Picture: no dot ({}, {}) in {} x {}", x, y, width_, height_));
  }
  const std::uint8_t* dot = bytes_.data() + place(x, y);
  return {dot[0], dot[1], dot[2]};
}

void Picture::set(Index x, Index y, Colour colour) {
  if (!inside(x, y)) return;
  std::uint8_t* dot = bytes_.data() + place(x, y);
  dot[0] = colour.red;
  dot[1] = colour.green;
  dot[2] = colour.blue;
}

void Picture::blend(Index x, Index y, Colour colour, double share) {
  if (!inside(x, y) || !(share > 0)) return;
  share = std::min(share, 1.0);
  const Colour old = at(x, y);
  set(x, y,
      {mix(old.red, colour.red, share), mix(old.green, colour.green, share),
       mix(old.blue, colour.blue, share)});
}

void Picture::fill(Index x, Index y, Index width, Index height, Colour colour) {
  const Index left = std::max<Index>(near(x), 0), top = std::max<Index>(near(y), 0);
  const Index right = std::min(near(x) + near(width), width_);
  const Index bottom = std::min(near(y) + near(height), height_);
  for (Index row = top; row < bottom; ++row) {
    for (Index column = left; column < right; ++column) set(column, row, colour);
  }
}

void Picture::rectangle(Index x, Index y, Index width, Index height, Colour colour) {
  if (width < 1 || height < 1) return;
  x = near(x);
  y = near(y);
  width = near(width);
  height = near(height);
  fill(x, y, width, 1, colour);
  fill(x, y + height - 1, width, 1, colour);
  fill(x, y, 1, height, colour);
  fill(x + width - 1, y, 1, height, colour);
}

void Picture::line(Index from_x, Index from_y, Index to_x, Index to_y, Colour colour) {
  from_x = near(from_x);
  from_y = near(from_y);
  to_x = near(to_x);
  to_y = near(to_y);
  // Bresenham's.
  const Index wide = std::abs(to_x - from_x), high = std::abs(to_y - from_y);
  const Index step_x = from_x < to_x ? 1 : -1, step_y = from_y < to_y ? 1 : -1;
  Index error = wide - high;
  for (;;) {
    set(from_x, from_y, colour);
    if (from_x == to_x && from_y == to_y) return;
    const Index twice = 2 * error;
    if (twice > -high) {
      error -= high;
      from_x += step_x;
    }
    if (twice < wide) {
      error += wide;
      from_y += step_y;
    }
  }
}

void Picture::text(Index x, Index y, const std::string& text, Colour colour) {
  for (const char character : text) {
    for (const std::uint8_t column : data::glyph(character)) {
      for (int row = 0; row < data::kGlyphHeight; ++row) {
        if ((column >> row & 1) != 0) set(x, y + row, colour);
      }
      ++x;
    }
    ++x;
  }
}

void Picture::paste(const Picture& picture, Index x, Index y) {
  for (Index row = 0; row < picture.height_; ++row) {
    for (Index column = 0; column < picture.width_; ++column) {
      set(x + column, y + row, picture.at(column, row));
    }
  }
}

void Picture::heat(const Array& weights, bool smooth) {
  check_floating("weights", weights);
  if (weights.rank() != 2 || weights.numel() == 0) {
    throw ShapeError("Picture: weights must be [rows, columns] of one or more, not " +
                     describe(weights));
  }
  const Index rows = weights.size(0), columns = weights.size(1);
  std::vector<double> shares = weights.to(DType::f64).to_vector<double>();
  double largest = 0;
  for (double& share : shares) {
    if (!std::isfinite(share) || share < 0) share = 0;
    largest = std::max(largest, share);
  }
  const auto cell = [&](Index row, Index column) {
    row = std::clamp<Index>(row, 0, rows - 1);
    column = std::clamp<Index>(column, 0, columns - 1);
    return largest > 0 ? shares[static_cast<std::size_t>(row * columns + column)] / largest : 0.0;
  };
  for (Index y = 0; y < height_; ++y) {
    for (Index x = 0; x < width_; ++x) {
      // In cells, whose centres stand at whole numbers.
      const double down = (static_cast<double>(y) + 0.5) * static_cast<double>(rows) /
                              static_cast<double>(height_) -
                          0.5;
      const double right = (static_cast<double>(x) + 0.5) * static_cast<double>(columns) /
                               static_cast<double>(width_) -
                           0.5;
      double share = 0;
      if (smooth) {
        const auto row = static_cast<Index>(std::floor(down));
        const auto column = static_cast<Index>(std::floor(right));
        const double low = down - static_cast<double>(row);
        const double far = right - static_cast<double>(column);
        share = (1 - low) * ((1 - far) * cell(row, column) + far * cell(row, column + 1)) +
                low * ((1 - far) * cell(row + 1, column) + far * cell(row + 1, column + 1));
      } else {
        share = cell(std::lround(down), std::lround(right));
      }
      blend(x, y, Colour{}, kDarkest * (1 - share));
      blend(x, y, kHot, kHottest * share);
    }
  }
}

Picture Picture::scaled(Index factor) const {
  if (factor < 1)
    throw ValueError(fmt::format("Picture: a scale must be 1 or more, not {}", factor));
  if (factor > kMostDots) checked_dots(factor, factor);
  Picture out(width_ * factor, height_ * factor);
  for (Index y = 0; y < height_; ++y) {
    for (Index x = 0; x < width_; ++x) out.fill(x * factor, y * factor, factor, factor, at(x, y));
  }
  return out;
}

Index text_width(const std::string& text) {
  return text.empty() ? 0 : static_cast<Index>(text.size()) * (data::kGlyphWidth + 1) - 1;
}

Picture strip(const std::vector<CaptionedPicture>& pictures) {
  Index width = kMargin, height = 0;
  bool any_caption = false;
  for (const CaptionedPicture& each : pictures) {
    width += std::max(each.picture.width(), text_width(each.caption)) + kMargin;
    height = std::max(height, each.picture.height());
    any_caption = any_caption || !each.caption.empty();
  }
  Picture out(width, height + 2 * kMargin + (any_caption ? data::kGlyphHeight + kMargin : 0),
              kWhite);
  Index x = kMargin;
  for (const CaptionedPicture& each : pictures) {
    const Index caption = text_width(each.caption);
    const Index room = std::max(each.picture.width(), caption);
    out.paste(each.picture, x + (room - each.picture.width()) / 2, kMargin);
    out.text(x + (room - caption) / 2, height + 2 * kMargin, each.caption, kInk);
    x += room + kMargin;
  }
  return out;
}

Picture stack(const std::vector<Picture>& pictures) {
  Index width = 0, height = 0;
  for (const Picture& each : pictures) {
    width = std::max(width, each.width());
    height += each.height();
  }
  Picture out(width, height, kWhite);
  Index y = 0;
  for (const Picture& each : pictures) {
    out.paste(each, 0, y);
    y += each.height();
  }
  return out;
}

std::string encode_png(const Picture& picture) {
  if (picture.bytes().empty()) {
    throw ValueError(fmt::format("encode_png: a picture without dots: {} x {}", picture.width(),
                                 picture.height()));
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, picture.bytes().data(), 0, nullptr) ==
      0) {
    const std::string message = image.message;
    png_image_free(&image);
    throw Error("encode_png: " + message);
  }
  out.resize(size);
  return out;
}

void write_png(const std::string& path, const Picture& picture) {
  io::write_file_atomically(path, encode_png(picture));
}

}  // namespace heed::train
