// The weights of a model at some moment, and the mean of several: a model of the last epochs' ends.
#pragma once

#include <vector>

#include "../../nn/module.h"

namespace translation {

/// By name, as of state_dict(); their memory is their own.
using Weights = heed::nn::NamedTensors;

Weights weights_of(const heed::nn::Module& model);
/// Whether names, shapes and dtypes are the same, in the same order.
bool alike(const Weights& a, const Weights& b);
/// Of weights that are alike; of what is no real number, the first. Throws IndexError for none.
Weights mean_of(const std::vector<Weights>& all);

}  // namespace translation
