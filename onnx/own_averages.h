// Averages of batch normalisations, which training moves in place, must be nobody else's. Exporters
// merge initializers that are equal: of a model that was not trained yet, say, a weight of ones
// with the variances of all layers. Internal to onnx.
#pragma once

#include "model.h"

namespace heed::onnx {

/// Gives each mean and variance of a BatchNormalization that stands in for something else, too, an
/// initializer of its own: under the name of the Identity that it came by, where there is one. As
/// far as the copies are no more than what the graph has, and 2^16 numbers.
void own_averages(Graph& graph);

}  // namespace heed::onnx
