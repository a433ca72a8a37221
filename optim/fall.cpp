#include "fall.h"

#include <cmath>
#include <numbers>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::optim {

Fall fall_of(const std::string& name) {
  if (name == "none") return Fall::none;
  if (name == "inverse-root") return Fall::inverse_root;
  if (name == "cosine") return Fall::cosine;
  throw ValueError("fall: " + in_quotes(name) + " is none of none, inverse-root, cosine");
}

double rate_at(double lr, Index warm_up, Fall fall, Index step, double done) {
  const auto n = static_cast<double>(step + 1), warm = static_cast<double>(warm_up);
  double rate = lr;
  if (n < warm) rate *= n / warm;
  if (fall == Fall::inverse_root && n > warm && warm > 0) rate *= std::sqrt(warm / n);
  if (fall == Fall::cosine) rate *= 0.01 + 0.99 * (1 + std::cos(std::numbers::pi * done)) / 2;
  return rate;
}

}  // namespace heed::optim
