// Words of any language that are drawn into a picture, each dot of the font a square of two.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../data/bitmap_font.h"
#include "picture.h"

namespace heed::train {

inline constexpr Index kTextDot = 2;
inline constexpr Index kTextLine = kTextDot * data::kTallGlyphHeight;  ///< how high a line is

enum class Written { onwards, upwards };

/// x, y: the upper left corner; of a text that is read upwards, the lower left. European letters
/// have their marks, those of other scripts are boxes; combining marks are left out.
void write_text(Picture* picture, Index x, Index y, std::string_view text,
                Written direction = Written::onwards);
/// How long it is then.
Index written_width(std::string_view text);
/// The widest of several.
Index written_width(const std::vector<std::string>& texts);

}  // namespace heed::train
