#include "drawn_digits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "../bitmap_font.h"

namespace heed::data {
namespace {

constexpr Index kSide = kDigitSide, kPixels = kSide * kSide;

// The share of ink at a place of the font's 5 x 7 dots, smooth between their centres.
double ink(const std::array<std::uint8_t, kGlyphWidth>& columns, double x, double y) {
  const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
  const double right_share = x - 0.5 - left, lower_share = y - 0.5 - top;
  double total = 0;
  for (int i = 0; i < 4; ++i) {
    const int column = static_cast<int>(left) + i % 2, row = static_cast<int>(top) + i / 2;
    if (column < 0 || column >= kGlyphWidth || row < 0 || row >= 7) continue;
    const unsigned dot = columns[static_cast<std::size_t>(column)] >> row & 1u;
    total +=
        dot * (i % 2 ? right_share : 1 - right_share) * (i / 2 ? lower_share : 1 - lower_share);
  }
  return total;
}

void draw_digit(Index label, Generator& generator, std::uint8_t* pixels) {
  const auto columns = glyph(static_cast<char>('0' + label));
  const auto between = [&](double low, double high) {
    return low + (high - low) * generator.uniform();
  };
  const double angle = between(-0.25, 0.25), slant = between(-0.25, 0.25);
  const double width = between(2.2, 3.4), height = between(2.2, 3.2);  // pixels a dot
  const double x0 = kSide / 2.0 + between(-2, 2), y0 = kSide / 2.0 + between(-2, 2);
  const double strength = between(1.4, 2.4), noise = between(0, 0.15);
  const double c = std::cos(angle), s = std::sin(angle);
  for (Index i = 0; i < kPixels; ++i) {
    // From the pixel back to the font.
    const Index row = i / kSide, column = i % kSide;
    const double dx = static_cast<double>(column) + 0.5 - x0;
    const double dy = static_cast<double>(row) + 0.5 - y0;
    const double y = (c * dy - s * dx) / height;
    const double x = (c * dx + s * dy) / width + slant * y;
    const double light = strength * ink(columns, x + 2.5, y + 3.5) - 0.3;
    const double shown = std::clamp(light, 0.0, 1.0) + noise * between(-1, 1);
    pixels[i] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(shown, 0.0, 1.0)));
  }
}

}  // namespace

Digits draw_digits(Index count, Generator& generator) {
  Digits out;
  out.pixels.resize(static_cast<std::size_t>(count * kPixels));
  for (Index i = 0; i < count; ++i) {
    out.labels.push_back(generator.below(10));
    draw_digit(out.labels.back(), generator, out.pixels.data() + i * kPixels);
  }
  return out;
}

}  // namespace heed::data
