// A learning rate that rises over the first steps and then falls, by steps or by what part of the
// training is done: a schedule for trainings whose epochs differ in steps.
#pragma once

#include <cstdint>
#include <string>

#include "../core/shape.h"

namespace heed::optim {

enum class Fall : std::uint8_t {
  none,
  inverse_root,  ///< lr sqrt(warm_up / n) at the n-th step, as of the Transformer
  cosine,        ///< a half cosine over the whole training, to a hundredth
};

/// "none", "inverse-root", "cosine". Throws ValueError for other names.
Fall fall_of(const std::string& name);

/// The rate of the step after `step` others, where `done` of the training, 0 to 1, is done: lr,
/// times n / warm_up in the first warm_up steps, times the fall.
double rate_at(double lr, Index warm_up, Fall fall, Index step, double done);

}  // namespace heed::optim
