#include "spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"

namespace heed::train {

double Spread::deviation() const {
  if (count == 0) return 0;
  return std::sqrt(std::max(0.0, sum_of_squares / static_cast<double>(count) - mean() * mean()));
}

Spread spread_of(const Array& values, Index bins) {
  if (bins <= 0) throw ValueError(fmt::format("histogram: {} bins", bins));
  std::vector<double> finite;
  if (values.defined()) finite = values.to(DType::f64).to_vector<double>();
  std::erase_if(finite, [](double x) { return !std::isfinite(x); });
  Spread spread;
  if (finite.empty()) return spread;
  spread.count = static_cast<Index>(finite.size());
  const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
  spread.least = *least;
  spread.most = *most;
  if (spread.least == spread.most) bins = 1;
  const auto last = static_cast<double>(bins - 1);
  // Halves, so that the width of all finite numbers is one.
  const double width = spread.most / 2 - spread.least / 2;
  spread.counts.assign(static_cast<std::size_t>(bins), 0);
  for (Index i = 1; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    spread.limits.push_back(i == bins ? spread.most
                                      : spread.least * (1 - share) + spread.most * share);
  }
  for (const double x : finite) {
    spread.sum += x;
    spread.sum_of_squares += x * x;
    const double place =
        width > 0 ? (x / 2 - spread.least / 2) / width * static_cast<double>(bins) : 0;
    ++spread.counts[static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, last))];
  }
  return spread;
}

}  // namespace heed::train
