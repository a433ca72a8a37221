// A trained model whose weights are held in bf16: half the memory, and half the time where a few
// rows meet a weight at a time, as a decoder's do with each token. Sums stay f32, and so does all
// that is not a weight: its outputs are those of the rounded weights in f32, to the bit.
//
//   io::load("model/model.safetensors", model, io::Quantize::bf16);   // or, of one that is there:
//   nn::to_bf16(model);
#pragma once

#include <functional>

#include "module.h"

namespace heed::nn {

/// A layer whose weights can be.
class Narrowable {
 public:
  virtual ~Narrowable() = default;
  /// Rounds its weights to bf16, for good. Throws DTypeError unless they are f32.
  void to_bf16() {
    if (const auto change = prepare_bf16()) change();
  }
  /// The same in two steps, as Linear::prepare_int8().
  virtual std::function<void()> prepare_bf16() = 0;
};

/// Rounds the weights of every Narrowable in `module`: Linear, Embedding, attention::MultiHead. All
/// else stays f32: biases, norms, recurrent cells, convolutions. The model can be neither saved nor
/// trained afterwards, but gradients pass through it. Returns how many layers are in bf16 now;
/// those in 8 bits stay so, those that make their weight at each call stay f32. Throws DTypeError
/// unless the others are f32, and then has changed nothing.
Index to_bf16(Module& module);

namespace detail {
/// `weight` rounded, in `layer`'s name.
Tensor in_bf16(const char* layer, const Tensor& weight);
}  // namespace detail

}  // namespace heed::nn
