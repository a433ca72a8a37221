#include <fmt/format.h>
#include <png.h>

#include "../core/error.h"
#include "image_decoders.h"

namespace heed::data::detail {

void check_image_size(std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0) throw ValueError("a picture without dots");
  if (width > static_cast<std::uint64_t>(kMostImageDots) / height) {
    throw ValueError(fmt::format("a picture of {} x {} dots; at most {} dots are read", width,
                                 height, kMostImageDots));
  }
}

Image decode_png(std::FILE* file) {
  struct Reader {
    png_image of = {};
    ~Reader() { png_image_free(&of); }
  } reader;
  reader.of.version = PNG_IMAGE_VERSION;
  const auto damaged = [&] {
    return ValueError(fmt::format("damaged PNG: {}", static_cast<const char*>(reader.of.message)));
  };
  if (png_image_begin_read_from_stdio(&reader.of, file) == 0) throw damaged();
  check_image_size(reader.of.width, reader.of.height);
  // Of two bytes a colour, and nothing said of them: as bright as those of one byte.
  reader.of.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  reader.of.format = PNG_FORMAT_RGB;
  Image out{static_cast<Index>(reader.of.width), static_cast<Index>(reader.of.height), {}};
  out.bytes.resize(PNG_IMAGE_SIZE(reader.of));
  const png_color white = {255, 255, 255};
  if (png_image_finish_read(&reader.of, &white, out.bytes.data(), 0, nullptr) == 0) {
    throw damaged();
  }
  return out;
}

}  // namespace heed::data::detail
