// The Transformer's decoder (Vaswani et al. 2017, section 3.1): each layer attends to the target so
// far, then to the encoder's output ("memory"), then has its feed-forward part.
//
//   x [B, T, E], memory [B, S, E] -> [B, T, E]
//
// Norms as in the encoder. Parameters have the names of PyTorch's nn.TransformerDecoderLayer and
// nn.TransformerDecoder. Masks are the caller's, in all: pass Mask::causal() for the target.
#pragma once

#include "transformer_encoder.h"

namespace heed::attention {

class TransformerDecoderLayer : public nn::Module {
 public:
  explicit TransformerDecoderLayer(const TransformerOptions& options);

  MultiHead &self_attn, &multihead_attn;
  nn::Linear& linear1;
  nn::Dropout& dropout;
  nn::Linear& linear2;
  nn::LayerNorm &norm1, &norm2, &norm3;
  nn::Dropout &dropout1, &dropout2, &dropout3;

  /// The weights are those over the memory, [B, H, T, S], where `source` asks for them.
  Attended operator()(const Tensor& x, const Tensor& memory, const MultiHeadCall& target,
                      const MultiHeadCall& source = {}) const;
  /// The same for a memory projected once by multihead_attn.project().
  Attended operator()(const Tensor& x, const MultiHead::Projected& memory,
                      const MultiHeadCall& target, const MultiHeadCall& source = {}) const;

 private:
  TransformerOptions options_;
};

class TransformerDecoder : public nn::Module {
 public:
  TransformerDecoder(Index layers, const TransformerOptions& options, bool final_norm = false);

  nn::ModuleList<TransformerDecoderLayer>& layers;
  nn::LayerNorm* norm;  ///< null without `final_norm`

  /// Each layer's weights over the memory go into `weights` where it is given. Throws ShapeError,
  /// DTypeError.
  Tensor operator()(const Tensor& x, const Tensor& memory, const Mask& mask,
                    const Mask& memory_mask = Mask(), std::vector<Tensor>* weights = nullptr) const;

  /// What decoding step by step keeps: each layer's memory, projected once, and its past.
  struct State {
    std::vector<MultiHead::Projected> memory;
    std::vector<KeyValueCache> past;
    Mask memory_mask;
    /// Carries on with these rows of the batch, i64 [R]; `sources` false: each is of the memory
    /// that stands in its place already, as in a beam search.
    void reorder(const Tensor& rows, bool sources = true);
  };
  State start(const Tensor& memory, const Mask& memory_mask = Mask()) const;
  /// The next steps x [B, T, E] of the target, causal among themselves. Costs O(T (past + S) E).
  /// Each layer's weights over the memory, [B, H, T, S], go into `weights` where it is given.
  /// Throws GradError while recording.
  Tensor step(const Tensor& x, State& state, std::vector<Tensor>* weights = nullptr) const;
};

}  // namespace heed::attention
