#include "../../optim/line_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/generator.h"

namespace heed::optim {
namespace {

// PyTorch's _cubic_interpolate and _strong_wolfe, line by line: all of the bracket in arrays.
double cubic(double x1, double f1, double g1, double x2, double f2, double g2, double low,
             double high) {
  const double d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2);
  const double square = d1 * d1 - g1 * g2;
  if (square < 0) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const double place = x1 <= x2 ? x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
                                : x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2));
  return std::min(std::max(place, low), high);
}

LinePlace reference(const Line& line, const LinePlace& start, double t, double length,
                    double tolerance) {
  constexpr double c1 = 1e-4, c2 = 0.9;
  constexpr int most = 25;
  LinePlace now = line(t), before = start;
  std::vector<LinePlace> bracket;
  bool done = false;
  int looks = 0;
  while (looks < most) {
    const bool high = now.loss > start.loss + c1 * now.t * start.slope;
    if (high || (looks > 1 && now.loss >= before.loss)) {
      bracket = {before, now};
      break;
    }
    if (std::abs(now.slope) <= -c2 * start.slope) {
      bracket = {now};
      done = true;
      break;
    }
    if (now.slope >= 0) {
      bracket = {before, now};
      break;
    }
    const double next = cubic(before.t, before.loss, before.slope, now.t, now.loss, now.slope,
                              now.t + 0.01 * (now.t - before.t), now.t * 10);
    before = now;
    now = line(next);
    ++looks;
  }
  if (looks == most) bracket = {start, now};
  std::size_t low = bracket.front().loss <= bracket.back().loss ? 0 : 1, high = 1 - low;
  bool slow = false;
  while (!done && looks < most) {
    if (std::abs(bracket[1].t - bracket[0].t) * length < tolerance) break;
    const double left = std::min(bracket[0].t, bracket[1].t);
    const double right = std::max(bracket[0].t, bracket[1].t);
    double at = cubic(bracket[0].t, bracket[0].loss, bracket[0].slope, bracket[1].t,
                      bracket[1].loss, bracket[1].slope, left, right);
    const double edge = 0.1 * (right - left);
    if (std::min(right - at, at - left) < edge) {
      if (slow || at >= right || at <= left) {
        at = std::abs(at - right) < std::abs(at - left) ? right - edge : left + edge;
        slow = false;
      } else {
        slow = true;
      }
    } else {
      slow = false;
    }
    const LinePlace tried = line(at);
    ++looks;
    if (tried.loss > start.loss + c1 * at * start.slope || tried.loss >= bracket[low].loss) {
      bracket[high] = tried;
      low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
      high = 1 - low;
    } else {
      if (std::abs(tried.slope) <= -c2 * start.slope) {
        done = true;
      } else if (tried.slope * (bracket[high].t - bracket[low].t) >= 0) {
        bracket[high] = bracket[low];
      }
      bracket[low] = tried;
    }
  }
  return done && bracket.size() == 1 ? bracket[0] : bracket[low];
}

// Waves on a parabola, a slope that falls for ever, a valley as sharp as a fold.
struct Hills {
  double bend, slope, height, width, shift, fall, fold, place;
  LinePlace operator()(double t) const {
    const double wave = std::cos(width * t + shift) - std::cos(shift);
    const double away = t - place, far = std::sqrt(away * away + 1e-6);
    return {t,
            bend * t * t - slope * t + height * wave - fall * t * t * t +
                fold * (far - std::sqrt(place * place + 1e-6)),
            2 * bend * t - slope - height * width * std::sin(width * t + shift) - 3 * fall * t * t +
                fold * away / far};
  }
};

TEST(StrongWolfe, LooksWhereMinFuncLooks) {
  Generator generator(11);
  int ran = 0, long_ones = 0;
  for (int trial = 0; trial < 700; ++trial) {
    const auto draw = [&](double low, double high) {
      return low + (high - low) * generator.uniform();
    };
    const bool falls = trial % 7 == 0;
    const bool folds = trial % 7 > 3;
    const Hills hills{.bend = falls ? 0 : draw(0, 0.5),
                      .slope = draw(0, 3),
                      .height = falls || folds ? 0 : draw(0, 2),
                      .width = draw(0.3, 6),
                      .shift = draw(0, 6),
                      .fall = falls ? draw(0.1, 1) : 0,
                      .fold = folds ? draw(2, 40) : 0,
                      .place = draw(0.05, 5)};
    const LinePlace start = hills(0);
    if (start.slope >= 0) continue;
    const double first = std::exp(draw(-6, 4)), length = draw(0.1, 10);
    const double tolerance = trial % 3 == 0 ? draw(0, 2) : 1e-9;
    std::vector<double> looked, wanted;
    const LinePlace found = strong_wolfe(
        [&](double t) {
          looked.push_back(t);
          return hills(t);
        },
        start, first, length, tolerance);
    const LinePlace expected = reference(
        [&](double t) {
          wanted.push_back(t);
          return hills(t);
        },
        start, first, length, tolerance);
    ASSERT_EQ(looked.size(), wanted.size()) << trial;
    for (std::size_t i = 0; i < looked.size(); ++i) {
      EXPECT_NEAR(looked[i], wanted[i], 1e-9 * std::abs(wanted[i])) << trial << ", look " << i;
    }
    EXPECT_NEAR(found.t, expected.t, 1e-9 * std::abs(expected.t)) << trial;
    EXPECT_EQ(found.loss, hills(found.t).loss);
    EXPECT_EQ(found.slope, hills(found.t).slope);
    ++ran;
    long_ones += looked.size() > 5;
  }
  EXPECT_GT(ran, 300);
  EXPECT_GT(long_ones, 20);
}

// -(t + 1)^3, whose cubic is itself and has its one flat place behind, at -1.
TEST(StrongWolfe, ACubicWithoutABottomIsFollowedAsLittleAsCanBe) {
  std::vector<double> looked;
  strong_wolfe(
      [&](double t) {
        looked.push_back(t);
        return LinePlace{t, -std::pow(t + 1, 3), -3 * std::pow(t + 1, 2)};
      },
      {0, -1, -3}, 1, 1, 1e-9);
  ASSERT_GE(looked.size(), 2U);
  EXPECT_EQ(looked[1], 1.01);
}

}  // namespace
}  // namespace heed::optim
