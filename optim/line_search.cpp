#include "line_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heed::optim {
namespace {

constexpr double kDecrease = 1e-4;
constexpr double kCurvature = 0.9;
constexpr int kLooks = 25;

// Where the cubic through both places, with their slopes, is smallest, held in [low, high].
double smallest(const LinePlace& a, const LinePlace& b, double low, double high) {
  const LinePlace& left = a.t <= b.t ? a : b;
  const LinePlace& right = a.t <= b.t ? b : a;
  const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const double t = right.t - (right.t - left.t) *
                                 ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2));
  // Between a loss and an infinite one there is no cubic.
  return std::isfinite(t) ? std::min(std::max(t, low), high) : (low + high) / 2;
}

}  // namespace

LinePlace strong_wolfe(const Line& line, const LinePlace& start, double t, double length,
                       double tolerance) {
  // So is NaN, here and below.
  const auto too_high = [&](const LinePlace& place) {
    return !(place.loss <= start.loss + kDecrease * place.t * start.slope);
  };
  const auto flat = [&](const LinePlace& place) {
    return std::abs(place.slope) <= -kCurvature * start.slope;
  };
  // Further and further, until two places have a good one between them.
  LinePlace before = start;
  LinePlace now = line(t);
  int looks = 0;
  bool bracketed = false;
  while (looks < kLooks && !bracketed) {
    const bool rises = too_high(now) || (looks > 1 && now.loss >= before.loss);
    if (!rises && flat(now)) return now;
    if (rises || now.slope >= 0) {
      bracketed = true;
    } else {
      const double next = smallest(before, now, now.t + 0.01 * (now.t - before.t), now.t * 10);
      before = std::exchange(now, line(next));
      ++looks;
    }
  }
  if (!bracketed) before = start;
  // The bracket shrinks around it; `low` is its better end.
  const bool farther = now.loss < before.loss;
  LinePlace low = farther ? now : before;
  LinePlace high = farther ? before : now;
  bool slow = false;
  while (looks < kLooks && std::abs(high.t - low.t) * length >= tolerance) {
    const double left = std::min(low.t, high.t);
    const double right = std::max(low.t, high.t);
    double next = smallest(low, high, left, right);
    const double edge = 0.1 * (right - left);
    if (std::min(right - next, next - left) < edge) {
      if (slow || next >= right || next <= left) {
        next = std::abs(next - right) < std::abs(next - left) ? right - edge : left + edge;
        slow = false;
      } else {
        slow = true;
      }
    } else {
      slow = false;
    }
    const LinePlace tried = line(next);
    ++looks;
    if (too_high(tried) || tried.loss >= low.loss) {
      high = tried;
      if (high.loss < low.loss) std::swap(low, high);
      continue;
    }
    if (flat(tried)) return tried;
    if (tried.slope * (high.t - low.t) >= 0) high = low;
    low = tried;
  }
  return low;
}

}  // namespace heed::optim
