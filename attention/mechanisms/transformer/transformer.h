// The Transformer (Vaswani et al. 2017): an encoder, and a decoder that attends to what it gives.
//
//   source [B, S, E], target [B, T, E] (embedded, with positions) -> [B, T, E]
//
// Both stacks end with a layer norm, as in PyTorch's nn.Transformer, whose parameter names these
// are: encoder.layers.0.self_attn.in_proj_weight ...
#pragma once

#include "transformer_decoder.h"

namespace heed::attention {

class Transformer : public nn::Module {
 public:
  /// Matrices begin uniform by Xavier, as PyTorch's. Throws ValueError.
  Transformer(Index encoder_layers, Index decoder_layers, const TransformerOptions& options);

  TransformerEncoder& encoder;
  TransformerDecoder& decoder;

  /// The target is causal whatever `target_mask` adds. `source_mask` holds for the encoder and for
  /// what the decoder sees of it. Balance losses of experts come from a call of `encoder` and one
  /// of `decoder`. Throws ShapeError, DTypeError.
  Tensor operator()(const Tensor& source, const Tensor& target, const Mask& source_mask = Mask(),
                    const Mask& target_mask = Mask()) const;
};

}  // namespace heed::attention
