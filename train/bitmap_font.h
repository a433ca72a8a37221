// A font of 5 x 8 dots (the lowest for tails only) for captions under pictures: printable ASCII.
#pragma once

#include <array>
#include <cstdint>

namespace heed::train {

inline constexpr int kGlyphWidth = 5, kGlyphHeight = 8;

/// The columns of a character from the left, each with its top dot in bit 0; a question mark's for
/// what the font lacks.
std::array<std::uint8_t, kGlyphWidth> glyph(char character);

}  // namespace heed::train
