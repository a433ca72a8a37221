#include "digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/error.h"
#include "../../train/bitmap_font.h"

namespace glimpses {
namespace {

constexpr Index kPixels = kSide * kSide;

// The share of ink at a place of the font's 5 x 7 dots, smooth between their centres.
double ink(const std::array<std::uint8_t, train::kGlyphWidth>& columns, double x, double y) {
  const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
  const double right_share = x - 0.5 - left, lower_share = y - 0.5 - top;
  double total = 0;
  for (int i = 0; i < 4; ++i) {
    const int column = static_cast<int>(left) + i % 2, row = static_cast<int>(top) + i / 2;
    if (column < 0 || column >= train::kGlyphWidth || row < 0 || row >= 7) continue;
    const unsigned dot = columns[static_cast<std::size_t>(column)] >> row & 1u;
    total +=
        dot * (i % 2 ? right_share : 1 - right_share) * (i / 2 ? lower_share : 1 - lower_share);
  }
  return total;
}

void draw_digit(Index label, Generator& generator, std::uint8_t* pixels) {
  const auto columns = train::glyph(static_cast<char>('0' + label));
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
    const double dx = static_cast<double>(i % kSide) + 0.5 - x0;
    const double dy = static_cast<double>(i / kSide) + 0.5 - y0;
    const double y = (c * dy - s * dx) / height;
    const double x = (c * dx + s * dy) / width + slant * y;
    const double light = strength * ink(columns, x + 2.5, y + 3.5) - 0.3;
    const double shown = std::clamp(light, 0.0, 1.0) + noise * between(-1, 1);
    pixels[i] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(shown, 0.0, 1.0)));
  }
}

// Cuts off what stands from `first` on.
Digits cut(Digits& digits, Index first) {
  const auto pixels = digits.pixels.begin() + first * kPixels;
  const auto labels = digits.labels.begin() + first;
  Digits out{{pixels, digits.pixels.end()}, {labels, digits.labels.end()}};
  digits.pixels.erase(pixels, digits.pixels.end());
  digits.labels.erase(labels, digits.labels.end());
  return out;
}

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

Digits draw_digits(Index count, Generator& generator) {
  Digits out;
  out.pixels.resize(static_cast<std::size_t>(count * kPixels));
  for (Index i = 0; i < count; ++i) {
    out.labels.push_back(generator.below(kClasses));
    draw_digit(out.labels.back(), generator, out.pixels.data() + i * kPixels);
  }
  return out;
}

Corpus load_corpus(const CorpusOptions& options) {
  Corpus out;
  if (options.path.empty()) {
    Generator generator(options.seed + 29);
    const Index others = std::max<Index>(1, options.drawn / 6);
    out.train = draw_digits(options.drawn, generator);
    out.validation = draw_digits(others, generator);
    out.test = draw_digits(others, generator);
    return out;
  }
  out.train = data::read_mnist(options.path, "train");
  out.test = data::read_mnist(options.path, "t10k");
  if (out.train.count() < 12) {
    throw FormatError(options.path, 0, "fewer than 12 digits to train on and to validate");
  }
  out.validation = cut(out.train, out.train.count() - out.train.count() / 12);
  return out;
}

Batch batch_of(const Digits& digits, const std::vector<Index>& rows, Index size, Index clutter,
               Generator& generator) {
  if (size < kSide) {
    throw ValueError(fmt::format("size {} must be at least that of a digit, {}", size, kSide));
  }
  const auto count = static_cast<Index>(rows.size());
  Array images = Array::zeros({count, 1, size, size}, DType::f32);
  Array labels = Array::empty({count}, DType::i64);
  float* image = images.mutable_data<float>();
  for (Index i = 0; i < count; ++i, image += size * size) {
    const Index digit = rows[static_cast<std::size_t>(i)];
    labels.mutable_data<Index>()[i] = digits.labels.at(static_cast<std::size_t>(digit));
    const auto place = [&](Index side, Index whole) { return generator.below(whole - side + 1); };
    const Index left = place(kSide, size), top = place(kSide, size);
    show(digits, digit, 0, 0, kSide, image, size, left, top);
    for (Index k = 0; k < clutter; ++k) {
      const Index other = generator.below(digits.count());
      const Index x = place(kPiece, kSide), y = place(kPiece, kSide);
      const Index to_x = place(kPiece, size), to_y = place(kPiece, size);
      show(digits, other, x, y, kPiece, image, size, to_x, to_y);
    }
  }
  return {Tensor(images), Tensor(labels)};
}

}  // namespace glimpses
