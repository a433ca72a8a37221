#include "../../train/heard_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

constexpr Index kT = 13, kBins = 5;

// One loud bin: the 2nd from the bottom, at frame 7. "3" looks at the 1st place of 4 frames, "8" at
// the 4th, of which there is one frame.
HeardWords heard() {
  std::vector<double> spectrum(kT * kBins, -2.0);
  spectrum[7 * kBins + 1] = 5;
  return {.title = "",
          .spectrum = Array::from(spectrum, {kT, kBins}),
          .words = {"3", "8"},
          .weights = Array::from(std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0.5}, {2, 4}),
          .frames = 4};
}

TEST(HeardPicture, ShowsTheSpectrumBelowTheWeights) {
  const Picture picture = heard_picture(heard());
  const Index left = 16, spectrum = 2 * 12 + 2;
  EXPECT_EQ(picture.width(), left + 2 * kT + 2);
  EXPECT_EQ(picture.height(), spectrum + 3 * kBins + 2);
  const Colour black{0, 0, 0}, white{255, 255, 255};
  EXPECT_EQ(picture.at(left + 14, spectrum + 3 * 3), black);
  EXPECT_EQ(picture.at(left + 15, spectrum + 3 * 3 + 2), black);
  EXPECT_EQ(picture.at(left + 16, spectrum + 3 * 3), white);
  EXPECT_EQ(picture.at(left + 14, spectrum + 3 * 4), white);
  // Rows of weights: full, and half as much.
  const Colour full = picture.at(left, 5), half = picture.at(left + 24, 17);
  EXPECT_LT(full.blue, 40);
  EXPECT_NEAR(half.blue, (255 + full.blue) / 2, 2);
  EXPECT_EQ(picture.at(left + 7, 5), full);
  EXPECT_EQ(picture.at(left + 8, 5), white);
  EXPECT_EQ(picture.at(left, 17), white);
  EXPECT_EQ(picture.at(left + 26, 17), white);  // behind the last frame
}

TEST(HeardPicture, BoundsTruePlacesAndNamesThem) {
  HeardWords words = heard();
  const Picture before = heard_picture(words);
  words.places = {{2, 6, "3"}, {-5, 1e9, ""}};
  words.title = "heard 3 8";
  const Picture after = heard_picture(words);
  EXPECT_EQ(after.height(), before.height() + 24);
  for (const Index x : {16 + 4, 16 + 12}) {
    EXPECT_NE(after.at(x, 24 + 10 + 12), before.at(x, 10 + 12)) << x;
  }
  EXPECT_EQ(after.at(16 + 8, 24 + 10 + 12), before.at(16 + 8, 10 + 12));
}

TEST(HeardPicture, TakesWhatIsNotFiniteForNothing) {
  HeardWords words = heard();
  Array weights = words.weights.clone(), spectrum = words.spectrum.clone();
  weights.mutable_data<double>()[1] = std::nan("");
  spectrum.mutable_data<double>()[0] = -std::numeric_limits<double>::infinity();
  const Picture before = heard_picture(words);
  words.weights = weights;
  words.spectrum = spectrum;
  EXPECT_EQ(heard_picture(words).bytes(), before.bytes());
  words.spectrum = Array::full({kT, kBins}, std::nan(""), DType::f64);
  words.weights = Array::zeros({2, 4}, DType::f32);
  EXPECT_EQ(heard_picture(words).at(20, 5), (Colour{255, 255, 255}));
  words.words = {};
  words.weights = Array::zeros({0, 4}, DType::f32);
  EXPECT_EQ(heard_picture(words).height(), 2 + 3 * kBins + 2);
}

TEST(HeardPicture, RefusesPartsThatDoNotFit) {
  const auto refused = [](const auto& change) {
    HeardWords words = heard();
    change(words);
    EXPECT_ERROR_WITH(ShapeError, "do not fit", heard_picture(words));
  };
  refused([](HeardWords& words) { words.words.pop_back(); });
  refused([](HeardWords& words) { words.frames = 5; });
  refused([](HeardWords& words) { words.spectrum = Array::zeros({0, 5}, DType::f32); });
  refused([](HeardWords& words) { words.weights = Array::zeros({2}, DType::f32); });
  HeardWords words = heard();
  words.frames = 0;
  EXPECT_ERROR_WITH(ValueError, "frames 0 must be positive", heard_picture(words));
  words = heard();
  words.weights = Array::zeros({2, 4}, DType::i64);
  EXPECT_ERROR_WITH(DTypeError, "must be f32 or f64", heard_picture(words));
}

}  // namespace
}  // namespace heed::train
