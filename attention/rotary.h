// Rotary positions (Su et al. 2021, "RoFormer", section 3.2.2): each pair of features is turned by
// an angle that grows with the place, so that the product of a query and a key depends on how far
// apart they stand:
//
//   [x'_{2i}, x'_{2i+1}] = [x_{2i} cos a - x_{2i+1} sin a,  x_{2i} sin a + x_{2i+1} cos a],
//   a = t base^(-2i / D)
#pragma once

#include "../autograd/tensor.h"

namespace heed::attention {

/// x [.., T, D], whose first step stands at place `first`. f32, f64. Throws ShapeError for an odd D
/// and fewer axes than two, ValueError for a base that is not positive.
Tensor rotary(const Tensor& x, Index first = 0, double base = 10000);

}  // namespace heed::attention
