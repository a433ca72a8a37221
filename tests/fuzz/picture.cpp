#include "../../train/picture.h"

#include <png.h>

#include "../../train/alignment.h"
#include "checks.h"
#include "pieces.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

// What libpng reads from the bytes of a PNG file.
std::vector<std::uint8_t> read_png(const std::string& bytes, const train::Picture& like) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  require(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0,
          "a picture is a PNG file");
  require(image.width == static_cast<png_uint_32>(like.width()) &&
              image.height == static_cast<png_uint_32>(like.height()),
          "a picture keeps its size");
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> out(PNG_IMAGE_SIZE(image));
  require(png_image_finish_read(&image, nullptr, out.data(), 0, nullptr) != 0,
          "a picture is a PNG file");
  return out;
}

}  // namespace

void picture(std::string_view input) {
  Pieces pieces(input);
  const auto place = [&] { return static_cast<Index>(static_cast<std::int8_t>(pieces.byte())); };
  train::Picture drawn(1 + pieces.byte() % 40, 1 + pieces.byte() % 30,
                       {pieces.byte(), pieces.byte(), pieces.byte()});
  const train::Colour colour = {pieces.byte(), pieces.byte(), pieces.byte()};
  for (int left = pieces.byte() % 8; left > 0; --left) {
    const Index a = place(), b = place(), c = place(), d = place();
    switch (pieces.byte() % 6) {
      case 0: drawn.fill(a, b, c, d, colour); break;
      case 1: drawn.rectangle(a, b, c, d, colour); break;
      case 2: drawn.line(a, b, c, d, colour); break;
      case 3: drawn.text(a, b, pieces.text(), colour); break;
      case 4: drawn.blend(a, b, colour, pieces.number()); break;
      default: drawn.paste(train::Picture(4, 3, colour), a, b);
    }
  }
  if (pieces.byte() % 2 == 1) {
    std::vector<double> weights(6);
    for (double& weight : weights) weight = pieces.number();
    drawn.heat(Array::from(weights, {2, 3}), pieces.byte() % 2 == 1);
  }
  const train::Picture all = train::strip({{drawn, pieces.text()}, {drawn, ""}});
  require(read_png(train::encode_png(all), all) == all.bytes(), "a picture reads back equal");
}

}  // namespace heed::fuzz
