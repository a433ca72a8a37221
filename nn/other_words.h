// Words that users of PyTorch bring to nn/: names of ours under theirs, and classes that stand
// elsewhere in heed, which the compiler says in a line.
#pragma once

#include "../autograd/grad_mode.h"
#include "../autograd/methods.h"
#include "../core/error.h"
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
using EmbeddingBag = Refused<"mean(embedding(ids), {-2}) of nn::Embedding">;
using AdaptiveMaxPool2d = Refused<"amax(x, {-2, -1}), where one place is left">;
using ZeroPad2d = Refused<"pad(x, ...)">;
using ConstantPad2d = Refused<"pad(x, ...)">;
using ReflectionPad2d = Refused<"pad(x, ...)">;
using ReplicationPad2d = Refused<"pad(x, ...)">;
using SyncBatchNorm = Refused<"nn::BatchNorm2d">;
using AlphaDropout = Refused<"nn::Dropout">;
using PixelShuffle = Refused<"reshape() and permute()">;
using Unfold = Refused<"unfold(x, axis, size, step)">;
using ConvTranspose3d = Refused<"nn::ConvTranspose2d, or nn::Upsample and nn::Conv3d">;
using MaxPool3d = Refused<"nn::MaxPool2d of x.flatten(1, 2) with its channels">;
using AvgPool3d = Refused<"nn::AvgPool2d of x.flatten(1, 2) with its channels">;
using BatchNorm3d = Refused<"nn::BatchNorm2d of x.flatten(2, 3)">;
using InstanceNorm3d = Refused<"nn::GroupNorm(channels, channels)">;
using FeatureAlphaDropout = Refused<"nn::Dropout2d">;
using LazyLinear = Refused<"nn::Linear(in, out)">;
using LazyConv2d = Refused<"nn::Conv2d(in, out, kernel)">;
using ParameterList = Refused<"Tensor& w = parameter(\"w\", tensor), each as a member of a Module">;
using ParameterDict = Refused<"Tensor& w = parameter(\"w\", tensor), each as a member of a Module">;
using ModuleDict = Refused<"T& name = child<T>(\"name\", ...) as a member">;
// NOLINTEND(readability-identifier-naming)

// NOLINTBEGIN(readability-identifier-naming)
void trunc_normal_(const Tensor&, double = 0, double = 1,
                   Say<"normal_(x, 0, 0.02), x.clamp_(-0.04, 0.04)"> = {}) = delete;
/// Ones on the diagonal of a matrix, zeros elsewhere. Throws ShapeError for another rank than 2.
inline void eye_(const Tensor& matrix) {
  if (matrix.rank() != 2) throw ShapeError("eye_: no matrix: " + describe(matrix));
  const NoGrad scope;
  matrix.copy_(eye(matrix.size(0), matrix.size(1)).to(matrix.dtype()));
}
// NOLINTEND(readability-identifier-naming)

void save(const NamedTensors&, const char*,
          Say<"io::write_safetensors(path, module.state_dict())"> = {}) = delete;
void save(const Module&, const char*, Say<"io::save(path, module)"> = {}) = delete;
void load(Module&, const char*, Say<"io::load(path, module)"> = {}) = delete;

}  // namespace heed::nn
