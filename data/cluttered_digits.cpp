#include "cluttered_digits.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"

namespace heed::data {
namespace {

constexpr Index kSide = kDigitSide, kPixels = kSide * kSide;

// The part of a digit at (x, y), `side` pixels across, lights up that of the image at (left, top).
void show(const Digits& digits, Index digit, Index x, Index y, Index side, float* image, Index size,
          Index left, Index top) {
  const std::uint8_t* from = digits.pixels.data() + digit * kPixels + y * kSide + x;
  for (Index i = 0; i < side; ++i) {
    float* row = image + (top + i) * size + left;
    for (Index k = 0; k < side; ++k) {
      row[k] = std::max(row[k], static_cast<float>(from[i * kSide + k]) / 255);
    }
  }
}

}  // namespace

Array cluttered_digits(const Digits& digits, const std::vector<Index>& rows, Index size,
                       Index clutter, Generator& generator, std::vector<DigitPlace>* places) {
  if (size < kSide) {
    throw ValueError(fmt::format("size {} must be at least that of a digit, {}", size, kSide));
  }
  for (const Index row : rows) {
    if (row >= 0 && row < digits.count()) continue;
    throw IndexError(fmt::format("digit {} of {}", row, digits.count()));
  }
  Array images = Array::zeros({static_cast<Index>(rows.size()), 1, size, size}, DType::f32);
  float* image = images.mutable_data<float>();
  for (const Index digit : rows) {
    const auto place = [&](Index side, Index whole) { return generator.below(whole - side + 1); };
    const Index left = place(kSide, size), top = place(kSide, size);
    show(digits, digit, 0, 0, kSide, image, size, left, top);
    if (places != nullptr) places->push_back({left, top});
    for (Index k = 0; k < clutter; ++k) {
      const Index other = generator.below(digits.count());
      const Index x = place(kClutterPiece, kSide), y = place(kClutterPiece, kSide);
      const Index to_x = place(kClutterPiece, size), to_y = place(kClutterPiece, size);
      show(digits, other, x, y, kClutterPiece, image, size, to_x, to_y);
    }
    image += size * size;
  }
  return images;
}

}  // namespace heed::data
