// What the training runs of several programs share: a clock, and how an optimizer is set.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "../optim/optimizer.h"
#include "../optim/rate.h"

namespace training_run {

class Stopwatch {
  using Clock = std::chrono::steady_clock;

 public:
  /// Seconds since the last call, the first time since it was made.
  double lap() {
    const Clock::time_point before = std::exchange(last_, Clock::now());
    return std::chrono::duration<double>(last_ - before).count();
  }

 private:
  Clock::time_point last_ = Clock::now();
};

/// In a line up to `highest`, where it is after `warm_up` steps, then down as a cosine to a tenth.
inline heed::optim::Rate warm_up_and_cosine(double highest, heed::Index steps,
                                            heed::Index warm_up) {
  namespace rate = heed::optim::rate;
  const auto fall = rate::cosine(std::max<heed::Index>(steps - warm_up, 1), highest / 10);
  if (warm_up == 0) return fall;
  const double first = 1 / (static_cast<double>(warm_up) + 1);
  return rate::sequential({rate::linear(first, 1, warm_up), fall}, {warm_up});
}

/// All parameters with these options, but without weight decay for vectors: biases and gains.
template <class Options>
std::vector<heed::optim::ParameterGroup<Options>> decaying_matrices(
    const std::vector<heed::Tensor>& parameters, const Options& options) {
  std::vector<heed::Tensor> matrices, vectors;
  for (const heed::Tensor& p : parameters) (p.rank() > 1 ? matrices : vectors).push_back(p);
  Options plain = options;
  plain.weight_decay = 0;
  return {{matrices, options}, {vectors, plain}};
}

}  // namespace training_run
