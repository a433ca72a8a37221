// Pre-norm Transformer layers with a Synthesizer (Tay et al. 2021) in the place of self-attention,
// all else as in attention::TransformerEncoder:
//
//   x = x + synthesizer(norm1(x)),  x = x + feed_forward(norm2(x)),  at the end norm(x)
#pragma once

#include <string>
#include <vector>

#include "../../attention/mechanisms/transformer/synthesizer.h"
#include "../../attention/mechanisms/transformer/transformer_encoder.h"

namespace language_model {

using namespace heed;  // an application speaks the library's language

using SynthesizerKinds = std::vector<attention::SynthesizerKind>;

/// What attends: "dot" (no kinds: dot-product attention), "synthesizer-dense",
/// "synthesizer-random", and mixtures as "synthesizer-random+dot-product". Throws ValueError for
/// other names.
SynthesizerKinds attention_of(const std::string& name);
std::string name(const SynthesizerKinds& kinds);

class SynthesizerLayer : public nn::Module {
 public:
  SynthesizerLayer(const attention::TransformerOptions& options, const SynthesizerKinds& kinds,
                   Index max_length);

  attention::Synthesizer& synthesizer;
  nn::Linear& linear1;
  nn::Dropout& dropout;
  nn::Linear& linear2;
  nn::LayerNorm &norm1, &norm2;
  nn::Dropout &dropout1, &dropout2;

  Tensor operator()(const Tensor& x, const attention::Mask& mask) const;

 private:
  attention::Activation activation_;
};

class SynthesizerEncoder : public nn::Module {
 public:
  /// Throws ValueError, as Synthesizer.
  SynthesizerEncoder(Index count, const attention::TransformerOptions& options,
                     const SynthesizerKinds& kinds, Index max_length);

  nn::ModuleList<SynthesizerLayer>& layers;
  nn::LayerNorm& norm;

  /// x [B, T, E], T <= max_length. Throws ShapeError.
  Tensor operator()(const Tensor& x, const attention::Mask& mask) const;
};

}  // namespace language_model
