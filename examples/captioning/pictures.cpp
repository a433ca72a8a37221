#include "pictures.h"

namespace captioning {

namespace {

constexpr Index kScale = 2;

heed::train::Picture image_of(const Scene& scene) {
  heed::train::Picture picture(kSide, kSide);
  const auto plane = static_cast<std::size_t>(kSide * kSide);
  for (Index y = 0; y < kSide; ++y) {
    for (Index x = 0; x < kSide; ++x) {
      const auto at = static_cast<std::size_t>(y * kSide + x);
      picture.set(x, y, {scene.image[at], scene.image[plane + at], scene.image[2 * plane + at]});
    }
  }
  return picture.scaled(kScale);
}

}  // namespace

heed::train::Picture looks_of(const std::vector<Scene>& scenes,
                              const std::vector<Caption>& captions, bool smooth) {
  std::vector<heed::train::Picture> strips;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const heed::train::Picture image = image_of(scenes[i]);
    std::vector<heed::train::CaptionedPicture> looks = {{image, ""}};
    for (std::size_t t = 0; t < captions[i].words.size(); ++t) {
      looks.push_back({image, captions[i].words[t]});
      looks.back().picture.heat(captions[i].looked[t], smooth);
    }
    strips.push_back(strip(looks));
  }
  return stack(strips);
}

}  // namespace captioning
