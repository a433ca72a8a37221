#include "features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../core/error.h"

namespace heed::data {

PaddedFeatures pad(const std::vector<Array>& features) {
  if (features.empty()) throw ValueError("pad: no features");
  PaddedFeatures out;
  Index longest = 0;
  for (const Array& each : features) {
    if (each.rank() != 2 || each.size(1) != features[0].size(1)) {
      throw ShapeError(
          fmt::format("pad: features must be [T, width] of one width, not {} beside {}",
                      describe(each), describe(features[0])));
    }
    out.lengths.push_back(each.size(0));
    longest = std::max(longest, each.size(0));
  }
  const Index width = features[0].size(1), rows = static_cast<Index>(features.size());
  out.features = Array::zeros({rows, longest, width}, DType::f32);
  float* to = out.features.mutable_data<float>();
  for (const Array& each : features) {
    const Array own = each.contiguous();
    std::copy_n(own.data<float>(), own.numel(), to);
    to += longest * width;
  }
  return out;
}

FeatureScale scale_of(const std::vector<Array>& features) {
  std::vector<double> sums, squares;
  double count = 0;
  for (const Array& each : features) {
    if (each.rank() != 2 || (count > 0 && each.size(1) != static_cast<Index>(sums.size()))) {
      throw ShapeError(fmt::format("scale_of: features must be [T, {}], not {}",
                                   count > 0 ? std::to_string(sums.size()) : "width",
                                   describe(each)));
    }
    const Array rows = each.contiguous();
    const float* x = rows.data<float>();
    sums.resize(static_cast<std::size_t>(each.size(1)));
    squares.resize(sums.size());
    for (Index t = 0; t < each.size(0); ++t, ++count) {
      for (std::size_t k = 0; k < sums.size(); ++k, ++x) {
        sums[k] += *x;
        squares[k] += static_cast<double>(*x) * *x;
      }
    }
  }
  if (count == 0) throw ValueError("scale_of: no features");
  std::vector<float> mean, scale;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double middle = sums[k] / count;
    const double variance = std::max(squares[k] / count - middle * middle, 1e-6);
    mean.push_back(static_cast<float>(middle));
    scale.push_back(static_cast<float>(1 / std::sqrt(variance)));
  }
  return {Array::from(mean), Array::from(scale)};
}

}  // namespace heed::data
