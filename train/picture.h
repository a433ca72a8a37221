// Small pictures for looking at what a model looked at: 8-bit RGB, drawn on, scaled, laid side by
// side with captions, and written as PNG. x counts from the left, y from the top; whatever is drawn
// outside is cut off.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/array.h"

namespace heed::train {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

class Picture {
 public:
  /// All of one colour. Throws ShapeError for a negative size, or more than 2^28 dots.
  Picture(Index width, Index height, Colour colour = {});
  /// Of an image with values in [0, 1] (others are clamped, NaN is 0): f32 or f64, grey [H, W] or
  /// RGB [3, H, W]. Throws ShapeError, DTypeError.
  static Picture from(const Array& image);

  Index width() const { return width_; }
  Index height() const { return height_; }
  /// Row-major, three bytes a dot.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  /// Throws IndexError outside.
  Colour at(Index x, Index y) const;

  void set(Index x, Index y, Colour colour);
  /// Mixes `colour` in by `share`, 0 to 1.
  void blend(Index x, Index y, Colour colour, double share);
  void fill(Index x, Index y, Index width, Index height, Colour colour);
  /// The border of that rectangle.
  void rectangle(Index x, Index y, Index width, Index height, Colour colour);
  void line(Index from_x, Index from_y, Index to_x, Index to_y, Colour colour);
  /// ASCII in the small font; x, y is the upper left dot. text_width() dots wide, 8 high.
  void text(Index x, Index y, const std::string& text, Colour colour);
  void paste(const Picture& picture, Index x, Index y);
  /// Lays `weights` [rows, columns], f32 or f64, over the whole: what has the largest becomes
  /// bright orange, what has none is darkened. Smooth between the cells' centres unless
  /// `smooth` is false. Weights that are not finite, or below 0, count as 0. Throws ShapeError,
  /// DTypeError.
  void heat(const Array& weights, bool smooth = true);

  /// Each dot a square of `factor` x `factor`. Throws ValueError unless factor > 0, ShapeError.
  Picture scaled(Index factor) const;

 private:
  bool inside(Index x, Index y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  std::size_t place(Index x, Index y) const {
    return static_cast<std::size_t>(3 * (y * width_ + x));
  }

  Index width_, height_;
  std::vector<std::uint8_t> bytes_;
};

/// The dots that Picture::text() takes from left to right.
Index text_width(const std::string& text);

struct CaptionedPicture {
  Picture picture;
  std::string caption;  ///< empty: none
};

/// The pictures from left to right on white, captions below their middle.
Picture strip(const std::vector<CaptionedPicture>& pictures);
/// Pictures from top to bottom on white, aligned at the left.
Picture stack(const std::vector<Picture>& pictures);

/// The bytes of a PNG file. Throws ValueError for a picture without dots.
std::string encode_png(const Picture& picture);
/// The same, written atomically. Throws IoError, too.
void write_png(const std::string& path, const Picture& picture);

}  // namespace heed::train
