#include "../../data/image.h"

#include "../../core/error.h"
#include "checks.h"
#include "input_file.h"
#include "targets.h"

namespace heed::fuzz {
namespace {

// Dots that a header may ask for here: a file of a hundred bytes may hold very many that are alike.
constexpr Index kMostDots = Index{1} << 16;

// PNG's sizes at their place; a JPEG's behind a marker of a frame.
bool asks_for_more(std::string_view input) {
  const auto number = [&](std::size_t at, std::size_t count) {
    Index out = 0;
    for (std::size_t i = at; i < at + count && i < input.size(); ++i) {
      out = out << 8 | static_cast<unsigned char>(input[i]);
    }
    return out;
  };
  if (input.starts_with("\x89PNG")) {
    const Index width = number(16, 4), height = number(20, 4);
    return width > 0 && height > kMostDots / width;
  }
  for (std::size_t at = input.find('\xff'); at != std::string_view::npos;
       at = input.find('\xff', at + 1)) {
    const Index marker = number(at + 1, 1);
    const Index height = number(at + 5, 2), width = number(at + 7, 2);
    if (marker >= 0xc0 && marker <= 0xcf && width > 0 && height > kMostDots / width) return true;
  }
  return false;
}

}  // namespace

void image(std::string_view input) {
  static InputFile file;
  if (asks_for_more(input)) return;
  const std::string& path = file.write(input);
  data::Image read;
  const bool accepted = accepts({path}, input.size(), {.fixed = 4 << 20, .factor = 64},
                                [&] { read = data::read_image(path); });
  if (!accepted) return;
  require(read.width > 0 && read.height > 0 && read.width <= kMostDots / read.height,
          "a picture has dots, and not too many");
  require(read.bytes.size() == static_cast<std::size_t>(3 * read.width * read.height),
          "a dot has three bytes");
  for (const float value : data::fitted(read, 3, 5).to_vector<float>()) {
    require(value >= 0 && value <= 1, "a fitted dot lies in [0, 1]");
  }
}

}  // namespace heed::fuzz
