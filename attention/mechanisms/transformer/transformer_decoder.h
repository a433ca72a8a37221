// The Transformer's decoder (Vaswani et al. 2017, section 3.1): each layer attends to the target so
// far, then to the encoder's output ("memory"), then has its feed-forward part.
//
//   x [B, T, E], memory [B, S, E] -> [B, T, E]
//
// Norms as in the encoder. Parameters have the names of PyTorch's nn.TransformerDecoderLayer and
// nn.TransformerDecoder. Masks are the caller's, in all: pass Mask::causal() for the target.
#pragma once

#include "../decoders/decoder.h"
#include "transformer_encoder.h"

namespace heed::attention {

class TransformerDecoderLayer : public nn::Module {
 public:
  /// Throws ValueError, as MultiHead and Linear, and for parallel parts.
  explicit TransformerDecoderLayer(const TransformerOptions& options, Index layer = 0);
  /// PyTorch's first arguments, and its defaults.
  template <Whole T>
  TransformerDecoderLayer(T width, Index heads, Index hidden = 2048, double p = 0.1)
      : TransformerDecoderLayer(TransformerOptions{.width = static_cast<Index>(width),
                                                   .heads = heads,
                                                   .hidden = hidden,
                                                   .dropout = p}) {}

 private:
  TransformerOptions options_;
  MixtureOfExpertsOptions experts_;

 public:
  SelfAttention& self_attn;
  MultiHead& multihead_attn;
  nn::Linear* linear1;      ///< null with experts
  nn::Linear* linear_gate;  ///< null with experts, and unless the activation is gated
  nn::Dropout& dropout;
  nn::Linear* linear2;        ///< null with experts
  MixtureOfExperts* mixture;  ///< null without experts
  TransformerNorm &norm1, &norm2, &norm3;
  TransformerNorm *norm1_after, *norm2_after, *norm3_after;  ///< null without both_norms
  nn::Dropout &dropout1, &dropout2, &dropout3;

  /// `target` are the terms among the targets, `source` those over the memory; the context is the
  /// layer's output, the weights are those over the memory, [B, H, T, S], where `source` asks.
  TransformerLayerOutput operator()(const Tensor& x, const Tensor& memory, const Terms& target,
                                    const Terms& source = {}) const;
  /// Targets that see all of one another, and all of the memory.
  TransformerLayerOutput operator()(const Tensor& x, const Tensor& memory) const {
    return (*this)(x, memory, Terms{});
  }
  /// The same for a memory projected once by multihead_attn.project().
  TransformerLayerOutput operator()(const Tensor& x, const Memory& memory, const Terms& target,
                                    const Terms& source = {}, KeyValueCache* cache = nullptr) const;
};

class TransformerDecoder : public nn::Module {
 public:
  TransformerDecoder(Index layers, const TransformerOptions& options, bool final_norm = false);
  TransformerDecoder(
      const TransformerDecoderLayer&, Index,
      Say<"attention::TransformerDecoder(layers, options): it makes its layers"> = {}) = delete;

  nn::ModuleListOf<TransformerDecoderLayer>& layers;
  TransformerNorm* norm;  ///< null without `final_norm`

  /// Throws ShapeError, DTypeError.
  TransformerOutput operator()(const Tensor& x, const Tensor& memory, const Terms& target,
                               const Terms& source = {}) const;
  TransformerOutput operator()(const Tensor& x, const Tensor& memory) const {
    return (*this)(x, memory, Terms{});
  }

  /// Of packed batches, tokens [N, E] and [M, E] -> output [N, E]: each target sees itself and its
  /// own source alone. Throws as check_offsets(), and ValueError for another number of sources.
  TransformerOutput operator()(const Packed& x, const Packed& memory, const Terms& target,
                               const Terms& source = {}) const;

  /// Each layer's memory, projected once, and its past.
  struct State {
    std::vector<Memory> memory;
    std::vector<KeyValueCache> past;
    bool ran = false;  ///< while recording: its end is not known
    void reorder(const Tensor& rows, bool sources = true);
  };
  State start(const Tensor& memory, const Mask& memory_mask = Mask()) const;
  /// More of the memory has come in, [B, n, E]: steps from here on see it too (wait-k; an encoder
  /// that looks back only). Throws ShapeError, DTypeError; ValueError for a memory with a mask.
  void read(const Tensor& more, State& state) const;
  /// word [B, E] -> output [B, E], each layer's weights over the memory [B, H, S]. Costs
  /// O((past + S) E). `terms` are those over the memory; the target is causal, `target` adds to
  /// that. Throws GradError while recording; ShapeError, DTypeError, ValueError for words, terms
  /// and a state that do not fit, and for looks at the source by a score or a normaliser that goes
  /// on from query to query; the state stays as it was, but for pasts that roll.
  TransformerOutput step(const Tensor& word, State& state, const Terms& terms = {},
                         const Terms& target = {}) const;
  /// The next steps x [B, T, E], causal among themselves and after those before; weights
  /// [B, H, T, S]. Beyond a row's length the output is 0. While recording the state must stand at
  /// its beginning, and cannot be gone on from: throws GradError for both.
  TransformerOutput run(const Tensor& x, State& state, const Terms& terms = {},
                        const std::vector<Index>& lengths = {}, const Terms& target = {}) const;

 private:
  TransformerOutput go_on(const Tensor& x, State& state, const Terms& terms,
                          const std::vector<Index>& lengths, const Terms& target,
                          bool cached) const;
};

}  // namespace heed::attention
