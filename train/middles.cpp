#include "middles.h"

#include <cmath>
#include <numeric>

#include "../core/error.h"

namespace heed::train {

std::vector<double> middles(const Array& weights) {
  if (weights.dtype() != DType::f32 && weights.dtype() != DType::f64) {
    throw DTypeError("middles: weights must be f32 or f64, not " + describe(weights));
  }
  if (weights.rank() != 2) {
    throw ShapeError("middles: weights must be [rows, places], not " + describe(weights));
  }
  std::vector<double> out;
  for (Index i = 0; i < weights.size(0); ++i) {
    auto row = weights.select(0, i).to(DType::f64).to_vector<double>();
    for (double& x : row) x = std::isfinite(x) && x > 0 ? x : 0;
    const double half = std::accumulate(row.begin(), row.end(), 0.0) / 2;
    double passed = 0, place = 0;
    for (std::size_t k = 0; k < row.size() && passed < half; passed += row[k++]) {
      if (passed + row[k] >= half) place = static_cast<double>(k) + (half - passed) / row[k];
    }
    out.push_back(place);
  }
  return out;
}

}  // namespace heed::train
