#include "digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../../core/error.h"
#include "../../data/idx.h"

namespace captioning {
namespace {

constexpr Index kDigitSide = 28, kShrunk = kDigitSide / 2;
const char* const kDigitNames[] = {"zero", "one", "two",   "three", "four",
                                   "five", "six", "seven", "eight", "nine"};

std::string path_of(const std::string& folder, const std::string& name) {
  const std::string plain = folder + "/" + name;
  return std::filesystem::exists(plain) ? plain : plain + ".gz";
}

}  // namespace

Digits::Digits(const std::string& folder, const std::string& part) {
  const std::string images_path = path_of(folder, part + "-images-idx3-ubyte");
  const std::string labels_path = path_of(folder, part + "-labels-idx1-ubyte");
  heed::data::IdxFile images = heed::data::read_idx(images_path);
  heed::data::IdxFile labels = heed::data::read_idx(labels_path);
  if (images.shape.rank() != 3 || images.shape[1] != kDigitSide || images.shape[2] != kDigitSide ||
      images.shape[0] == 0) {
    throw heed::FormatError(
        images_path, 4,
        fmt::format("images of {}, not of [n, 28, 28], n > 0", heed::to_string(images.shape)));
  }
  if (labels.shape != heed::Shape{images.shape[0]}) {
    throw heed::FormatError(
        labels_path, 4,
        fmt::format("labels of {} for {} images", heed::to_string(labels.shape), images.shape[0]));
  }
  for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
    if (labels.bytes[i] <= 9) continue;
    throw heed::FormatError(labels_path, 8 + i, fmt::format("{} is no digit", labels.bytes[i]));
  }
  images_ = std::move(images.bytes);
  labels_ = std::move(labels.bytes);
}

Scene Digits::scene(Generator& generator, Index begin, Index end) const {
  if (begin < 0 || end > count() || begin >= end) {
    throw heed::ValueError(
        fmt::format("digits: [{}, {}) are no digits of {}", begin, end, count()));
  }
  Scene scene;
  scene.image.resize(3 * kSide * kSide);
  std::vector<Thing> things;
  for (const Index place : draw_places(generator)) {
    const Index which = begin + generator.below(end - begin);
    const std::uint8_t* digit = images_.data() + which * kDigitSide * kDigitSide;
    const Index left = place % kPlaces * kPlaceSize + generator.below(kPlaceSize - kShrunk + 1);
    const Index top = place / kPlaces * kPlaceSize + generator.below(kPlaceSize - kShrunk + 1);
    for (Index y = 0; y < kShrunk; ++y) {
      for (Index x = 0; x < kShrunk; ++x) {
        const std::uint8_t* four = digit + 2 * y * kDigitSide + 2 * x;
        const auto mean = static_cast<std::uint8_t>(
            (four[0] + four[1] + four[kDigitSide] + four[kDigitSide + 1] + 2) / 4);
        for (Index c = 0; c < 3; ++c) {
          scene.image[static_cast<std::size_t>((c * kSide + top + y) * kSide + left + x)] = mean;
        }
      }
    }
    things.push_back({{kDigitNames[labels_[static_cast<std::size_t>(which)]]}, place});
  }
  describe(things, scene);
  return scene;
}

std::vector<std::string> digit_words() {
  std::vector<std::string> words = {"a", "left", "of", "above"};
  words.insert(words.end(), std::begin(kDigitNames), std::end(kDigitNames));
  return words;
}

}  // namespace captioning
