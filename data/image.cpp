#include "image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>

#include "../core/error.h"
#include "image_decoders.h"

namespace heed::data {
namespace {

// What one place of the result covers along an axis: places of the source, by their shares.
struct Cover {
  Index first = 0;
  std::vector<double> shares;  // their sum is 1
};

// `count` places over [begin, begin + length) of an axis.
std::vector<Cover> covers(double begin, double length, Index count) {
  const double step = length / static_cast<double>(count);
  std::vector<Cover> out;
  for (Index i = 0; i < count; ++i) {
    const double low = begin + static_cast<double>(i) * step, high = low + step;
    Cover cover{static_cast<Index>(std::floor(low)), {}};
    for (Index at = cover.first; static_cast<double>(at) < high; ++at) {
      const double from = std::max(low, static_cast<double>(at));
      const double to = std::min(high, static_cast<double>(at + 1));
      cover.shares.push_back((to - from) / step);
    }
    out.push_back(std::move(cover));
  }
  return out;
}

}  // namespace

Image read_image(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw IoError(path, "cannot open", errno);
  const int first = std::getc(file.get());
  if (std::ferror(file.get()) != 0) throw IoError(path, "cannot read", errno);
  std::ungetc(first, file.get());
  try {
    if (first == 0x89) return detail::decode_png(file.get());
    if (first == 0xff) return detail::decode_jpeg(file.get());
  } catch (const ValueError& error) {
    if (std::ferror(file.get()) != 0) throw IoError(path, "cannot read", errno);
    throw FormatError(path, static_cast<std::uint64_t>(std::max(0L, std::ftell(file.get()))),
                      error.message());
  }
  throw FormatError(path, 0, "is neither PNG nor JPEG");
}

Array fitted(const Image& image, Index height, Index width) {
  if (height < 1 || width < 1) {
    throw ValueError(fmt::format("fitted: {} x {} is no size", height, width));
  }
  if (image.width < 1 || image.height < 1) throw ValueError("fitted: an image without dots");
  const auto real = [](Index x) { return static_cast<double>(x); };
  const double scale = std::min(real(image.width) / real(width), real(image.height) / real(height));
  const auto along = [&](Index whole, Index wanted) {
    const double length = std::min(scale * real(wanted), real(whole));
    return covers((real(whole) - length) / 2, length, wanted);
  };
  const std::vector<Cover> rows = along(image.height, height), columns = along(image.width, width);
  Array out = Array::empty({3, height, width}, DType::f32);
  float* to = out.mutable_data<float>();
  for (Index channel = 0; channel < 3; ++channel) {
    for (const Cover& row : rows) {
      for (const Cover& column : columns) {
        double sum = 0;
        for (std::size_t y = 0; y < row.shares.size(); ++y) {
          const Index line = std::min(row.first + static_cast<Index>(y), image.height - 1);
          for (std::size_t x = 0; x < column.shares.size(); ++x) {
            const Index dot = std::min(column.first + static_cast<Index>(x), image.width - 1);
            sum += row.shares[y] * column.shares[x] *
                   image.bytes[static_cast<std::size_t>(3 * (line * image.width + dot) + channel)];
          }
        }
        *to++ = static_cast<float>(std::clamp(sum / 255, 0.0, 1.0));
      }
    }
  }
  return out;
}

}  // namespace heed::data
