// Images of digits with their labels, as MNIST has them (LeCun et al. 1998): two IDX files a part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/shape.h"

namespace heed::data {

inline constexpr Index kDigitSide = 28;  ///< in pixels

struct Digits {
  std::vector<std::uint8_t> pixels;  ///< [count, kDigitSide, kDigitSide]
  std::vector<Index> labels;         ///< [count], each in 0 .. 9
  Index count() const { return static_cast<Index>(labels.size()); }
};

/// PART-images-idx3-ubyte and PART-labels-idx1-ubyte of the folder, plain or with .gz; MNIST's
/// parts are "train" and "t10k". Throws IoError; FormatError for images of another size, none, not
/// as many as labels, and other labels.
Digits read_mnist(const std::string& folder, const std::string& part);

}  // namespace heed::data
