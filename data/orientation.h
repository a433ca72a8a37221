// How a camera was held: the note that a JPEG has of it (Exif 2.3, section 4.6.4, tag 0x112).
#pragma once

#include <cstdint>
#include <string_view>

#include "image.h"

namespace heed::data {

/// Where a picture's first row and first column lie, 1 .. 8; 1, top and left, where the notes, the
/// bytes behind a marker APP1, are of another kind, say nothing of it, or are damaged.
int exif_orientation(std::string_view notes);

/// The picture as it was seen: turned and mirrored. Throws ValueError unless 1 <= orientation <= 8.
Image upright(Image image, int orientation);

}  // namespace heed::data
