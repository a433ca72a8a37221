#include "mix.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"

namespace heed::data {

void check_weights(const std::vector<double>& weights) {
  if (weights.empty()) throw ValueError("mix: there are no sources");
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!(weights[k] > 0) || !std::isfinite(weights[k])) {
      throw ValueError(
          fmt::format("mix: weight {} of source {} must be positive and finite", weights[k], k));
    }
    sum += weights[k];
  }
  if (!std::isfinite(sum)) throw ValueError("mix: the weights' sum is not finite");
}

void detail::fail_empty_mix() { throw ValueError("mix: its sources hold nothing"); }

}  // namespace heed::data
