#include "sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "../core/error.h"

namespace heed::nn {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

void check(const SamplingOptions& options) {
  if (!(options.temperature >= 0 && std::isfinite(options.temperature))) {
    throw ValueError(fmt::format("sample: temperature {} must be 0 or more", options.temperature));
  }
  if (options.top_k < 0) {
    throw ValueError(fmt::format("sample: top_k {} must not be negative", options.top_k));
  }
}

// The lowest score that is drawn.
double least_of(std::vector<double> scores, Index top_k) {
  if (top_k == 0 || top_k >= static_cast<Index>(scores.size())) return kNever;
  const auto place = scores.begin() + top_k - 1;
  std::nth_element(scores.begin(), place, scores.end(), std::greater<>());
  return *place;
}

}  // namespace

Index sample(std::vector<double> scores, const SamplingOptions& options, Generator& generator) {
  check(options);
  const auto count = static_cast<Index>(scores.size());
  for (const Index i : options.forbidden) {
    if (i < 0 || i >= count) {
      throw IndexError(fmt::format("sample: forbidden {} is none of {} scores", i, count));
    }
    scores[static_cast<std::size_t>(i)] = kNever;
  }
  for (double& score : scores) score = std::isnan(score) ? kNever : score;
  const auto best = std::max_element(scores.begin(), scores.end());
  if (best == scores.end() || !std::isfinite(*best)) {
    throw ValueError(fmt::format("sample: none of {} scores can be drawn", count));
  }
  if (options.temperature == 0) return best - scores.begin();
  const double least = least_of(scores, options.top_k), top = *best;
  double total = 0;
  for (double& score : scores) {
    score = score < least ? 0 : std::exp((score - top) / options.temperature);
    total += score;
  }
  double left = generator.uniform() * total;
  Index last = 0;  // with a chance: rounding may leave a little over
  for (Index i = 0; i < count; ++i) {
    const double share = scores[static_cast<std::size_t>(i)];
    if (share == 0) continue;
    last = i;
    left -= share;
    if (left < 0) break;
  }
  return last;
}

}  // namespace heed::nn
