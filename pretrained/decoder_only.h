// A decoder-only language model as others train them: GPT-2's kind (learned positions, layer norm,
// GELU) and LLaMA's (rotary positions, RMSNorm, gated feed-forward parts, shared keys and values).
//
//   logits = head(norm(layers(embedding(ids) + position)))        i64 [B, T] -> [B, T, vocabulary]
#pragma once

#include "../attention/mechanisms/transformer/transformer_encoder.h"
#include "../nn/embedding.h"

namespace heed::pretrained {

struct DecoderOnlyOptions {
  Index vocabulary = 0, context = 0, layers = 0;
  attention::TransformerOptions stack;  ///< the widths, heads, norms; pre-norm as they all are
  bool learned_positions = false;
  bool tied = false;  ///< the head's matrix is the embedding's
  Index window = 0;   ///< each step sees so many, itself among them; 0: all before it
};

class DecoderOnly : public nn::Module {
 public:
  /// Throws ValueError.
  explicit DecoderOnly(const DecoderOnlyOptions& options);

  nn::Embedding& embedding;
  nn::Embedding* positions;  ///< null unless they are learned
  attention::TransformerEncoder& stack;
  nn::Linear* head;  ///< null where it is tied

  /// Throws IndexError for ids that are none, ShapeError for more steps than the context.
  Tensor operator()(const Tensor& ids) const;

  using State = attention::TransformerEncoder::State;
  /// The next steps of what `state` holds, at a cost of them alone. Throws as above, and GradError
  /// while recording.
  Tensor step(const Tensor& ids, State& state) const;

  const DecoderOnlyOptions& options() const { return options_; }

 private:
  Tensor embedded(const Tensor& ids, Index first) const;
  attention::Mask seen() const;
  Tensor scores(const Tensor& x) const;
  DecoderOnlyOptions options_;
};

}  // namespace heed::pretrained
