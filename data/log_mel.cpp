#include "log_mel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/error.h"

namespace heed::data {
namespace {

double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }

LogMelOptions checked(LogMelOptions o) {
  frames_of(1, o.frames);
  if (o.highest == 0) o.highest = static_cast<double>(o.rate) / 2;
  const bool sensible = o.rate > 0 && o.filters > 0 && o.filters <= o.frames.size &&
                        o.lowest >= 0 && o.lowest < o.highest &&
                        o.highest <= static_cast<double>(o.rate) / 2 && o.floor > 0;
  if (!sensible) {
    throw ValueError(fmt::format(
        "log_mel: rate {}, filters {} and floor {} must be positive, and {} to {} Hz within half "
        "the rate",
        o.rate, o.filters, o.floor, o.lowest, o.highest));
  }
  return o;
}

}  // namespace

LogMel::LogMel(const LogMelOptions& options) : options_(checked(options)) {
  const LogMelOptions& o = options_;
  const double low = mel(o.lowest);
  const double apart = (mel(o.highest) - low) / static_cast<double>(o.filters + 1);
  const double step = static_cast<double>(o.rate) / static_cast<double>(o.frames.size);
  for (Index m = 1; m <= o.filters; ++m) {
    const double centre = low + static_cast<double>(m) * apart;
    Filter filter{0, {}};
    for (Index k = 0; k <= o.frames.size / 2; ++k) {
      const double weight = 1 - std::abs(mel(static_cast<double>(k) * step) - centre) / apart;
      if (weight <= 0) continue;
      if (filter.weights.empty()) filter.first = k;
      filter.weights.push_back(static_cast<float>(weight));
    }
    if (filter.weights.empty()) {
      throw ValueError(
          fmt::format("log_mel: filter {} of {} lies between two frequencies of a "
                      "transform of size {}",
                      m, o.filters, o.frames.size));
    }
    filters_.push_back(std::move(filter));
  }
}

Array LogMel::operator()(const std::vector<float>& samples) const {
  const Array power = power_spectrum(samples, options_.frames);
  const Index frames = power.size(0), bins = power.size(1), filters = options_.filters;
  Array out = Array::empty({frames, width()}, DType::f32);
  float* const rows = out.mutable_data<float>();
  for (Index t = 0; t < frames; ++t) {
    for (Index m = 0; m < filters; ++m) {
      const Filter& filter = filters_[static_cast<std::size_t>(m)];
      const float* p = power.data<float>() + t * bins + filter.first;
      double sum = 0;
      for (const float weight : filter.weights) sum += weight * *p++;
      rows[t * width() + m] = static_cast<float>(std::log(std::max(sum, options_.floor)));
    }
  }
  if (!options_.deltas) return out;
  for (Index t = 0; t < frames; ++t) {
    const auto at = [&](Index row, Index m) {
      return rows[std::clamp<Index>(row, 0, frames - 1) * width() + m];
    };
    for (Index m = 0; m < filters; ++m) {
      rows[t * width() + filters + m] =
          (at(t + 1, m) - at(t - 1, m) + 2 * (at(t + 2, m) - at(t - 2, m))) / 10;
    }
  }
  return out;
}

}  // namespace heed::data
