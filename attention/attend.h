// attend() joins the parts of the algebra: any score, memory, mask, bias and normaliser.
//
//   weights = normalise(score(query, keys) + bias, mask),   context = weights values
//   query [.., Q, dq], keys [.., K, dk], values [.., K, dv]
//   -> context [.., Q, dv], weights [.., Q, K]; leading axes (batch, heads) broadcast
//
// A query that may attend to nothing gets zeros, with zero gradients. What stands in a masked
// place, NaN included, changes no bit of result or gradient. Softmax over a score that has a form
// never makes the [Q, K] block, unless weights or dropout are asked for. What is held in bf16 is
// read as f32, beside f32 or bf16, and the context is f32.
#pragma once

#include "memory.h"

namespace heed::attention {

/// Throws what attend() would of these terms beside scores [.., Q, K] of this dtype, before
/// anything is computed: a mask, biases or sinks that do not fit, a dropout that is none.
void check_terms(const Shape& scores, DType dtype, const Terms& terms);
/// The same in `op`'s name: for a mechanism that changes something before it attends.
void check_terms(const char* op, const Shape& scores, DType dtype, const Terms& terms);

/// Throws ShapeError, DTypeError, ValueError.
Attended attend(const Tensor& query, const Memory& memory, const Terms& terms = {});
/// A memory that is used once; without a score, the scaled dot product.
Attended attend(const Score& score, const Tensor& query, const Tensor& keys, const Tensor& values,
                const Terms& terms = {});
Attended attend(const Tensor& query, const Tensor& keys, const Tensor& values,
                const Terms& terms = {});

}  // namespace heed::attention
