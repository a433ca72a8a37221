// What EMA and MeanOfLast ask of the parameters they average.
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::optim {

/// Throws in `op`'s name: ValueError for no parameters, an undefined one or one that is there
/// twice; GradError for the result of an operator; DTypeError unless f32 or f64.
void check_averaged(const char* op, const std::vector<Tensor>& parameters);

}  // namespace heed::optim
