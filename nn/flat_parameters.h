// All parameters as one vector, and back, under torch.nn.utils' names.
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::nn::utils {

/// The elements of all, one after another: [N], on the tape. Throws ValueError for no parameters,
/// DTypeError for several dtypes.
Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
/// Copies such a vector into the parameters, in place and off the tape. Throws ShapeError unless it
/// has as many elements, DTypeError, and then has changed nothing.
void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters);

}  // namespace heed::nn::utils
