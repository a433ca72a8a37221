#include "../../data/log_mel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../data/wav.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

std::vector<float> noise(Index count, std::uint64_t seed) {
  Generator generator(seed);
  return generator.normal({count}, 0, 0.3).to_vector<float>();
}

// The formula, sum by sum.
double power(const std::vector<float>& x, const FrameOptions& o, Index t, Index k) {
  std::complex<double> sum = 0;
  for (Index i = 0; i < o.length; ++i) {
    const auto at = static_cast<std::size_t>(t * o.hop + i);
    const double turn = 2 * std::numbers::pi * static_cast<double>(i);
    const double window = (1 - std::cos(turn / static_cast<double>(o.length))) / 2;
    const double angle = -turn * static_cast<double>(k) / static_cast<double>(o.size);
    if (at < x.size()) sum += window * x[at] * std::polar(1.0, angle);
  }
  return std::norm(sum);
}

TEST(Spectrum, HasAFrameForEachHop) {
  const FrameOptions o{.length = 7, .hop = 3, .size = 8};
  const std::vector<std::pair<Index, Index>> known = {{1, 1}, {7, 1}, {8, 2}, {10, 2}, {11, 3}};
  for (const auto& [samples, frames] : known) EXPECT_EQ(frames_of(samples, o), frames) << samples;
  EXPECT_EQ(frames_of(8000), 99);
  EXPECT_ERROR(ValueError, "power_spectrum: no samples", frames_of(0));
  EXPECT_ERROR_WITH(ValueError, "size 9 even", frames_of(1, {.length = 7, .hop = 3, .size = 9}));
  EXPECT_ERROR_WITH(ValueError, "hop 0", frames_of(1, {.length = 7, .hop = 0, .size = 8}));
  EXPECT_THROW(frames_of(1, {.length = 9, .hop = 3, .size = 8}), ValueError);
  EXPECT_THROW(frames_of(1, {.length = 0, .hop = 3, .size = 8}), ValueError);
  constexpr Index most = Index{1} << 20;
  EXPECT_EQ(frames_of(1, {.length = 8, .hop = most, .size = 8}), 1);
  EXPECT_EQ(frames_of(2, {.length = 1, .hop = 1, .size = most}), 2);
  EXPECT_ERROR(
      ValueError,
      "power_spectrum: length 1 and hop 2 must be positive, size 1048578 even, at least the "
      "length and at most 1048576",
      frames_of(2, {.length = 1, .hop = 2, .size = most + 2}));
  EXPECT_THROW(frames_of(1, {.length = 8, .hop = most + 1, .size = 8}), ValueError);
}

TEST(Spectrum, IsTheSquaredFourierTransform) {
  if (!has_sound()) GTEST_SKIP() << "built without KissFFT";
  for (const FrameOptions& o : {FrameOptions{}, FrameOptions{.length = 11, .hop = 5, .size = 14}}) {
    const std::vector<float> x = noise(o.length + 2 * o.hop + 3, 5);
    const Array found = power_spectrum(x, o);
    ASSERT_EQ(found.shape(), (Shape{4, o.size / 2 + 1}));
    const auto values = found.to_vector<float>();
    std::size_t at = 0;
    for (Index t = 0; t < 4; ++t) {
      for (Index k = 0; k <= o.size / 2; ++k) {
        const double expected = power(x, o, t, k);
        EXPECT_NEAR(values[at++], expected, 1e-4 * (1 + expected)) << t << ' ' << k;
      }
    }
  }
}

TEST(Spectrum, AHopLongerThanAFrameMayEndBehindTheSamples) {
  if (!has_sound()) GTEST_SKIP() << "built without KissFFT";
  const FrameOptions o{.length = 3, .hop = 11, .size = 4};
  const std::vector<float> x = noise(5, 7);
  const auto values = power_spectrum(x, o).to_vector<float>();
  ASSERT_EQ(values.size(), 6U);
  for (Index k = 0; k < 3; ++k) {
    const double expected = power(x, o, 0, k);
    EXPECT_NEAR(values[static_cast<std::size_t>(k)], expected, 1e-4 * (1 + expected));
    EXPECT_EQ(values[static_cast<std::size_t>(3 + k)], 0);
  }
}

