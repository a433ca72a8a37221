#include "../../../data/generated/scenes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "../../../core/error.h"
#include "../../../train/picture.h"
#include "../../support/throws.h"
#include "../temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;

TEST(GeneratedScenes, OneSentenceIsRight) {
  Scene scene;
  say_things({{{"red", "circle"}, 3}, {{"blue", "square"}, 5}, {{"white", "cross"}, 6}}, scene);
  EXPECT_THAT(scene.words, ElementsAre("a", "red", "circle", "left", "of", "a", "blue", "square",
                                       "above", "a", "white", "cross"));
  EXPECT_THAT(scene.places, ElementsAre(-1, 3, 3, -1, -1, -1, 5, 5, -1, -1, 6, 6));
}

TEST(GeneratedScenes, ShapesStandWhereTheWordsSay) {
  Generator generator(3);
  std::set<std::string> said;
  const std::vector<std::string> words = scene_words("shapes");
  for (int i = 0; i < 200; ++i) {
    const Scene scene = shape_scene(generator);
    ASSERT_EQ(scene.image.size(), static_cast<std::size_t>(3 * kSceneSide * kSceneSide));
    said.insert(scene.words.begin(), scene.words.end());
    const std::set<Index> named(scene.places.begin(), scene.places.end());
    EXPECT_THAT(named.size(), testing::AnyOf(3U, 4U));  // -1 is one of them
    for (Index place = 0; place < kScenePlaces * kScenePlaces; ++place) {
      std::uint8_t brightest = 0;
      for (Index y = 0; y < kScenePlaceSize; ++y) {
        for (Index x = 0; x < kScenePlaceSize; ++x) {
          for (Index c = 0; c < 3; ++c) {
            const Index row = place / kScenePlaces * kScenePlaceSize + y,
                        column = place % kScenePlaces * kScenePlaceSize + x;
            brightest = std::max(brightest, scene.image[static_cast<std::size_t>(
                                                (c * kSceneSide + row) * kSceneSide + column)]);
          }
        }
      }
      EXPECT_EQ(brightest > 100, named.contains(place)) << i << " " << place;
    }
  }
  EXPECT_EQ(said, std::set<std::string>(words.begin(), words.end()));
}

TEST(GeneratedScenes, DigitsStandWhereTheWordsSay) {
  Digits digits;  // the images of a digit as bright as it is
  for (int digit = 0; digit < 10; ++digit) {
    digits.labels.push_back(digit);
    digits.pixels.insert(digits.pixels.end(), static_cast<std::size_t>(kDigitSide * kDigitSide),
                         static_cast<std::uint8_t>(10 * digit + 100));
  }
  const std::vector<std::string> words = scene_words("mnist");
  Generator generator(5);
  for (int i = 0; i < 50; ++i) {
    const Scene scene = digit_scene(digits, 0, 10, generator);
    for (std::size_t t = 0; t < scene.words.size(); ++t) {
      if (scene.places[t] < 0) continue;
      const Index middle = kScenePlaceSize / 2;
      const Index row = scene.places[t] / kScenePlaces * kScenePlaceSize + middle;
      const Index column = scene.places[t] % kScenePlaces * kScenePlaceSize + middle;
      const int digit =
          (scene.image[static_cast<std::size_t>(row * kSceneSide + column)] - 100) / 10;
      EXPECT_EQ(scene.words[t], words[static_cast<std::size_t>(4 + digit)]);
      for (const Index plane : {1, 2}) {  // grey
        const Index other = plane * kSceneSide * kSceneSide + row * kSceneSide + column;
        EXPECT_EQ(scene.image[static_cast<std::size_t>(other)],
                  scene.image[static_cast<std::size_t>(row * kSceneSide + column)]);
      }
    }
  }
}

