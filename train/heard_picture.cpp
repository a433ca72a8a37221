#include "heard_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"

namespace heed::train {
namespace {

constexpr Index kWide = 2, kHigh = 3;               // dots of a frame, of a bin
constexpr Index kRow = 12, kLeft = 16, kLine = 12;  // of a row of weights, of its word, of a title
constexpr Colour kInk{20, 20, 20}, kMark{214, 96, 20}, kPaper{255, 255, 255};

void check(const HeardWords& heard) {
  const auto floating = [](const Array& x) {
    return x.defined() && (x.dtype() == DType::f32 || x.dtype() == DType::f64);
  };
  if (!floating(heard.spectrum) || !floating(heard.weights)) {
    throw DTypeError("heard_picture: spectrum and weights must be f32 or f64");
  }
  if (heard.frames < 1) {
    throw ValueError(fmt::format("heard_picture: frames {} must be positive", heard.frames));
  }
  const auto rows = static_cast<Index>(heard.words.size());
  if (heard.spectrum.rank() != 2 || heard.weights.rank() != 2 || heard.spectrum.numel() == 0 ||
      heard.weights.size(0) != rows ||
      heard.weights.size(1) > (heard.spectrum.size(0) + heard.frames - 1) / heard.frames) {
    throw ShapeError(fmt::format(
        "heard_picture: {} words, weights {} of {} frames a place and spectrum {} do not fit", rows,
        describe(heard.weights), heard.frames, describe(heard.spectrum)));
  }
}

double sane(double x) { return std::isfinite(x) ? x : 0; }

void draw_spectrum(Picture& to, const Array& spectrum, Index top) {
  const Index T = spectrum.size(0), bins = spectrum.size(1);
  const auto values = spectrum.to(DType::f64).to_vector<double>();
  std::vector<double> known;
  for (const double x : values) {
    if (std::isfinite(x)) known.push_back(x);
  }
  if (known.empty()) return;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  const double scale = *most > *least ? 1 / (*most - *least) : 0;
  for (Index t = 0; t < T; ++t) {
    for (Index k = 0; k < bins; ++k) {
      const double x = values[static_cast<std::size_t>(t * bins + k)];
      const double dark = std::isfinite(x) ? (x - *least) * scale : 0;
      const auto grey = static_cast<std::uint8_t>(std::lround(255 * (1 - dark)));
      to.fill(kLeft + t * kWide, top + (bins - 1 - k) * kHigh, kWide, kHigh, {grey, grey, grey});
    }
  }
}

void draw_weights(Picture& to, const HeardWords& heard, Index top) {
  const Index rows = heard.weights.size(0), places = heard.weights.size(1);
  const auto values = heard.weights.to(DType::f64).to_vector<double>();
  double most = 0;
  for (const double x : values) most = std::max(most, sane(x));
  const Index end = kLeft + heard.spectrum.size(0) * kWide;
  for (Index r = 0; r < rows; ++r) {
    const Index y = top + r * kRow;
    to.text(2, y + 2, heard.words[static_cast<std::size_t>(r)].substr(0, 2), kInk);
    for (Index j = 0; j < places && most > 0; ++j) {
      const double share =
          std::max(0.0, sane(values[static_cast<std::size_t>(r * places + j)])) / most;
      const Index x = kLeft + j * heard.frames * kWide;
      for (Index dx = 0; dx < std::min(heard.frames * kWide, end - x); ++dx) {
        for (Index dy = 1; dy < kRow - 1; ++dy) to.blend(x + dx, y + dy, kMark, share);
      }
    }
  }
}

}  // namespace

Picture heard_picture(const HeardWords& heard) {
  check(heard);
  const Index T = heard.spectrum.size(0), bins = heard.spectrum.size(1);
  const Index rows = heard.weights.size(0);
  const Index title = heard.title.empty() ? 0 : kLine, names = heard.places.empty() ? 0 : kLine;
  const Index width = std::max(kLeft + T * kWide + 2, text_width(heard.title) + 4);
  const Index spectrum = title + names + rows * kRow + 2, bottom = spectrum + bins * kHigh;
  Picture out(width, bottom + 2, kPaper);
  out.text(2, 2, heard.title, kInk);
  draw_spectrum(out, heard.spectrum, spectrum);
  draw_weights(out, heard, title + names);
  const auto at = [&](double frame) {
    const double inside = std::clamp(sane(frame), 0.0, static_cast<double>(T));
    return kLeft + static_cast<Index>(std::lround(inside * kWide));
  };
  for (const HeardWords::Place& place : heard.places) {
    for (const double side : {place.begin, place.end}) {
      for (Index y = title + names; y < bottom; ++y) out.blend(at(side), y, kInk, 0.35);
    }
    const Index middle = at((place.begin + place.end) / 2) - text_width(place.name) / 2;
    out.text(middle, title + 2, place.name, kInk);
  }
  return out;
}

}  // namespace heed::train
