#include "../../data/cluttered_digits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../data/generated/drawn_digits.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

TEST(ClutteredDigits, StandWhereTheySayTheyDo) {
  Generator generator(3);
  const Digits digits = draw_digits(5, generator);
  std::vector<DigitPlace> places;
  const Array images = cluttered_digits(digits, {4, 0, 4}, 41, 2, generator, &places);
  ASSERT_EQ(places.size(), 3U);
  const float* pixels = images.data<float>();
  const Index rows[] = {4, 0, 4};
  for (Index i = 0; i < 3; ++i) {
    const auto& [left, top] = places[static_cast<std::size_t>(i)];
    for (Index dot = 0; dot < kDigitSide * kDigitSide; ++dot) {
      const Index y = top + dot / kDigitSide, x = left + dot % kDigitSide;
      const std::uint8_t ink =
          digits.pixels[static_cast<std::size_t>(rows[i] * kDigitSide * kDigitSide + dot)];
      EXPECT_GE(pixels[(i * 41 + y) * 41 + x], static_cast<float>(ink) / 255);  // or clutter
    }
  }
  EXPECT_LE(*std::max_element(pixels, pixels + images.numel()), 1);
}

TEST(ClutteredDigits, RefuseWhatIsNotThere) {
  Generator generator(3);
  const Digits digits = draw_digits(5, generator);
  EXPECT_ERROR(ValueError, "size 27 must be at least that of a digit, 28",
               cluttered_digits(digits, {0}, 27, 0, generator));
  EXPECT_ERROR(IndexError, "digit 5 of 5", cluttered_digits(digits, {0, 5}, 28, 0, generator));
  EXPECT_ERROR(IndexError, "digit -1 of 5", cluttered_digits(digits, {-1}, 28, 0, generator));
}

}  // namespace
}  // namespace heed::data
