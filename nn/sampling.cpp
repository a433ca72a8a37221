#include "sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

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
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    throw ValueError(fmt::format("sample: top_p {} is not in (0, 1]", options.top_p));
  }
  if (!(options.min_p >= 0 && options.min_p <= 1)) {
    throw ValueError(fmt::format("sample: min_p {} is not in [0, 1]", options.min_p));
  }
}

// Leaves the k highest; of equals the first stay.
void keep_highest(std::vector<double>& scores, Index k) {
  if (k == 0 || k >= static_cast<Index>(scores.size())) return;
  std::vector<double> order = scores;
  const auto place = order.begin() + k - 1;
  std::nth_element(order.begin(), place, order.end(), std::greater<>());
  const double least = *place;
  Index equals = std::count(order.begin(), place + 1, least);  // that are left
  for (double& score : scores) {
    if (score < least || (score == least && equals-- <= 0)) score = kNever;
  }
}

// 0 for what stands behind the likeliest that have the share p; of equals the first stay.
void keep_likeliest(std::vector<double>& shares, double p) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return shares[i] > shares[j]; });
  double wanted = p * std::accumulate(shares.begin(), shares.end(), 0.0);
  for (const std::size_t i : order) {
    if (wanted <= 0) shares[i] = 0;
    wanted -= shares[i];
  }
}

// How much of `total` each place has.
struct Shares {
  std::vector<double> of;
  double total = 0;
};

Shares shares_of(std::vector<double> scores, const SamplingOptions& options) {
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
  if (options.temperature == 0) {
    const auto likeliest = best - scores.begin();
    scores.assign(scores.size(), 0);
    scores[static_cast<std::size_t>(likeliest)] = 1;
    return {std::move(scores), 1};
  }
  const double top = *best;
  keep_highest(scores, options.top_k);
  for (double& score : scores) score = std::exp((score - top) / options.temperature);
  if (options.top_p < 1) keep_likeliest(scores, options.top_p);
  for (double& share : scores) share = share < options.min_p ? 0 : share;  // the likeliest has 1
  const double total = std::accumulate(scores.begin(), scores.end(), 0.0);
  return {std::move(scores), total};
}

}  // namespace

Index sample(std::vector<double> scores, const SamplingOptions& options, Generator& generator) {
  const Shares shares = shares_of(std::move(scores), options);
  if (options.temperature == 0) {
    return std::max_element(shares.of.begin(), shares.of.end()) - shares.of.begin();
  }
  double left = generator.uniform() * shares.total;
  Index last = 0;  // with a chance: rounding may leave a little over
  for (Index i = 0; i < static_cast<Index>(shares.of.size()); ++i) {
    const double share = shares.of[static_cast<std::size_t>(i)];
    if (share == 0) continue;
    last = i;
    left -= share;
    if (left < 0) break;
  }
  return last;
}

std::vector<double> probabilities(std::vector<double> scores, const SamplingOptions& options) {
  Shares shares = shares_of(std::move(scores), options);
  for (double& share : shares.of) share /= shares.total;
  return std::move(shares.of);
}

}  // namespace heed::nn
