// A font of 5 x 8 dots (the lowest for tails only) for captions under pictures: printable ASCII;
// and with three rows more above them for the marks of European letters.
#pragma once

#include <array>
#include <cstdint>

namespace heed::data {

inline constexpr int kGlyphWidth = 5, kGlyphHeight = 8, kTallGlyphHeight = 11;

/// The columns of a character from the left, each with its top dot in bit 0; a question mark's for
/// what the font lacks.
std::array<std::uint8_t, kGlyphWidth> glyph(char character);
/// The same of 11 dots: ASCII, the letters of Latin-1 and Latin Extended-A, quotation marks, dashes
/// and the like; a box for what the font lacks.
std::array<std::uint16_t, kGlyphWidth> tall_glyph(char32_t character);

}  // namespace heed::data
