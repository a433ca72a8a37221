// Pictures from files of others: PNG and JPEG, told apart by their first bytes, not by the name.
// Any depth of colour, sRGB where the file does not say otherwise, but no CMYK; what lets light
// through stands on white; a picture of a camera that was held askew is turned as its notes say
// (orientation.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../core/array.h"

namespace heed::data {

/// A larger picture is refused before memory for it is taken.
inline constexpr Index kMostImageDots = Index{1} << 25;

struct Image {
  Index width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  ///< row-major, three bytes a dot: red, green, blue
};

/// Throws IoError when the file cannot be read; FormatError when it is neither PNG nor JPEG, is
/// damaged, ends early, is a JPEG in CMYK or has more than kMostImageDots.
Image read_image(const std::string& path);

/// The middle of the image, as much of it as has that proportion, as f32 [3, height, width] in
/// [0, 1]: each dot is the mean of what it covers. Throws ValueError unless the image has dots and
/// both sizes are positive.
Array fitted(const Image& image, Index height, Index width);

}  // namespace heed::data
