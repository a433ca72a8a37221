// Checks of a sliding window's numbers and of how far it slides, shared by convolution and pooling.
#pragma once

#include "../../../core/kernels/conv/window.h"

namespace heed {

/// Throws ValueError unless kernel, stride and dilation are positive and padding is not negative.
void check_window(const char* op, const kernels::WindowAxis& axis);

/// The axis, checked, with `out` filled in. Throws ShapeError for a kernel longer than the padded
/// axis and for sizes that overflow.
kernels::WindowAxis slide(const char* op, kernels::WindowAxis axis, bool ceil_mode = false);

}  // namespace heed
