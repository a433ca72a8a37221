// Words that users of PyTorch bring to nn/: names of ours under theirs, and classes that stand
// elsewhere in heed, which the compiler says in a line.
#pragma once

#include "module.h"

namespace heed::nn {

/// nn::functional::relu is heed::relu.
namespace functional = ::heed;
/// nn::init::xavier_uniform_ is nn::xavier_uniform_.
namespace init = ::heed::nn;

// NOLINTBEGIN(readability-identifier-naming)
using Parameter = Refused<"Tensor& w = parameter(\"w\", tensor), as a member of a Module">;
using MultiheadAttention = Refused<"attention::MultiHead({.width = 16, .heads = 4})">;
using Transformer = Refused<"attention::Transformer">;
using TransformerEncoder = Refused<"attention::TransformerEncoder">;
using TransformerEncoderLayer = Refused<"attention::TransformerEncoderLayer">;
using TransformerDecoder = Refused<"attention::TransformerDecoder">;
using TransformerDecoderLayer = Refused<"attention::TransformerDecoderLayer">;
using InstanceNorm1d = Refused<"nn::GroupNorm(channels, channels)">;
using InstanceNorm2d = Refused<"nn::GroupNorm(channels, channels)">;
using ModuleDict = Refused<"T& name = child<T>(\"name\", ...) as a member">;
// NOLINTEND(readability-identifier-naming)

void save(const Module&, const char*, Say<"io::save(path, module)"> = {}) = delete;
void load(Module&, const char*, Say<"io::load(path, module)"> = {}) = delete;

}  // namespace heed::nn
