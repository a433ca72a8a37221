#include "../../../data/generated/dialled.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <set>

namespace heed::data {
namespace {

double strength(const std::vector<float>& samples, double hertz) {
  std::complex<double> sum = 0;
  for (std::size_t t = 0; t < samples.size(); ++t) {
    sum += static_cast<double>(samples[t]) *
           std::polar(1.0, -2 * std::numbers::pi * hertz * static_cast<double>(t) / kSpokenRate);
  }
  return std::abs(sum);
}

// The strongest tone near one of these.
std::size_t strongest(const std::vector<float>& samples, const std::vector<double>& tones) {
  std::size_t best = 0;
  double most = 0;
  for (std::size_t i = 0; i < tones.size(); ++i) {
    for (double tune = 0.955; tune < 1.046; tune += 0.003) {
      const double found = strength(samples, tune * tones[i]);
      if (found > most) most = found, best = i;
    }
  }
  return best;
}

TEST(Dialled, TwoTonesSayTheKey) {
  Generator generator(3);
  std::set<std::string> telephones;
  std::map<Index, int> digits;
  const std::vector<std::string> keys = {"123", "456", "789", "?0?"};
  for (const SpokenDigit& each : generate_dialled(60, generator)) {
    telephones.insert(each.speaker);
    ++digits[each.digit];
    EXPECT_GE(each.samples.size(), 1200U);
    EXPECT_LE(each.samples.size(), 4000U);
    const std::size_t row = strongest(each.samples, {697, 770, 852, 941});
    const std::size_t column = strongest(each.samples, {1209, 1336, 1477});
    EXPECT_EQ(keys[row][column], static_cast<char>('0' + each.digit));
    for (const float x : each.samples) EXPECT_LE(std::abs(x), 0.3f);
  }
  EXPECT_EQ(telephones.size(), 6U);
  EXPECT_EQ(digits.size(), 10U);
}

TEST(Dialled, GoesOnInItsStream) {
  Generator one(5), two(5);
  const auto all = generate_dialled(3, one);
  generate_dialled(2, two);
  EXPECT_EQ(generate_dialled(1, two)[0].samples, all[2].samples);
}

}  // namespace
}  // namespace heed::data
