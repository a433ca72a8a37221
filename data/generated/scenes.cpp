#include "scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "../../core/error.h"
#include "../image.h"

namespace heed::data {
namespace {

struct Paint {
  const char* name;
  double rgb[3];
};
const Paint kPaints[] = {{"red", {0.90, 0.15, 0.15}},    {"green", {0.15, 0.75, 0.20}},
                         {"blue", {0.20, 0.30, 0.95}},   {"yellow", {0.95, 0.85, 0.15}},
                         {"purple", {0.65, 0.20, 0.80}}, {"white", {0.95, 0.95, 0.95}}};
const char* const kShapes[] = {"circle", "square", "triangle", "cross"};
const char* const kDigits[] = {"zero", "one", "two",   "three", "four",
                               "five", "six", "seven", "eight", "nine"};
constexpr Index kPaintCount = std::size(kPaints), kShapeCount = std::size(kShapes);

// Whether a dot at (x, y) from the middle belongs to the shape of this radius.
bool covers(Index shape, double x, double y, double radius) {
  switch (shape) {
    case 0: return x * x + y * y <= radius * radius;
    case 1: return std::max(std::abs(x), std::abs(y)) <= 0.85 * radius;
    case 2:  // its tip above
      return y <= 0.8 * radius && std::abs(x) <= (y + radius) / 1.8;
    default:
      return std::min(std::abs(x), std::abs(y)) <= 0.3 * radius &&
             std::max(std::abs(x), std::abs(y)) <= radius;
  }
}

std::uint8_t byte_of(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

void draw(const Paint& paint, Index shape, Index place, Generator& generator, Scene& scene) {
  const double radius = 5 + 2 * generator.uniform(), shade = 0.8 + 0.2 * generator.uniform();
  const auto middle = [&](Index at) {
    return (static_cast<double>(at) + 0.5) * kScenePlaceSize + 2 * generator.uniform() - 1;
  };
  const double left = middle(place % kScenePlaces), top = middle(place / kScenePlaces);
  for (Index y = 0; y < kSceneSide; ++y) {
    for (Index x = 0; x < kSceneSide; ++x) {
      if (!covers(shape, static_cast<double>(x) + 0.5 - left, static_cast<double>(y) + 0.5 - top,
                  radius)) {
        continue;
      }
      for (Index c = 0; c < 3; ++c) {
        scene.image[static_cast<std::size_t>((c * kSceneSide + y) * kSceneSide + x)] =
            byte_of(shade * paint.rgb[c]);
      }
    }
  }
}

// Two or three places in reading order.
std::vector<Index> draw_places(Generator& generator) {
  std::vector<Index> places = generator.permutation(kScenePlaces * kScenePlaces);
  places.resize(static_cast<std::size_t>(2 + generator.below(2)));
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

void say_things(const std::vector<SceneThing>& things, Scene& scene) {
  const auto say = [&](const std::string& word, Index place) {
    scene.words.push_back(word);
    scene.places.push_back(place);
  };
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (i > 0 && things[i].place / kScenePlaces == things[i - 1].place / kScenePlaces) {
      say("left", -1);
      say("of", -1);
    } else if (i > 0) {
      say("above", -1);
    }
    say("a", -1);
    for (const std::string& name : things[i].names) say(name, things[i].place);
  }
}

Scene shape_scene(Generator& generator) {
  Scene scene;
  scene.image.resize(3 * kSceneSide * kSceneSide);
  for (std::uint8_t& dot : scene.image) dot = static_cast<std::uint8_t>(20 + generator.below(25));
  std::vector<SceneThing> things;
  for (const Index place : draw_places(generator)) {
    const Paint& paint = kPaints[generator.below(kPaintCount)];
    const Index shape = generator.below(kShapeCount);
    draw(paint, shape, place, generator, scene);
    things.push_back({{paint.name, kShapes[shape]}, place});
  }
  say_things(things, scene);
  return scene;
}

Scene digit_scene(const Digits& digits, Index begin, Index end, Generator& generator) {
  if (begin < 0 || end > digits.count() || begin >= end) {
    throw ValueError(
        fmt::format("digits: [{}, {}) are no digits of {}", begin, end, digits.count()));
  }
  constexpr Index kFull = kDigitSide, kShrunk = kFull / 2;
  Scene scene;
  scene.image.resize(3 * kSceneSide * kSceneSide);
  std::vector<SceneThing> things;
  for (const Index place : draw_places(generator)) {
    const Index which = begin + generator.below(end - begin);
    const std::uint8_t* digit = digits.pixels.data() + which * kFull * kFull;
    const Index left =
        place % kScenePlaces * kScenePlaceSize + generator.below(kScenePlaceSize - kShrunk + 1);
    const Index top =
        place / kScenePlaces * kScenePlaceSize + generator.below(kScenePlaceSize - kShrunk + 1);
    for (Index y = 0; y < kShrunk; ++y) {
      for (Index x = 0; x < kShrunk; ++x) {
        const std::uint8_t* four = digit + 2 * y * kFull + 2 * x;
        const int mean = (four[0] + four[1] + four[kFull] + four[kFull + 1] + 2) / 4;
        for (Index c = 0; c < 3; ++c) {
          scene
              .image[static_cast<std::size_t>((c * kSceneSide + top + y) * kSceneSide + left + x)] =
              static_cast<std::uint8_t>(mean);
        }
      }
    }
    things.push_back({{kDigits[digits.labels[static_cast<std::size_t>(which)]]}, place});
  }
  say_things(things, scene);
  return scene;
}

Scene picture_scene(const std::string& path) {
  Scene out;
  for (const float dot : fitted(read_image(path), kSceneSide, kSceneSide).to_vector<float>()) {
    out.image.push_back(byte_of(dot));
  }
  return out;
}

std::vector<std::string> scene_words(const std::string& data) {
  std::vector<std::string> words = {"a", "left", "of", "above"};
  if (data == "shapes") {
    for (const Paint& paint : kPaints) words.emplace_back(paint.name);
    words.insert(words.end(), std::begin(kShapes), std::end(kShapes));
  } else if (data == "mnist") {
    words.insert(words.end(), std::begin(kDigits), std::end(kDigits));
  } else {
    throw ValueError("data: '" + data + "' is none of shapes, mnist");
  }
  return words;
}

}  // namespace heed::data
