// What a pass backward starts from, checked. Internal to the engine.
#pragma once

#include "backward_options.h"
#include "tensor.h"

namespace heed::detail {

/// The gradient that was given for an output, or 1 for a single element. Throws GradError,
/// ShapeError, DTypeError.
Tensor start_of(const char* op, const Tensor& output, const Tensor& given);

/// Throws GradError where `options` ask for what an InferenceMode forbids.
void check_mode(const char* op, const BackwardOptions& options);

}  // namespace heed::detail
