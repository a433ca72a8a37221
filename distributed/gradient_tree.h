// Gradients of pieces, added over a tree (tree_sum.h). Internal to distributed.
#pragma once

#include "../autograd/tensor.h"
#include "tree_sum.h"

namespace heed::distributed {

/// left += right, as the engine adds gradients: rows to rows stay rows.
struct AddGradients {
  void operator()(Tensor& left, Tensor&& right) const;
};
using GradientTree = TreeSum<Tensor, AddGradients>;

/// All numbers of it; it stays as it is, also where it has rows only.
Array dense(const Tensor& gradient);

/// -0 becomes 0, as it does where something that is 0 was added.
Tensor without_signed_zeros(Tensor sum);

}  // namespace heed::distributed
