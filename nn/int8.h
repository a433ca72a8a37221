// A trained model in 8 bits: a quarter of the memory, and faster where the processor has dot
// products for it (AVX512-VNNI).
//
//   io::load("model/model.safetensors", model, io::Quantize::int8);   // or, of one that is there:
//   nn::to_int8(model);
#pragma once

#include "module.h"

namespace heed::nn {

/// Puts the weights of every Linear and Embedding in `module` into 8 bits
/// (kernels/gemm/int8_matrix.h):
/// each row with a scale of its own, what a Linear is given rounded row by row as it comes. All
/// else stays f32: norms, recurrent cells, convolutions, projections that attention has of its own.
/// The model can be neither trained nor saved afterwards. Returns how many layers are in 8 bits
/// now; those in bf16 stay so, those that make their weight at each call stay f32. Throws
/// DTypeError unless the others are f32, ValueError for weights that are not finite, and then has
/// changed nothing.
Index to_int8(Module& module);

}  // namespace heed::nn
