// From masks and biases to what the tiled kernels take: see autograd/ops/attention.h.
#pragma once

#include "../autograd/ops/attention.h"
#include "mask.h"
#include "score.h"

namespace heed::attention {

/// For scores [.., Q, K], which may be multiplied by `scale`. Windows, blocks and lengths stay
/// rules; only what is none of these becomes a tensor. Throws ShapeError, which names `op`.
AttentionOptions tiled_options(const char* op, const Shape& scores, const Mask& mask,
                               const Added& added, double scale = 1);

/// dot_attention() that notes what it did in `call`, where given.
Tensor tiled_dot(const Tensor& query, const Tensor& keys, const Tensor& values,
                 const AttentionOptions& options, AttentionCall* call);

}  // namespace heed::attention
