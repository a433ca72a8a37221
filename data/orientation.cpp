#include "orientation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "../core/error.h"

namespace heed::data {
namespace {

constexpr std::string_view kExif{"Exif\0\0", 6};
constexpr std::uint32_t kOrientation = 0x112, kShort = 3;
constexpr std::size_t kEntry = 12;  // bytes: tag, type, count, value

// Numbers of a TIFF header's byte order; nothing beyond the end.
class Tiff {
 public:
  Tiff(std::string_view bytes, bool little) : bytes_(bytes), little_(little) {}
  std::optional<std::uint32_t> number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || bytes_.size() - at < count) return std::nullopt;
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < count; ++i) {
      out = out << 8 | static_cast<unsigned char>(bytes_[at + (little_ ? count - 1 - i : i)]);
    }
    return out;
  }

 private:
  std::string_view bytes_;
  bool little_;
};

}  // namespace

int exif_orientation(std::string_view notes) {
  if (!notes.starts_with(kExif)) return 1;
  notes.remove_prefix(kExif.size());
  if (!notes.starts_with("II") && !notes.starts_with("MM")) return 1;
  const Tiff tiff(notes, notes.front() == 'I');
  const auto first = tiff.number(4, 4);
  if (tiff.number(2, 2) != 42 || !first) return 1;
  const auto entries = tiff.number(*first, 2);
  for (std::size_t i = 0; entries && i < *entries; ++i) {
    const std::size_t at = *first + 2 + kEntry * i;
    const auto tag = tiff.number(at, 2), value = tiff.number(at + 8, 2);
    if (!value) return 1;
    if (tag != kOrientation) continue;
    const bool one = tiff.number(at + 2, 2) == kShort && tiff.number(at + 4, 4) == 1U;
    return one && *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
  }
  return 1;
}

Image upright(Image image, int orientation) {
  if (orientation < 1 || orientation > 8) {
    throw ValueError(fmt::format("upright: orientation {} is not in [1, 8]", orientation));
  }
  if (orientation == 1) return image;
  const bool turned = orientation >= 5;  // rows become columns
  Image out{turned ? image.height : image.width, turned ? image.width : image.height, {}};
  out.bytes.resize(image.bytes.size());
  // Which of the axes of what is seen run against those of the file.
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  const bool from_bottom =
      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const std::uint8_t* from = image.bytes.data();
  for (Index row = 0; row < image.height; ++row) {
    for (Index column = 0; column < image.width; ++column, from += 3) {
      const Index along = turned ? row : column, down = turned ? column : row;
      const Index x = from_right ? out.width - 1 - along : along;
      const Index y = from_bottom ? out.height - 1 - down : down;
      std::copy_n(from, 3, out.bytes.data() + 3 * (y * out.width + x));
    }
  }
  return out;
}

}  // namespace heed::data