TEST(LogMel, SumsTrianglesAndTheirChange) {
  if (!has_sound()) GTEST_SKIP() << "built without KissFFT";
  const LogMelOptions o{.rate = 1000,
                        .frames = {.length = 50, .hop = 20, .size = 64},
                        .filters = 3,
                        .lowest = 20,
                        .highest = 450};
  const LogMel log_mel(o);
  EXPECT_EQ(log_mel.width(), 6);
  const std::vector<float> x = noise(190, 7);
  const Array found = log_mel(x);
  ASSERT_EQ(found.shape(), (Shape{8, 6}));
  const auto values = found.to_vector<float>();
  const auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const double d = (mel(450) - mel(20)) / 4;
  std::vector<std::vector<double>> e(8);
  for (Index t = 0; t < 8; ++t) {
    for (Index m = 1; m <= 3; ++m) {
      double sum = 0;
      for (Index k = 0; k <= 32; ++k) {
        const double f = static_cast<double>(k) * 1000 / 64;
        const double away = std::abs(mel(f) - (mel(20) + static_cast<double>(m) * d)) / d;
        sum += power(x, o.frames, t, k) * std::max(0.0, 1 - away);
      }
      e[static_cast<std::size_t>(t)].push_back(std::log(std::max(sum, 1e-5)));
    }
  }
  for (std::size_t t = 0; t < 8; ++t) {
    const auto row = [&](int by) {
      return e[static_cast<std::size_t>(std::clamp(static_cast<int>(t) + by, 0, 7))];
    };
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_NEAR(values[6 * t + m], e[t][m], 1e-3);
      const double delta = (row(1)[m] - row(-1)[m] + 2 * (row(2)[m] - row(-2)[m])) / 10;
      EXPECT_NEAR(values[6 * t + 3 + m], delta, 1e-3);
    }
  }
}

TEST(LogMel, SilenceIsTheFloorAndDoesNotChange) {
  if (!has_sound()) GTEST_SKIP() << "built without KissFFT";
  const Array found = LogMel({.floor = 0.5})(std::vector<float>(1000));
  const auto values = found.to_vector<float>();
  EXPECT_EQ(found.shape(), (Shape{11, 80}));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_FLOAT_EQ(values[i], i % 80 < 40 ? std::log(0.5f) : 0);
  }
  EXPECT_EQ(LogMel({.deltas = false})(std::vector<float>(1000)).shape(), (Shape{11, 40}));
}

TEST(LogMel, RefusesWhatMakesNoSense) {
  EXPECT_ERROR_WITH(ValueError, "filters 0", LogMel({.filters = 0}));
  EXPECT_ERROR_WITH(ValueError, "60 to 5000 Hz within half", LogMel({.highest = 5000}));
  EXPECT_ERROR_WITH(ValueError, "floor 0", LogMel({.floor = 0}));
  EXPECT_ERROR_WITH(ValueError, "rate 0,", LogMel({.rate = 0}));
  EXPECT_ERROR_WITH(ValueError, "-1 to 4000 Hz", LogMel({.lowest = -1}));
  EXPECT_ERROR_WITH(ValueError, "60 to 60 Hz", LogMel({.highest = 60}));
  EXPECT_ERROR_WITH(ValueError, "filters 257 and floor", LogMel({.filters = 257}));
  EXPECT_ERROR_WITH(ValueError, "of 256 lies between", LogMel({.filters = 256}));
  EXPECT_ERROR_WITH(ValueError, "power_spectrum: length 0", LogMel({.frames = {.length = 0}}));
  EXPECT_EQ(LogMel({.filters = 3, .lowest = 0, .highest = 4000}).options().highest, 4000);
  EXPECT_EQ(LogMel({.rate = 9001}).options().highest, 4500.5);
  EXPECT_ERROR(ValueError,
               "log_mel: filter 2 of 200 lies between two frequencies of a transform of size 256",
               LogMel({.filters = 200}));
}

}  // namespace
}  // namespace heed::data
