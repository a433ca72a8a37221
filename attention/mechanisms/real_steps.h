// Which steps of a padded batch of sequences are real.
#pragma once

#include <vector>

#include "../../autograd/tensor.h"

namespace heed::attention {

/// bool [B, T, 1], true at the first lengths[b] steps of row b; undefined without lengths, and
/// where there is no step. Throws ShapeError, which names `op`, unless there is a length in [0, T]
/// for each row.
Tensor real_steps(const char* op, const std::vector<Index>& lengths, Index batch, Index steps);

}  // namespace heed::attention
