#include "dialled.h"

#include <cmath>
#include <numbers>

namespace heed::data {
namespace {

// Rows and columns of the keys; 0 stands below 8.
constexpr double kRows[] = {697, 770, 852, 941}, kColumns[] = {1209, 1336, 1477};
constexpr Index kTelephones = 6;

}  // namespace

std::vector<SpokenDigit> generate_dialled(Index count, Generator& generator) {
  const auto between = [&](double low, double high) {
    return low + (high - low) * generator.uniform();
  };
  std::vector<SpokenDigit> out;
  for (Index i = 0; i < count; ++i) {
    const Index digit = generator.below(10), telephone = generator.below(kTelephones);
    const Index key = digit == 0 ? 10 : digit - 1;
    // From 4 % too low to 4 % too high; no two tones come as near.
    const double tune = 0.96 + 0.016 * static_cast<double>(telephone) + between(-0.005, 0.005);
    const double low = tune * kRows[key / 3], high = tune * kColumns[key % 3];
    const double loud = between(0.1, 0.3), share = between(0.35, 0.65);
    const double phase = between(0, 2 * std::numbers::pi);
    const auto length = static_cast<Index>(between(0.15, 0.5) * static_cast<double>(kSpokenRate));
    SpokenDigit made{digit, std::string(1, static_cast<char>('a' + telephone)), {}};
    for (Index t = 0; t < length; ++t) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(t);
      const double swell = std::sin(0.5 * turn / static_cast<double>(length));
      const double wave =
          share * std::sin(turn * low / static_cast<double>(kSpokenRate)) +
          (1 - share) * std::sin(turn * high / static_cast<double>(kSpokenRate) + phase);
      made.samples.push_back(static_cast<float>(loud * std::sqrt(swell) * wave));
    }
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace heed::data
