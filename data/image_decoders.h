// The libraries behind read_image().
#pragma once

#include <cstdio>

#include "image.h"

namespace heed::data::detail {

/// Throw ValueError, saying what is wrong with what the file has.
Image decode_png(std::FILE* file);
Image decode_jpeg(std::FILE* file);
/// Throws ValueError for a picture that is too large, or has no dots.
void check_image_size(std::uint64_t width, std::uint64_t height);

}  // namespace heed::data::detail
