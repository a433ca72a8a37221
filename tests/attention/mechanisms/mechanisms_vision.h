// Every mechanism over maps behind one face, for tests of what holds for all of them: they know of
// no padding, as those over sequences do (mechanisms.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../../nn/module.h"
#include "../../support/registry.h"

namespace heed::attention {

struct VisionMechanism {
  std::shared_ptr<nn::Module> module = {};
  /// f64, the batch in front, a map or images first.
  std::vector<Tensor> inputs = {};
  /// The result, and what stands beside it (weights, places); the batch in front of all.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)> call = {};
  std::string name = {};  ///< in its errors
};

constexpr Index kVisionBatch = 2;

extern const Registry<VisionMechanism> kVisionMechanisms;
/// With random numbers in all parameters and inputs.
VisionMechanism vision_mechanism(const std::string& name);

}  // namespace heed::attention