// Half as large: each dot is the mean of four, rounded, and its place anywhere that it has room.
TEST(GeneratedScenes, DigitsAreShrunkAndLieAnywhereInTheirPlaces) {
  Generator dots(7), generator(11);
  Digits digits;
  digits.labels = {4};
  for (Index i = 0; i < kDigitSide * kDigitSide; ++i)
    digits.pixels.push_back(static_cast<std::uint8_t>(1 + dots.below(255)));
  constexpr Index kSide = kDigitSide / 2, kRoom = kScenePlaceSize - kSide;
  std::vector<int> small;
  for (Index y = 0; y < kSide; ++y) {
    for (Index x = 0; x < kSide; ++x) {
      double sum = 0;
      for (const Index at : {Index{0}, Index{1}, kDigitSide, kDigitSide + 1})
        sum += digits.pixels[static_cast<std::size_t>(2 * y * kDigitSide + 2 * x + at)];
      small.push_back(static_cast<int>(std::floor(sum / 4 + 0.5)));
    }
  }
  std::set<Index> lefts, tops;
  for (int i = 0; i < 60; ++i) {
    const Scene scene = digit_scene(digits, 0, 1, generator);
    const auto light = [&](Index y, Index x) {
      return static_cast<int>(scene.image[static_cast<std::size_t>(y * kSceneSide + x)]);
    };
    for (const Index place : std::set<Index>(scene.places.begin(), scene.places.end())) {
      if (place < 0) continue;
      Index left = place % kScenePlaces * kScenePlaceSize,
            top = place / kScenePlaces * kScenePlaceSize;
      const auto dark = [&](Index y, Index x, bool down) {
        for (Index k = 0; k < kScenePlaceSize; ++k)
          if (light(down ? y + k : y, down ? x : x + k) > 0) return false;
        return true;
      };
      Index room_left = 0, room_top = 0;
      for (; room_left < kRoom && dark(top, left + room_left, true); ++room_left) {
      }
      for (; room_top < kRoom && dark(top + room_top, left, false); ++room_top) {
      }
      lefts.insert(room_left);
      tops.insert(room_top);
      left += room_left, top += room_top;
      for (Index k = 0; k < kSide * kSide; ++k)
        ASSERT_EQ(light(top + k / kSide, left + k % kSide), small[static_cast<std::size_t>(k)]);
    }
  }
  EXPECT_EQ(lefts.size(), static_cast<std::size_t>(kRoom + 1));
  EXPECT_EQ(tops.size(), static_cast<std::size_t>(kRoom + 1));
}

TEST(GeneratedScenes, DigitsAreOfThoseThatThereAre) {
  Digits digits;
  digits.pixels.resize(3 * kDigitSide * kDigitSide);
  digits.labels = {5, 0, 7};
  Generator generator(5);
  for (const auto& [begin, end] : {std::pair{-1, 2}, {1, 4}, {2, 2}, {2, 1}}) {
    EXPECT_ERROR(ValueError, fmt::format("digits: [{}, {}) are no digits of 3", begin, end),
                 digit_scene(digits, begin, end, generator));
  }
  EXPECT_THAT(digit_scene(digits, 2, 3, generator).words, testing::Contains("seven"));
  EXPECT_THAT(digit_scene(digits, 0, 1, generator).words, testing::Contains("five"));
}

TEST(GeneratedScenes, APictureBecomesOneThatNobodyDescribed) {
  train::Picture picture(3 * kSceneSide, 2 * kSceneSide, {200, 0, 0});
  picture.fill(kSceneSide / 2, 0, 2 * kSceneSide, kSceneSide, {0, 100, 30});
  const TemporaryFile file(encode_png(picture), "a.png");
  const Scene scene = picture_scene(file.path());
  EXPECT_TRUE(scene.words.empty());
  const std::size_t plane = static_cast<std::size_t>(kSceneSide * kSceneSide);
  ASSERT_EQ(scene.image.size(), 3 * plane);
  for (std::size_t dot = 0; dot < plane; ++dot) {  // the upper half of its middle is green
    const bool upper = dot < plane / 2;
    ASSERT_EQ(scene.image[dot], upper ? 0 : 200);
    ASSERT_EQ(scene.image[plane + dot], upper ? 100 : 0);
    ASSERT_EQ(scene.image[2 * plane + dot], upper ? 30 : 0);
  }
  EXPECT_THROW(picture_scene(file.folder() + "/none.png"), IoError);
}

}  // namespace
}  // namespace heed::data
